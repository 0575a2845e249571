/** Real repositories for tests, untouched by the developer's own settings. */
import { execFileSync, spawnSync } from 'node:child_process'

export const GIT = 'git'
export const hasGit = spawnSync(GIT, ['--version']).status === 0
if (!hasGit) console.warn('git is not installed: tests about repositories are skipped')

/** Runs git in this directory and returns what it prints. */
export function gitIn(cwd: string, env: Record<string, string> = {}): (...args: string[]) => string {
  return (...args) =>
    execFileSync(GIT, args, {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {
        PATH: process.env.PATH,
        HOME: '/nowhere',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_AUTHOR_NAME: 'A',
        GIT_AUTHOR_EMAIL: 'a@example.com',
        GIT_COMMITTER_NAME: 'A',
        GIT_COMMITTER_EMAIL: 'a@example.com',
        ...env,
      },
    })
}
