/** The active rules of a memory directory: the user's own file, else the built-in ones. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { isGarbled } from '../../memory/loss.ts'
import { readPart } from '../../platform/disk/files.ts'
import { RULES_FILE } from '../../platform/layout.ts'
import { BUILT_IN_RULES, parseRules } from '../rule.ts'

/** More is never injected with a prompt, and the file may contain anything. */
const MAX_BYTES = 65_536
/** A larger file is not a hand-written text: it is not read at all. */
const MOST_BYTES = 4 * 1024 * 1024

/** Never throws: a prompt without rules is worse than one with the built-in rules. */
export function readRules(store: Store): readonly string[] {
  return ownRules(store) ?? BUILT_IN_RULES
}

/** The user's own rules. Null: the built-in ones apply. Never throws. */
export function ownRules(store: Store): readonly string[] | null {
  try {
    const text = readRulesFile(store)
    // An empty or garbled file is ignored. A file with a heading and no rule means that no rules are wanted.
    return text === null || text.trim() === '' || isGarbled(text) ? null : parseRules(text)
  } catch {
    return null
  }
}

/** Null: there is no file. A link is ignored: a repository may have planted it. */
export function readRulesFile(store: Store): string | null {
  return readPart(path.join(store.dir, RULES_FILE), 0, MAX_BYTES, MOST_BYTES)?.toString('utf8') ?? null
}
