/**
 * The part of the command line program that serves the page. The program run by itself (`main.cjs <directory>`) checks the
 * health of a project for it: that reads every file, and the server answers other requests meanwhile.
 */
import path from 'node:path'
import type { Door } from '../cli/dashboard.ts'
import type { HealthView } from '../dashboard/api.ts'
import { openInBrowser } from '../dashboard/page.ts'
import { openDashboard } from '../dashboard/server.ts'
import { lookAtHealth } from '../dashboard/views/overview.ts'
import { openStore } from '../memory/disk/store.ts'
import { disk } from '../platform/disk/files.ts'
import { findSurroundings, locate } from '../platform/disk/locate.ts'
import { PAGE_OPENER } from '../platform/layout.ts'
import { projectRoots } from '../trust/disk/find-program.ts'

declare const __VERSION__: string

/** 32 bytes are beyond guessing. */
const SECRET_BYTES = 32
const here = path.dirname(__filename)

export const dashboard: Door = {
  open: async (options) => {
    const { keeperDir } = locate(options.root, options.around)
    const file = path.join(keeperDir, `${PAGE_OPENER}-${process.pid}.html`)
    const examiner = createExaminer(options.root)
    const opened = await openDashboard({
      ...options,
      pageFile: path.join(here, 'page.html'),
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      token: secret(),
      cookie: secret(),
      uid: process.getuid?.(),
      examine: examiner.examine,
    })
    const end = (): void => {
      examiner.end()
      disk.remove(file)
    }
    const openPage = (): Promise<boolean> => {
      const roots = projectRoots(options.root)
      return openInBrowser(opened.url, file, { env: process.env, platform: process.platform, roots })
    }
    return { ...opened, openPage, ended: opened.ended.finally(end) }
  },
  onInterrupt: (end) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end)
  },
}

const [root] = process.argv.slice(2)
if (path.basename(process.argv[1] ?? '') === path.basename(__filename) && root !== undefined) tellHealth(root)

function tellHealth(dir: string): void {
  const around = findSurroundings(process.env, process.platform)
  if (around === null) return
  const now = (): string => new Date().toISOString()
  const world = { now: now(), nodeVersion: process.version }
  process.stdout.write(JSON.stringify(lookAtHealth(openStore(locate(dir, around), { now }), world)))
}

/** One at a time is asked for; whoever ends the server does not wait for it. */
function createExaminer(dir: string): { examine: () => Promise<HealthView>; end: () => void } {
  const { spawn } = process.getBuiltinModule('node:child_process')
  let end = (): void => {}
  const examine = (): Promise<HealthView> =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [__filename, dir], {
        stdio: ['ignore', 'pipe', 'ignore'],
        windowsHide: true,
      })
      end = () => child.kill()
      let said = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        said += text
      })
      child.once('error', reject).once('close', (code) => {
        if (code === 0) resolve(JSON.parse(said) as HealthView)
        else reject(new Error('the look at the health of the memory failed'))
      })
    })
  return { examine, end: () => end() }
}

function secret(): string {
  return Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString('base64url')
}
