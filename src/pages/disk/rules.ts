/** The rules that hold in a memory directory: the user's own file, else the built-in ones. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { isGarbled } from '../../memory/loss.ts'
import { readPart } from '../../platform/disk/files.ts'
import { RULES_FILE } from '../../platform/layout.ts'
import { BUILT_IN_RULES, parseRules } from '../rule.ts'

/** More than anybody tells with every prompt; the file may be anything. */
const MAX_BYTES = 65_536
/** A larger file is no text that a person keeps: nothing of it is read. */
const MOST_BYTES = 4 * 1024 * 1024

/** Never throws: a prompt without rules is worse than one with the built-in rules. */
export function readRules(store: Store): readonly string[] {
  return ownRules(store) ?? BUILT_IN_RULES
}

/** The user's own rules. Null: the built-in ones hold. Never throws. */
export function ownRules(store: Store): readonly string[] | null {
  try {
    const text = readRulesFile(store)
    // A file that was emptied or is no text says nothing. One with a heading and no rule says that none is wanted.
    return text === null || text.trim() === '' || isGarbled(text) ? null : parseRules(text)
  } catch {
    return null
  }
}

/** Null: there is none. A link is none: what a repository planted may lead anywhere. */
export function readRulesFile(store: Store): string | null {
  return readPart(path.join(store.dir, RULES_FILE), 0, MAX_BYTES, MOST_BYTES)?.toString('utf8') ?? null
}
