/** What this machine sends of a project, redacted again: notes, facts, concepts, where sessions stand, pages, rules, fingerprints of what was forgotten. */

import path from 'node:path'
import { scrubText } from '../../../core/files.ts'
import { readFacts } from '../../../core/knowledge/disk/knowledge.ts'
import { isLive } from '../../../core/knowledge/item.ts'
import { byKind } from '../../../core/knowledge/items.ts'
import { standsRows } from '../../../core/others/disk/others.ts'
import { cleaner, readShareable } from '../../../core/others/disk/shareable.ts'
import {
  formatOthers,
  MOST_OTHERS_BYTES,
  type OtherRow,
  parseOther,
  shareableRows,
} from '../../../core/others/others.ts'
import { readPages } from '../../../core/pages/disk/pages.ts'
import { ownRules } from '../../../core/pages/disk/rules.ts'
import { isUntouchedTemplate, pageText } from '../../../core/pages/page.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { readOwnText } from '../../../kernel/platform/disk/files.ts'
import { FORGOTTEN_FILE } from '../../../kernel/platform/layout.ts'
import { redactorFor } from '../../../kernel/redact/redact.ts'
import { allSessionFiles, readSessionText } from '../../../kernel/sessions/disk/session-archive.ts'
import { fingerprint } from '../../../kernel/text/fingerprint.ts'
import { compareText } from '../../../kernel/text/memory-words.ts'
import { FORGOTTEN_ROWS, MOST_SESSION_BYTES, ROWS_FILE, SESSIONS_FOLDER } from '../manifest.ts'

/** So many of the newest sessions; where older ones stand is no news. */
const MOST_STANDS = 50
const MOST_ROWS = 20_000

export interface OutgoingFile {
  /** Its path in the project's folder. */
  name: string
  text: string
}

/** `who`: the name of this machine. The order is fixed, so that the same memory gives the same bytes. */
export function outgoingRows(store: Store, who: string): OtherRow[] {
  const clean = cleaner(store)
  const rows = [
    ...shareableRows(readShareable(store), who, clean),
    ...standsRows(store, { who, clean, isGoalToo: true }).slice(0, MOST_STANDS),
    ...[...pageRows(store), ...ruleRows(store)].flatMap(
      (row) => parseOther({ who, ...row, text: clean(row.text) }) ?? [],
    ),
  ]
  return withinLimit(rows).sort((a, b) => compareText(a.type, b.type) || compareText(a.id, b.id))
}

export function outgoingFiles(store: Store, rows: readonly OtherRow[]): OutgoingFile[] {
  const forgotten = readOwnText(path.join(store.dir, FORGOTTEN_FILE)) ?? ''
  const files = [
    { name: ROWS_FILE, text: formatOthers(rows) },
    { name: FORGOTTEN_ROWS, text: forgotten },
    ...(store.config.syncSessions ? outgoingSessions(store) : []),
  ]
  return files.filter(({ text }) => text !== '')
}

type NewRow = Pick<OtherRow, 'id' | 'type' | 'at' | 'text'>

function pageRows(store: Store): NewRow[] {
  return readPages(store)
    .filter(({ name, text }) => !isUntouchedTemplate(name, text))
    .map(({ name, text }) => ({ id: `page-${name}`, type: 'page', at: '', text: pageText(text) }))
}

/** The rules in `rules.md` and the active learned ones. Other machines propose them to the user. */
function ruleRows(store: Store): NewRow[] {
  const learned = byKind(readFacts(store)).rules.filter(isLive)
  const rules = [...ownRules(store), ...learned.map(({ text }) => text)]
  return rules.map((text) => ({ id: `rule-${fingerprint(text)}`, type: 'rule', at: '', text }))
}

/** The newest rows that fit; older ones are not sent. */
function withinLimit(rows: readonly OtherRow[]): OtherRow[] {
  let left = MOST_OTHERS_BYTES
  return rows
    .toSorted((a, b) => compareText(b.at, a.at))
    .slice(0, MOST_ROWS)
    .filter((row) => {
      left -= Buffer.byteLength(formatOthers([row]))
      return left > 0
    })
}

/** Without open entries, whose numbers may still change. */
function outgoingSessions(store: Store): OutgoingFile[] {
  const redact = redactorFor({ ...store.config, redaction: true })
  return allSessionFiles(store.dir).flatMap((file): OutgoingFile[] => {
    const text = readSessionText(store.dir, file) ?? ''
    const settled = text.replace(/^.*"open":true\}\n/gm, '')
    const { text: clean } = scrubText(file, settled, redact)
    return Buffer.byteLength(clean) > MOST_SESSION_BYTES ? [] : [{ name: `${SESSIONS_FOLDER}/${file}`, text: clean }]
  })
}
