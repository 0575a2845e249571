/** Changes of pages by hand, decided: a text about the project takes the place of another, or is added to it. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import type { HandMemory } from '../../outgoing/undo-things.ts'
import { pageFile } from '../../pages/disk/pages.ts'
import { MAX_PAGE_BYTES, pageName } from '../../pages/page.ts'
import { KeeperError } from '../../platform/error.ts'
import { PAGE_SUFFIX } from '../../platform/layout.ts'
import { redactorFor } from '../../redact/redact.ts'
import { count, bytes as size } from '../../text/figures.ts'
import { shown } from '../../text/shown.ts'
import type { Decided, Hand } from './hand-line.ts'

export interface PageChange {
  do: 'set-page'
  name: string
  text: string
  how: 'replace' | 'append'
}

/** Its name, as it is spelled there. */
export function fileOfPage(store: Store, name: string): string {
  return pageFile(store, name) ?? `${name}${PAGE_SUFFIX}`
}

export function checkedPageName(given: string): string {
  const name = pageName(given)
  if (name !== null) return name
  throw new KeeperError(
    'usage',
    `"${shown(given)}" cannot be the name of a page. Use letters, digits and hyphens, like api-notes; memory, rules, claude and names that Windows keeps for devices are taken.`,
  )
}

export function decidePage(store: Store, memory: HandMemory, change: PageChange, { isDryRun }: Hand): Decided {
  const { name, how } = change
  const file = fileOfPage(store, name)
  const where = path.join(store.dir, file)
  const redacted = redactorFor(store.config)(change.text)
  const before = how === 'append' ? (memory.files[file] ?? '') : ''
  const after = before + (before === '' || before.endsWith('\n') ? '' : '\n') + ended(redacted.text)
  const bytes = Buffer.byteLength(after)
  if (bytes > MAX_PAGE_BYTES)
    throw new KeeperError(
      'too-large',
      `${file} would have ${bytes} bytes; a page has at most ${MAX_PAGE_BYTES}. Shorten it, or split it into several pages.`,
    )
  return {
    memory: { ...memory, files: { ...memory.files, [file]: after } },
    what: how === 'append' ? `page ${name}: text added` : `page ${name}: written`,
    lines: [
      { text: `${isDryRun ? 'Would write' : 'Wrote'} ${where} (${size(bytes)}).` },
      ...(redacted.count > 0 ? [{ text: `${count(redacted.count, 'secret')} redacted.` }] : []),
    ],
    json: { name, file: where, bytes, redactions: redacted.count, dryRun: isDryRun === true },
  }
}

function ended(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}
