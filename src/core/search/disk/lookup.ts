/** ReadTrace up anything by its id and returns it in full: a session, its entries, a note, a fact, a concept, a page, a section of any of these. */
import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import type { Unit } from '../../../kernel/memory/document.ts'
import { parseMemory } from '../../../kernel/memory/note.ts'
import { parseDeltaId } from '../../../kernel/memory/work-item.ts'
import { readOwnText } from '../../../kernel/platform/disk/files.ts'
import {
  id8OfFile,
  isArchiveFile,
  MEMORY_FILE,
  SESSIONS_DIR,
  sessionSummaryFile,
} from '../../../kernel/platform/layout.ts'
import { readSession } from '../../../kernel/sessions/disk/lineage.ts'
import { allSessionFiles } from '../../../kernel/sessions/disk/session-archive.ts'
import { findSessionFile } from '../../../kernel/sessions/disk/sessions.ts'
import {
  type Entry,
  entryId,
  outcomeOf,
  parseEntryId,
  type Tombstone,
  whyNotUsers,
} from '../../../kernel/transcript/session.ts'
import { ownerInId } from '../../../kernel/trust/share-files.ts'
import { readArchive, readMemory } from '../../notes/disk/memory.ts'
import { findNote } from '../../notes/disk/note-list.ts'
import { summaryWords } from '../../notes/documents.ts'
import { periodOf } from '../../notes/tier-period.ts'
import { senderOf } from '../../others/disk/others.ts'
import { readPage } from '../../pages/disk/pages.ts'

import { lookUpKnowledge } from './lookup-knowledge.ts'
import { readUnits } from './source-documents.ts'
import { listSources } from './sources.ts'

/** `kind` as in search, with important details: `tool Bash (failed)`. */
export interface FoundPart {
  id: string
  /** ISO, or empty if unknown. */
  at: string
  kind: string
  text: string
}

export interface LookedUp {
  title: string
  /** Empty: the session or page exists, but not this part; the title says what there is. */
  parts: FoundPart[]
  /** What it was derived from or belongs to, as a sentence with ids. */
  source: string | null
}

/** Null: the id does not exist. `context`: how many entries or sections before and after it to include. */
export function lookUp(store: Store, given: string, context: number): LookedUp | null {
  const id = given.trim().replace(/^\[(.*)\]$/, '$1')
  return (
    lookUpNote(store, id, context) ??
    lookUpEntries(store, id, context) ??
    lookUpProven(store, id, context) ??
    lookUpFile(store, id) ??
    lookUpSection(store, id, context)
  )
}

/** A range that still waits for its note is named like the note. */
function lookUpNote(store: Store, id: string, context: number): LookedUp | null {
  const range = parseDeltaId(id)
  if (range === null && !id.startsWith('n-')) return null
  const note = findNote(store, id)
  if (note === null) return range === null ? null : entriesAround(store, range.session, range.from, range.to, context)
  const covered =
    note.session === null || note.to <= note.from ? null : `L1:${note.session}#${note.from}-${note.to - 1}`
  return {
    title: `Note ${note.id} in ${note.file}, by ${note.author}`,
    parts: [{ id: note.id, at: note.at, kind: 'note', text: note.text }],
    source: covered === null ? null : `It covers the entries ${covered}.`,
  }
}

function lookUpEntries(store: Store, id: string, context: number): LookedUp | null {
  const wanted = parseEntryId(id)
  if (wanted === null) return null
  const { id8, n, to } = wanted
  if (n === null) return entriesAround(store, id8, 0, Number.POSITIVE_INFINITY, 0)
  return entriesAround(store, id8, n, (to ?? n) + 1, context)
}

/** `to` is exclusive; includes `context` more entries on both sides. */
function entriesAround(store: Store, id8: string, from: number, to: number, context: number): LookedUp | null {
  const own = findSessionFile(store, id8)
  const file = own ?? allSessionFiles(store.places.others).find((name) => id8OfFile(name) === id8)
  if (file === undefined) return null
  const entries = readSession(own === null ? { ...store, dir: store.places.others } : store, file)
  const sender = own === null ? senderOf(store.places, file) : ''
  const of = sender === '' ? '' : ` of ${sender}`
  const has = `Session ${id8}${of} has ${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}, numbered from 0`
  if (from >= entries.length) return { title: `${has}; there is no #${from}.`, parts: [], source: null }
  const first = Math.max(0, from - context)
  const parts = entries.slice(first, to + context).map((entry, i) => {
    const part = partOf(entryId(id8, first + i), entry)
    return { ...part, kind: part.kind + of }
  })
  return { title: `${has}; these are #${first} to #${first + parts.length - 1}`, parts, source: null }
}

