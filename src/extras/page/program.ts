/**
 * What the page needs of the built program: secrets, signals, the browser, and processes of its own. The health of a project is checked in a
 * process of its own (`page-health`): that reads every file, while the server answers other requests.
 */
import path from 'node:path'
import { openAfterFirstSteps } from '../../core/extra.ts'
import type { CliWorld } from '../../kernel/memory/commands/context.ts'
import { openStore, type Store } from '../../kernel/memory/disk/store.ts'
import { disk, makeDir, readOwnText, statOf, unlessFails } from '../../kernel/platform/disk/files.ts'
import { locate, type Surroundings } from '../../kernel/platform/disk/locate.ts'
import { parseObject } from '../../kernel/platform/json.ts'
import { PAGE_ADDRESS_FILE, PAGE_KEY_FILE, PAGE_OPENER, SERVERS_DIR } from '../../kernel/platform/layout.ts'
import { projectRoots } from '../../kernel/trust/disk/find-program.ts'
import { type Door, HEALTH_COMMAND } from './door.ts'
import type { HealthView } from './server/api.ts'
import { COOKIE_DAYS, openInBrowser } from './server/page.ts'
import { addressOf, openDashboard } from './server/server.ts'
import type { Others } from './server/views/asked.ts'

/** 32 bytes cannot be guessed. */
const SECRET_BYTES = 32
/** `programs`: the directory of our built programs. */
export function doorIn(programs: string, { env, platform }: Pick<CliWorld, 'env' | 'platform'>): Door {
  return {
    open: async ({ root, around, others, ...options }) => {
      const { homeDir } = locate(root, around)
      const address = addressFile(root, around)
      let kept = ''
      const keepAddress = (url: string): void => {
        kept = url
        // If the address cannot be stored, the skill starts another page.
        unlessFails(() => {
          makeDir(path.dirname(address))
          disk.replace(address, url)
        }, undefined)
      }
      const file = path.join(homeDir, `${PAGE_OPENER}-${process.pid}.html`)
      const examiners: Examiner[] = []
      const world = (dir: string): ReturnType<Others['open']> => {
        const examiner = createExaminer(programs, dir)
        examiners.push(examiner)
        const open = (): Store => openStore(locate(dir, around), options)
        // Another project's memory may be of an earlier version.
        return { openStore: () => openAfterFirstSteps(open, options.now()), examine: examiner.examine }
      }
      const opened = await openDashboard({
        ...options,
        ...world(root),
        ...(others === undefined ? {} : { others: { list: others, open: world } }),
        pageFile: path.join(programs, 'page.html'),
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        token: secret(),
        newToken: (port) => {
          const token = secret()
          keepAddress(addressOf(port, token))
          return token
        },
        // If the cookie cannot be stored, only a bookmark stops working after a restart.
        cookie: unlessFails(() => keptSecret(path.join(homeDir, PAGE_KEY_FILE), Date.parse(options.now())), secret()),
        uid: process.getuid?.(),
      })
      keepAddress(opened.url)
      const end = (): void => {
        if (readOwnText(address) === kept) disk.remove(address)
        for (const examiner of examiners) examiner.end()
        disk.remove(file)
      }
      const openPage = (): Promise<boolean> => {
        const roots = projectRoots(root)
        return openInBrowser(opened.url, file, { env, platform, roots })
      }
      return { ...opened, openPage, ended: opened.ended.finally(end) }
    },
    onInterrupt: (end) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end)
    },
    start: async (root, around) => (await runningPage(addressFile(root, around))) ?? startDetached(programs, root),
  }
}

/** The address of the page of a project that was started last. */
function addressFile(root: string, around: Surroundings): string {
  const { homeDir, project } = locate(root, around)
  return path.join(homeDir, SERVERS_DIR, project.key, PAGE_ADDRESS_FILE)
}

const ASK_MS = 1_000

/** The address of the running page; null: none runs. A killed page leaves its file behind, but does not answer at that address. */
async function runningPage(file: string): Promise<string | null> {
  const url = readOwnText(file)
  if (url === null || !URL.canParse(url)) return null
  const answer = await fetch(new URL('/', url), { signal: AbortSignal.timeout(ASK_MS) }).catch(() => null)
  // Without a cookie the page refuses this request, which proves that it runs.
  return answer?.status === 401 ? url : null
}

/** Less than the time that the hook of a skill waits for its command. */
const START_MS = 6_000

/** The child prints one line of JSON with its address and then nothing: nobody reads its output after that. */
function startDetached(programs: string, root: string): Promise<string | null> {
  const { spawn } = process.getBuiltinModule('node:child_process')
  const child = spawn(process.execPath, [path.join(programs, 'cli.cjs'), 'dashboard', '--json', '--project', root], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
  })
  return new Promise((resolve) => {
    let said = ''
    const done = (): void => {
      clearTimeout(late)
      child.stdout.destroy()
      child.unref()
      const url = parseObject(said)?.url
      resolve(typeof url === 'string' ? url : null)
    }
    const late = setTimeout(done, START_MS)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.includes('\n')) done()
    })
    child.once('error', done).once('close', done)
  })
}

interface Examiner {
  examine: () => Promise<HealthView>
  end: () => void
}

/** One check at a time; stopping the server does not wait for it. */
function createExaminer(programs: string, dir: string): Examiner {
  const { spawn } = process.getBuiltinModule('node:child_process')
  let end = (): void => {}
  const examine = (): Promise<HealthView> =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [path.join(programs, 'cli.cjs'), HEALTH_COMMAND, '--project', dir], {
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
        else reject(new Error('the health check of the memory failed'))
      })
    })
  return { examine, end: () => end() }
}

/**
 * The cookie of the page, the same at every start for some weeks: a bookmark of the fixed port then works again after a restart.
 * Why this is safe: the file is readable by this user only (0600), and whoever can read it can read and write the memory itself. The
 * address contains no secret. The browser keeps the cookie from scripts (HttpOnly) and from requests that other sites begin (SameSite=Strict);
 * Host, Origin and Sec-Fetch-Site are checked as before. Browsers send a cookie to every port of this machine: a server of the same
 * user can read the file anyway, and connections of other users are refused where the system tells whose they are (Linux).
 * Elsewhere this is the remaining risk; deleting the file ends it. A new browser needs the token, which is new at every start.
 */
function keptSecret(file: string, nowMs: number): string {
  const kept = readOwnText(file)?.trim() ?? ''
  const ageMs = nowMs - (statOf(file)?.mtimeMs ?? 0)
  if (/^[\w-]{43}$/.test(kept) && ageMs < COOKIE_DAYS * 86_400_000) return kept
  const made = secret()
  makeDir(path.dirname(file))
  disk.replace(file, `${made}\n`)
  return made
}

function secret(): string {
  return Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString('base64url')
}
