/** The programs of a released version, from the repository's history. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { GIT } from './git.ts'
import { envOf, type HookPayload, payloadOf, type Ran, ROOT, runNode } from './process.ts'
import { type TestProject, tempDir } from './project.ts'

/** The commits that were released. */
const COMMITS = { '0.6.1': '43504306' } as const

export interface ReleasedProgram {
  cli(...args: readonly string[]): Ran
  hook(payload: HookPayload): Ran
}

/** Null: this copy of the repository has no history, or there is no git. */
export function releasedDist(version: keyof typeof COMMITS): string | null {
  const dir = tempDir()
  const archive = path.join(dir, 'plugin.tar')
  const made = spawnSync(GIT, ['archive', '-o', archive, COMMITS[version], 'plugin/dist'], { cwd: ROOT })
  if (made.status !== 0 || spawnSync('tar', ['-xf', archive, '-C', dir]).status !== 0) return null
  fs.rmSync(archive)
  return path.join(dir, 'plugin', 'dist')
}

/** `now`: the clock of its processes begins there. */
export function releasedProgram(dist: string, project: TestProject, now: string): ReleasedProgram {
  const clock = path.join(project.base, 'clock.cjs')
  fs.writeFileSync(
    clock,
    `const start = Date.parse(${JSON.stringify(now)}), real = Date, began = real.now()
const clock = () => start + (real.now() - began)
globalThis.Date = class extends real {
  constructor(...given) { given.length === 0 ? super(clock()) : super(...given) }
  static now() { return clock() }
}
`,
  )
  const env = envOf(project, { CLAUDE_PROJECT_DIR: undefined, NO_COLOR: '1', TZ: 'UTC' })
  const run = (program: string, args: readonly string[], stdin = ''): Ran =>
    runNode(['--require', clock, path.join(dist, program), ...args], project.root, env, stdin)
  return {
    cli: (...args) => run('cli.cjs', args),
    hook: (payload) => run('hook.cjs', [], JSON.stringify(payloadOf(project, payload))),
  }
}
