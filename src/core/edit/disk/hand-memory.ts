/** The content that a person can change by hand: read as one value, changed by a decision, and written as one. */
import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { readOwnText } from '../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { CONFIG_FILE, MEMORY_FILE, PAGE_SUFFIX, RULES_FILE } from '../../../kernel/platform/layout.ts'
import { type Knowledge, readBoth, writeBoth } from '../../knowledge/disk/knowledge.ts'
import { readMemory } from '../../notes/disk/memory.ts'
import { type Synced, syncClaudeMd } from '../../pages/disk/claude-md.ts'
import { pageFile } from '../../pages/disk/pages.ts'
import { builtInRules, ownRulesIn, readRulesFile } from '../../pages/disk/rules.ts'
import { MAX_PAGE_BYTES } from '../../pages/page.ts'

export interface HandMemory extends Knowledge {
  /** The text of memory.md. */
  notes: string
  /** rules.md, the pages and the config that a change may write, by file name; null: the file does not exist. */
  files: Readonly<Record<string, string | null>>
}

export interface Hand {
  by: 'user' | 'agent'
  now: string
  isDryRun?: boolean
}

/** The input of a decision. */
export interface Edit {
  store: Store
  memory: HandMemory
  hand: Hand
  /** Redacts typed text and puts it on one line; counts the secrets. */
  typed(text: string): string
  /** Redacts, and keeps line breaks. */
  redacted(text: string): string
}

/** The result of a change: the changed memory, and the lines to print. */
export interface Decided {
  /** The changed parts of the memory. */
  after?: Partial<HandMemory>
  /** For example `reject d001`: the name in `undo --list`. */
  what: string
  /** Lines for a person; the first names what was changed. */
  said: readonly string[]
  json: Record<string, unknown>
}

/** The file name of a page, as spelled in the directory. */
export function fileOfPage(store: Store, name: string): string {
  return pageFile(store, name) ?? `${name}${PAGE_SUFFIX}`
}

export function withPage({ files }: HandMemory, file: string, text: string): Pick<HandMemory, 'files'> {
  const bytes = Buffer.byteLength(text)
  if (bytes <= MAX_PAGE_BYTES) return { files: { ...files, [file]: text } }
  throw new KeeperError(
    'too-large',
    `${file} would have ${bytes} bytes; a page has at most ${MAX_PAGE_BYTES}. Shorten it, or split it into several pages.`,
  )
}

/** `pages`: file names. A page is read completely, including the part that is too long to be injected. */
export function readHandMemory(store: Store, pages: readonly string[]): HandMemory {
  const wholePage = (file: string): string | null => readOwnText(path.join(store.dir, file))
  return {
    ...readBoth(store),
    notes: readMemory(store),
    files: { [RULES_FILE]: readRulesFile(store), ...Object.fromEntries(pages.map((file) => [file, wholePage(file)])) },
  }
}

/** Null: no rule changed. Concepts are written before the facts that name them. Under the lock. */
export function writeHandMemory(store: Store, before: HandMemory, after: HandMemory, now: string): Synced | null {
  if (after.facts !== before.facts || after.concepts !== before.concepts) writeBoth(store, before, after, now)
  for (const [file, text] of Object.entries(after.files))
    if (text !== null && text !== before.files[file]) store.perform([{ do: 'write', path: file, text }])
  if (after.notes !== before.notes) store.perform([{ do: 'write', path: MEMORY_FILE, text: after.notes }])
  const rules = after.files[RULES_FILE] ?? null
  if (rules === (before.files[RULES_FILE] ?? null)) return null
  // `rules init` has switched the built-in rules off.
  const config =
    after.files[CONFIG_FILE] === undefined ? store.config : { ...store.config, builtinRules: 'off' as const }
  return syncClaudeMd(store, [...builtInRules({ config }), ...ownRulesIn({ config }, rules)])
}
