/** Filters files that arrive from elsewhere (a bundle, another version): removes what was forgotten here. */
import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import type { Forgetting } from '../../../kernel/memory/forgetting.ts'
import { readOwnText } from '../../../kernel/platform/disk/files.ts'
import { CONFIG_FILE, FORGOTTEN_FILE, id8OfFile, STATE_FILE } from '../../../kernel/platform/layout.ts'
import { allSessionFiles, readSessionText, unpackedName } from '../../../kernel/sessions/disk/session-archive.ts'
import { readForgotten, tombstonesIn } from '../../../kernel/sessions/disk/tombstones.ts'
import { type Forgotten, hasAsked, markOfSaid } from '../../../kernel/sessions/forget-record.ts'
import { lineSentences } from '../../../kernel/text/repeated.ts'
import { type Numbered, parseSession } from '../../../kernel/transcript/session.ts'
import { leftOfFile, type MemoryFile } from '../../files.ts'
import { remadeNote } from '../../notes/note-check.ts'

/** For files that another version or another memory is about to write. */
export function withoutForgottenFiles(store: Store, files: readonly MemoryFile[]): MemoryFile[] {
  const cut = cutterFor(store, files)
  return files.flatMap((file) => {
    const text = cut(file)
    return text === null ? [] : [{ ...file, text }]
  })
}

/** Returns what stays of each file; null: the file is dropped. Entries said again since then, which the memory already contains, stay. */
function cutterFor(store: Store, files: readonly MemoryFile[]): (file: MemoryFile) => string | null {
  const forgotten = readForgotten(store)
  const { keys, said, open, whole, asked } = forgotten
  if (keys.size + said.size + open.size + whole.size + asked.length === 0) return ({ text }) => text
  const sessions = sessionsIn(store, files, forgotten)
  const texts = new Map(files.map(({ path: name, text }) => [name, text]))
  const around = { textOf: (name: string) => texts.get(name) ?? null, timezone: store.config.timezone }
  return ({ path: name, text }) => {
    const session = sessionOf(name)
    if (session !== null) return tombstonesIn(text, session, forgotten)
    if ([STATE_FILE, FORGOTTEN_FILE, CONFIG_FILE].includes(name)) return text
    const there = readOwnText(path.join(store.dir, name)) ?? ''
    return leftOfFile(name, text, around, aboutOf(forgotten, sessions, there)).text
  }
}

interface Session {
  gone: Set<number>
  left: Numbered[]
}

/** The forgotten entries of each session, by number: from these files, else from the memory. */
function sessionsIn(store: Store, files: readonly MemoryFile[], forgotten: Forgotten): Map<string, Session> {
  const sessions = new Map<string, Session>()
  const take = (id8: string, text: string, known: string): void => {
    const before = parseSession(known).entries
    const entries = parseSession(text).entries.map((entry, n) => ({ n, entry }))
    const isGone = ({ n, entry }: Numbered): boolean =>
      entry.role === 'tombstone' && (known === text || before[n]?.role !== 'tombstone')
    const gone = new Set(entries.filter(isGone).map(({ n }) => n))
    if (gone.size > 0) sessions.set(id8, { gone, left: entries.filter(({ n }) => !gone.has(n)) })
  }
  const given = files.flatMap((file) => sessionOf(file.path) ?? [])
  for (const { path: name, text } of files) {
    const id8 = sessionOf(name)
    if (id8 !== null) take(id8, tombstonesIn(text, id8, forgotten), text)
  }
  for (const name of allSessionFiles(store.dir)) {
    const id8 = id8OfFile(name) ?? ''
    const text = given.includes(id8) || !forgotten.raw.has(id8) ? '' : (readSessionText(store.dir, name) ?? '')
    take(id8, text, text)
  }
  return sessions
}

function sessionOf(name: string): string | null {
  const base = path.basename(name)
  return id8OfFile(unpackedName(base) ?? base)
}

function aboutOf({ said, asked }: Forgotten, sessions: Map<string, Session>, there: string): Forgetting {
  const repeats = (text: string): boolean =>
    [text, ...lineSentences(text)].some((one, i) => {
      const isForgotten = said.has(markOfSaid(one)) || (i > 0 && asked.some((words) => hasAsked(one, words)))
      return isForgotten && !there.includes(one.trim())
    })
  const tests = { repeats, isRepeatedBy: repeats, traces: repeats }
  const emptied = [...sessions].flatMap(([id8, { left }]) => (left.length === 0 ? [id8] : []))
  return {
    isGone: (id8, n) => sessions.get(id8)?.gone.has(n) === true,
    sessions: new Set(sessions.keys()),
    whole: new Set(emptied),
    ids: new Set(),
    ...tests,
    from: () => tests,
    tracesOrCopies: repeats,
    isHere: () => false,
    entryAt: () => null,
    remade: (note) => remadeNote(note, sessions.get(note.session ?? '')?.left ?? []),
  }
}
