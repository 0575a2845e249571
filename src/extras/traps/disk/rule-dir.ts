/** One directory of rules in a checkout: whose it is, what is in it, and how it is written and emptied. */
import path from 'node:path'
import { frameFor } from '../../../kernel/memory/disk/frame-key.ts'
import {
  type Disk,
  disk,
  list,
  makeDir,
  readBelow,
  removeEmptyDir,
  statOf,
} from '../../../kernel/platform/disk/files.ts'
import type { Places } from '../../../kernel/platform/disk/locate.ts'
import { FILE_RULES_DIR, GITIGNORE_FILE, OWNER_FILE, README_FILE } from '../../../kernel/platform/layout.ts'
import { IGNORE_ALL } from '../../../kernel/trust/share-files.ts'
import { type FileRule, isRuleName, isRuleText, patternIn } from '../rule-file.ts'

/** `foreign`: it came with the repository, or somebody made it. `linked`: it would be behind a link that somebody made. */
type Standing = 'absent' | 'ours' | 'foreign' | 'linked'

type Key = Pick<Places, 'homeDir'>

const MOST_BYTES = 64 * 1024
const README = `Memory Keeper writes these files: what you refused in a file, for Claude to read when it works with that file.
They are made from the memory of this project, and made again: changes here are lost.
To switch it off: memory-keeper config set fileMemory false
`

export function ruleDirIn(checkout: string): string {
  return path.join(checkout, ...FILE_RULES_DIR)
}

export function standingOfDir(key: Key, checkout: string): Standing {
  const dir = ruleDirIn(checkout)
  const kind = statOf(dir)?.kind
  const above = FILE_RULES_DIR.slice(0, -1).map((_, n) => path.join(checkout, ...FILE_RULES_DIR.slice(0, n + 1)))
  if (above.some((one) => (statOf(one)?.kind ?? 'dir') !== 'dir')) return kind === undefined ? 'linked' : 'foreign'
  if (kind === undefined) return 'absent'
  if (kind !== 'dir') return 'foreign'
  const stamp = readBelow(dir, OWNER_FILE, MOST_BYTES)
  // The key is made when it is first asked for.
  if (stamp !== null && stamp === stampOf(key)) return 'ours'
  // A killed writer left it: git brings no empty directory.
  return list(dir).every((name) => name.startsWith(`${OWNER_FILE}.`) && name.endsWith('.tmp')) ? 'absent' : 'foreign'
}

/** Only who has the key of this user's frames can write it. */
function stampOf(key: Key): string {
  return `${frameFor(key)('memory-keeper', ['This directory was made by Memory Keeper.']).join('\n')}\n`
}

/** Call it under the lock, for a directory that is ours or absent. The stamp comes first: without it the directory is not ours. */
export function writeRuleDir(key: Key, checkout: string, rules: readonly FileRule[], to: Disk = disk): void {
  const dir = ruleDirIn(checkout)
  const put = (name: string, text: string): void => {
    if (readBelow(dir, name, MOST_BYTES) !== text) to.replace(path.join(dir, name), text)
  }
  makeDir(dir)
  put(OWNER_FILE, stampOf(key))
  put(GITIGNORE_FILE, IGNORE_ALL)
  put(README_FILE, README)
  for (const { name, text, pattern } of rules) {
    put(name, text)
    // With no path, or another one, the host would tell it elsewhere, perhaps with every start.
    if (patternIn(readBelow(dir, name, MOST_BYTES) ?? '') !== pattern) to.remove(path.join(dir, name))
  }
  const isWanted = (name: string): boolean => rules.some((rule) => rule.name === name)
  for (const name of list(dir)) if (isOfRules(name) && !isWanted(name)) to.remove(path.join(dir, name))
}

/** Of a directory that is ours. The stamp goes last, so that after a kill the rest still goes. Files of others stay, and with them what hides them from git. */
export function emptyRuleDir(checkout: string, to: Disk = disk): void {
  const dir = ruleDirIn(checkout)
  for (const name of list(dir)) if (isOfRules(name)) to.remove(path.join(dir, name))
  if (list(dir).some((name) => !isOurs(name))) return
  for (const name of [README_FILE, GITIGNORE_FILE]) to.remove(path.join(dir, name))
  for (const name of list(dir)) if (name !== OWNER_FILE) to.remove(path.join(dir, name))
  to.remove(path.join(dir, OWNER_FILE))
  removeEmptyDir(dir)
  removeEmptyDir(path.dirname(dir))
}

/** What is there of a directory that is ours. `broken`: the host may read them otherwise than they were written. */
export function lookAtRuleDir(checkout: string): { rules: string[]; broken: string[]; others: string[] } {
  const dir = ruleDirIn(checkout)
  const names = list(dir)
  const named = names.filter(isRuleName)
  const isWhole = (name: string): boolean => isRuleText(name, readBelow(dir, name, MOST_BYTES) ?? '')
  return {
    rules: named.filter(isWhole),
    broken: named.filter((name) => !isWhole(name)),
    others: names.filter((name) => !isOurs(name)),
  }
}

/** Rules, and what killed writers left of them. */
function isOfRules(name: string): boolean {
  return isRuleName(name) || (name.endsWith('.tmp') && isRuleName(name.slice(0, name.indexOf('.') + '.md'.length)))
}

const ALWAYS: readonly string[] = [OWNER_FILE, GITIGNORE_FILE, README_FILE]

function isOurs(name: string): boolean {
  return isOfRules(name) || ALWAYS.some((one) => name === one || (name.startsWith(`${one}.`) && name.endsWith('.tmp')))
}
