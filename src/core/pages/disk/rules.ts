/** The rules that apply in a memory directory: the built-in ones by the setting `builtinRules`, and the user's own file. */
import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { isGarbled } from '../../../kernel/memory/loss.ts'
import { readBeginning, readOwnText, sizeOf, statOf } from '../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { parseObject } from '../../../kernel/platform/json.ts'
import { CONFIG_FILE, RULES_FILE } from '../../../kernel/platform/layout.ts'
import { BUILT_IN_RULES, isBuiltIn, parseRules } from '../rule.ts'

/** More is never injected with a prompt, and the file may contain anything. */
const MAX_BYTES = 65_536
/** A larger file is not a hand-written text: it is not read at all. */
const MOST_BYTES = 4 * 1024 * 1024

/** All that apply. Never throws: a prompt without rules is worse than one with the built-in rules. */
export function readRules(store: Store): readonly string[] {
  return [...builtInRules(store), ...ownRules(store)]
}

export function builtInRules({ config }: Pick<Store, 'config'>): readonly string[] {
  return config.builtinRules === 'off' ? [] : BUILT_IN_RULES
}

/** The user's own rules. Never throws. */
export function ownRules(store: Store): readonly string[] {
  try {
    return ownRulesIn(store, readRulesFile(store))
  } catch {
    return []
  }
}

/** A garbled file is ignored. While the built-in rules apply, a copy of one of them is not a second rule. */
export function ownRulesIn({ config }: Pick<Store, 'config'>, text: string | null): readonly string[] {
  if (text === null || isGarbled(text)) return []
  const rules = parseRules(text)
  return config.builtinRules === 'off' ? rules : rules.filter((rule) => !isBuiltIn(rule))
}

/** Null: there is no file. A link is ignored: a repository may have planted it. */
export function readRulesFile(store: Store): string | null {
  return readBeginning(path.join(store.dir, RULES_FILE), MAX_BYTES, MOST_BYTES)
}

/** Adding a line must not change the others: a file that is cut or not UTF-8 would be written differently. */
export function soundRules({ dir }: Pick<Store, 'dir'>, text: string | null): string | null {
  const file = path.join(dir, RULES_FILE)
  if (!text?.includes('\ufffd') && (sizeOf(file) ?? 0) <= MAX_BYTES) return text
  throw new KeeperError(
    'not-text',
    `${file} is not plain UTF-8 text of at most 64 KB. Correct it in an editor, then try again.`,
  )
}

/** The text of the project's config with the built-in rules switched off; its other settings stay. */
export function withBuiltInOff({ dir }: Pick<Store, 'dir'>): string {
  const file = path.join(dir, CONFIG_FILE)
  const text = readOwnText(file) ?? (statOf(file) === null ? '{}' : '')
  const config = parseObject(text)
  if (config !== null) return `${JSON.stringify({ ...config, builtinRules: 'off' }, null, 2)}\n`
  throw new KeeperError('broken-config', `${file} is not valid JSON. Fix or delete it, then try again.`)
}