function partOf(id: string, entry: Entry | Tombstone): FoundPart {
  if (entry.role === 'tombstone') return { id, at: '', kind: 'removed', text: '' }
  const { ts: at } = entry
  const who =
    entry.role === 'subagent'
      ? `subagent ${entry.agent}`
      : entry.role === 'teammate'
        ? `message from ${entry.from}`
        : ''
  if ('text' in entry) return { id, at, kind: who || SPOKEN[entry.role] + viaOf(entry), text: entry.text }
  const kind = `${who === '' ? 'tool' : `${who}, tool`} ${entry.name} (${outcomeOf(entry)})`
  return { id, at, kind, text: entry.output ? `${entry.cmd}\n${entry.output}` : entry.cmd }
}

const SPOKEN: Readonly<Record<string, string>> = { user: 'prompt', assistant: 'answer', summary: 'compaction' }

function viaOf(entry: Entry): string {
  if (entry.role !== 'user') return ''
  const way = whyNotUsers(entry) || (entry.via === undefined ? '' : `inside the result of ${entry.via}`)
  return way === '' ? '' : ` (${way})`
}

/** With the entries that prove it. */
function lookUpProven(store: Store, id: string, context: number): LookedUp | null {
  const known = lookUpKnowledge(store, id)
  if (known === null) return null
  const { proofs, parts, ...found } = known
  return { ...found, parts: [...parts, ...proofs.flatMap((one) => lookUpEntries(store, one, context)?.parts ?? [])] }
}

/** The content of a whole file: a session's summary, a page, memory.md, an archive. */
function lookUpFile(store: Store, id: string): LookedUp | null {
  const session = /^S:([0-9a-z]{8})$/i.exec(id)?.[1]?.toLowerCase()
  if (session !== undefined) return lookUpSummary(store, session)
  const name = /^page:([^#]+)$/i.exec(id)?.[1]
  if (name !== undefined) {
    const page = readPage(store, name)
    const part = page === null ? null : { id: `page:${page.name}`, at: '', kind: 'page', text: page.text }
    return part === null ? null : { title: `Page ${page?.name}`, parts: [part], source: null }
  }
  if (id === MEMORY_FILE || isArchiveFile(id)) {
    const text = id === MEMORY_FILE ? readMemory(store) : readArchive(store, id)
    return text === null || text === '' ? null : { title: id, parts: notesOf(id, text), source: null }
  }
  return null
}

function notesOf(file: string, text: string): FoundPart[] {
  return parseMemory(text).map(({ raw, note }) =>
    note === null
      ? { id: file, at: '', kind: 'text', text: raw.trim() }
      : { id: note.id, at: note.at, kind: 'note', text: note.text },
  )
}

function lookUpSummary(store: Store, id8: string): LookedUp | null {
  const file = findSessionFile(store, id8)
  if (file === null) return null
  const text = readOwnText(path.join(store.dir, SESSIONS_DIR, sessionSummaryFile(file)))
  const at = readSession(store, file).find((entry): entry is Entry => entry.role !== 'tombstone')?.ts ?? ''
  const title = `Summary of session ${id8}`
  const source = `Its entries: ${id8}.`
  if (text !== null)
    return { title, parts: [{ id: `S:${id8}`, at, kind: 'session', text: summaryWords(text) }], source }
  const block = tierBlock(store, id8)
  if (block === null) return { title: `${title}: it has none yet`, parts: [], source }
  return { title: `${title}, from its week or month`, parts: [partOfUnit(block)], source }
}

/** The tier block that contains an old session's summary. */
function tierBlock(store: Store, id8: string): Unit | null {
  for (const source of listSources(store)) {
    if (source.isLog || periodOf(source.path.slice(`${SESSIONS_DIR}/`.length)) === null) continue
    const block = readUnits(source)?.find(({ id }) => id.endsWith(`#${id8}`))
    if (block !== undefined) return block
  }
  return null
}

/** A section of a file, or all of them by the file's name; neighbours are in the same file. */
function lookUpSection(store: Store, id: string, context: number): LookedUp | null {
  if (id === '') return null
  for (const source of listSources(store)) {
    if (source.isLog) continue
    const units = readUnits(source) ?? []
    const at = units.findIndex((unit) => unit.id === id)
    const about = units[at]?.about ?? ''
    const from = Math.max(0, at - context)
    const found = at < 0 ? units.filter((unit) => unit.id.startsWith(`${id}#`)) : units.slice(from, at + context + 1)
    if (found.length === 0) continue
    const covered = about === '' ? null : `It covers the entries L1:${about}.`
    const who = ownerInId(id)
    return {
      title: who === null ? `${id} in ${source.path}` : `${id}, what ${who} remembers`,
      parts: found.map(partOfUnit),
      source: covered,
    }
  }
  return null
}

function partOfUnit({ id, at, kind, state, text }: Unit): FoundPart {
  return { id, at, kind: state === '' || state === 'fresh' ? kind : `${kind}, ${state}`, text }
}
