/** The place a world happens in: a temp directory with a private HOME, a git project, and the environment of the host. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { WORLD_MARK } from './processes.ts'

export interface Place {
  /** Also the mark in the environment of every process. */
  id: string
  dir: string
  home: string
  projectDir: string
  /** How the host is called: a link named `claude`, first on PATH, so that our plugin finds the same host. */
  claude: string
  env: Record<string, string>
}

const API_KEY = 'test-key'
const START = '2026-01-01T00:00:00Z'

/** A place as it was once, to begin in again. Files name their own paths: it can only be in the same place. */
export interface WorldCopy {
  dir: string
  restore(): void
  remove(): void
}

/** Nothing may run in it meanwhile. */
export function copyPlace(dir: string): WorldCopy {
  const kept = join(mkdtempSync(join(tmpdir(), 'mk-past-')), basename(dir))
  copyTree(dir, kept)
  for (const name of readdirSync(kept)) if (name.startsWith(TMUX)) rmSync(join(kept, name))
  return {
    dir,
    restore: () => copyTree(kept, dir),
    remove: () => rmSync(dirname(kept), { recursive: true, force: true }),
  }
}

/** With times and modes: what was seen as unchanged still is. */
function copyTree(from: string, to: string): void {
  execFileSync('cp', ['-a', '--no-target-directory', from, to])
}

export function tmuxSocket({ dir }: Place, number: number): string {
  return join(dir, `${TMUX}${number}`)
}

const TMUX = 'tmux-'

export function makePlace(binary: string, modelUrl: string, copy?: WorldCopy): Place {
  copy?.restore()
  const dir = copy?.dir ?? realpathSync(mkdtempSync(join(tmpdir(), 'mk-world-')))
  const [home, projectDir, bin, tmp] = ['home', 'project', 'bin', 'tmp'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
    string,
  ]
  const id = basename(dir)
  const env = {
    [WORLD_MARK]: id,
    HOME: home,
    PATH: [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
    TMPDIR: tmp,
    CLAUDE_CODE_TMPDIR: tmp,
    SHELL: '/bin/bash',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    ANTHROPIC_API_KEY: API_KEY,
    ANTHROPIC_BASE_URL: modelUrl,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_BUG_COMMAND: '1',
  }
  const place = { id, dir, home, projectDir, claude: join(bin, 'claude'), env }
  if (copy === undefined) furnish(place, binary)
  return place
}

function furnish({ home, projectDir, claude, env }: Place, binary: string): void {
  for (const each of [home, projectDir, dirname(claude), env.TMPDIR ?? '']) mkdirSync(each)
  symlinkSync(binary, claude)
  writeFileSync(join(home, '.claude.json'), JSON.stringify(settledUser(projectDir)))
  writeFileSync(
    join(home, '.gitconfig'),
    '[user]\nname = Tester\nemail = tester@example.com\n[init]\ndefaultBranch = main\n',
  )
  startRepository(projectDir, env)
}

/** Somebody who has seen every welcome, approved the key and trusts the project: no dialog opens. */
function settledUser(projectDir: string): object {
  return {
    hasCompletedOnboarding: true,
    lastOnboardingVersion: '2.1.325',
    // Otherwise the first start in a terminal draws its mascot for two seconds.
    lastClawdEntranceVersion: '2.1.325',
    numStartups: 5,
    theme: 'dark',
    bypassPermissionsModeAccepted: true,
    customApiKeyResponses: { approved: [API_KEY.slice(-20)], rejected: [] },
    projects: {
      [projectDir]: {
        hasTrustDialogAccepted: true,
        hasCompletedProjectOnboarding: true,
        projectOnboardingSeenCount: 4,
      },
    },
  }
}

function startRepository(projectDir: string, env: Record<string, string>): void {
  writeFileSync(join(projectDir, 'README.md'), '# A project\n')
  for (const args of [
    ['init', '--quiet'],
    ['add', '.'],
    ['commit', '--quiet', '-m', 'Start'],
  ]) {
    // The same hash in every world: the host tells it to the model.
    execFileSync('git', args, { cwd: projectDir, env: { ...env, GIT_AUTHOR_DATE: START, GIT_COMMITTER_DATE: START } })
  }
}
