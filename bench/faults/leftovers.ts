/** Files that only a running process may have: locks, temporary files, and whatever was set aside as broken. */
import { readdirSync } from 'node:fs'
import path from 'node:path'

export interface Leftovers {
  locks: string[]
  temporary: string[]
  broken: string[]
}

const LOCK = /(?:^|[/\\])(?:\.?lock|[\w.-]+\.lock|[\w.-]*lock\.guard|headless-child\.json)$/
const TEMPORARY = /\.tmp$|(?:^|[/\\])delta_temp\.txt$/
const BROKEN = /\.broken-[^/\\]+$/

/** Below the home, the project and its worktrees; not what the host itself and git write. */
export function findLeftovers(worldDir: string): Leftovers {
  const ours = readdirSync(worldDir, { recursive: true, encoding: 'utf8' }).filter(isOurs)
  return {
    locks: ours.filter((name) => LOCK.test(name)),
    temporary: ours.filter((name) => TEMPORARY.test(name)),
    broken: ours.filter((name) => BROKEN.test(name)),
  }
}

function isOurs(name: string): boolean {
  const parts = name.split(path.sep)
  return parts.includes('memory-keeper') || parts.join('/').includes('.claude/memory/') || parts[0] === 'tmp'
}
