/** What the git calls of a turn made: commits of the project, and pull requests. */

import type { Entry } from '../../kernel/transcript/session.ts'
import { commandsOf, commitsIn, isElsewhere, isGitCall } from '../../kernel/transcript/shell.ts'
import { onOneLine } from './structure-text.ts'

export type ToolUse = Extract<Entry, { role: 'tool' }>

export interface MadeCommit {
  /** Empty: the output did not show it. */
  hash: string
  title: string
  /** There is no result: it is unknown whether it was made. */
  isBegun: boolean
}

const MADE = /^\[[^\]\n]*?([0-9a-f]{7,12})\] (.+)$/gm
const MOST_COMMITS = 6

/** Hash and title as git reports them. Commits into a repository made on the way, or in a temporary directory, are not the project's. */
export function commitsOf(use: ToolUse): MadeCommit[] {
  if (use.name !== 'Bash' || use.ok === false || !use.cmd.includes('commit')) return []
  const titles = commitsIn(use.cmd)
  if (isElsewhere(use.cmd) || !commandsOf(use.cmd).some((one) => /\bcommit\b/.test(one) && isGitCall(one))) return []
  const made = [...(use.output ?? '').matchAll(MADE)].map(([, hash = '', title = '']) => ({
    hash,
    title,
    isBegun: false,
  }))
  if (made.length > 0) return made.slice(-MOST_COMMITS)
  return titles.map((title) => ({ hash: '', title: onOneLine(title), isBegun: use.ok === null }))
}

export function pullsOf({ name, cmd, ok, output = '' }: ToolUse): string[] {
  if (name !== 'Bash' || ok !== true || !/\bgh\s+pr\s+create\b/.test(cmd)) return []
  return [...output.matchAll(/\/pull\/(\d{1,7})\b/g)].map(([, number = '']) => `#${number}`)
}

export function isGitUse({ name, cmd }: ToolUse): boolean {
  if (name === 'Skill') return true
  return name === 'Bash' && commandsOf(cmd).every((one) => isGitCall(one) || /^(?:cd|echo|true|sleep)\b/.test(one))
}
