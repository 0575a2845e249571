/** Makes one note of the lines that people wrote into summaries, weeks and months. 0.6 kept them there; now these files are made again, and the facts of a session are, too. */

import path from 'node:path'
import { readFacts } from '../../../core/knowledge/disk/knowledge.ts'
import { allFacts } from '../../../core/knowledge/items.ts'
import { isSessionFacts } from '../../../core/knowledge/session-facts.ts'
import { noteFiles } from '../../../core/notes/disk/memory.ts'
import { addOwnNote } from '../../../core/notes/disk/notes.ts'
import { blockOf, handIn, hasItsSessions, sessionsIn } from '../../../core/notes/tier.ts'
import { COMMAND_WAIT_MS, type Store, sessionPath } from '../../../kernel/memory/disk/store.ts'
import { list, readOwnText } from '../../../kernel/platform/disk/files.ts'
import { asText, objects, parseObject } from '../../../kernel/platform/json.ts'
import { ARCHIVE_DIR, id8OfFile, SESSIONS_DIR, sessionFactsFile } from '../../../kernel/platform/layout.ts'
import { readSession } from '../../../kernel/sessions/disk/lineage.ts'
import { allSessionFiles } from '../../../kernel/sessions/disk/session-archive.ts'
import { escapedComments } from '../../../kernel/text/shorten.ts'
import { spokenIn } from '../../../kernel/transcript/session.ts'
import { BEFORE_07 } from '../files.ts'

/** A file with lines by hand. */
interface Written {
  /** Below `sessions/`. */
  name: string
  text: string
  hand: readonly string[]
}

/**
 * Copies the files, then writes the note, then deletes the files, which the finisher makes again. After a kill the same is done again: what
 * the note says is not said twice. Call it without the lock.
 */
export function takeOverRenders(store: Store, now: string): void {
  if (store.ownership === 'foreign') return
  const [files, extracted] = [filesByHand(store), extractedFacts(store)]
  if (files.length + extracted.length === 0) return
  const known = knownWords(store, files)
  store.whileLocked(COMMAND_WAIT_MS, () => {
    const isSame = ({ name, text }: Written): boolean => readBelow(store, name) === text
    const same = files.filter(isSame)
    const earlier = extracted.filter(isSame)
    for (const file of [...same, ...earlier.filter(({ hand }) => hand.length > 0)]) keepCopy(store, file)
    const text = noteOf(same, (line) => known.includes(words(line)) || wordsOfNotes(store).includes(words(line)))
    if (text !== null) addOwnNote(store, text, now, undefined, 'unknown')
    for (const { name } of [...same, ...earlier]) store.perform([{ do: 'remove', path: sessionPath(name) }])
  })
}

/** One that cannot be made again stays as it is. */
function filesByHand(store: Store): Written[] {
  const months = list(path.join(store.dir, SESSIONS_DIR, ARCHIVE_DIR)).map((name) => `${ARCHIVE_DIR}/${name}`)
  const here = new Set(allSessionFiles(store.dir).map(id8OfFile))
  return [...list(path.join(store.dir, SESSIONS_DIR)), ...months].flatMap((name): Written[] => {
    const text = name.endsWith('.md') ? readBelow(store, name) : null
    if (text === null || !hasItsSessions(name, text, (id8) => here.has(id8))) return []
    const hand = handIn(name, text)
    return hand.length === 0 ? [] : [{ name, text, hand }]
  })
}

/** The facts of a session as 0.6 extracted them, and in place of a line by hand each text that facts.json does not have. */
function extractedFacts(store: Store): Written[] {
  const here = new Set(allSessionFiles(store.dir).map(sessionFactsFile))
  const known = new Set(allFacts(readFacts(store)).map(({ text }) => text))
  return list(path.join(store.dir, SESSIONS_DIR)).flatMap((name): Written[] => {
    const text = here.has(name) ? readBelow(store, name) : null
    if (text === null || isSessionFacts(text)) return []
    const facts = parseObject(text)?.facts
    const texts = Array.isArray(facts) ? objects(facts).map((fact) => asText(fact.text)) : [text]
    return [{ name, text, hand: texts.filter((one) => !known.has(one)) }]
  })
}

function readBelow(store: Store, name: string): string | null {
  return readOwnText(path.join(store.dir, SESSIONS_DIR, name))
}

/** An earlier copy stays in it. */
function keepCopy(store: Store, { name, text }: Written): void {
  const copy = sessionPath(name + BEFORE_07)
  const before = readOwnText(path.join(store.dir, copy)) ?? ''
  if (!before.includes(text)) store.perform([{ do: 'write', path: copy, text: before + text }])
}

/** Null: every line occurs somewhere else. */
function noteOf(files: readonly Written[], isKnown: (line: string) => boolean): string | null {
  const told = new Set<string>()
  const parts = files.flatMap(({ name, hand }) => {
    const own = hand.filter((line) => words(line) !== '' && !told.has(line) && !isKnown(line))
    for (const line of own) told.add(line)
    return own.length === 0 ? [] : [`${SESSIONS_DIR}/${name}:`, ...own, '']
  })
  const head = 'These lines stood in files that are made by code. Nothing says who wrote them.'
  return parts.length === 0 ? null : [head, '', ...parts].join('\n').trim()
}

/** Everything that sessions, items and their renders say: a line of it is not a person's, whatever marks an earlier version left out. */
function knownWords(store: Store, files: readonly Written[]): string {
  const told = new Set(files.flatMap(({ name, text }) => sessionsIn(name, text)))
  const said = allSessionFiles(store.dir).flatMap((file) => {
    const id8 = id8OfFile(file) ?? ''
    if (!told.has(id8)) return []
    const entries = readSession(store, file)
    const lines = blockOf({ id8, at: '', entries, notes: [] })?.lines ?? []
    const spoken = entries.flatMap((entry) => (entry.role === 'tombstone' ? [] : [spokenIn(entry)]))
    return [...spoken, ...lines.map(({ text }) => text)]
  })
  const items = readFacts(store).list.map(({ text }) => text)
  return words([...said, ...items].join('\n'))
}

function wordsOfNotes(store: Store): string {
  return words(
    noteFiles(store)
      .map(({ text }) => text)
      .join('\n'),
  )
}

/** Without the day and the link of a line of ours, and without what a note escapes. */
function words(text: string): string {
  return escapedComments(text.replace(/^- \d{4}-\d\d-\d\d (.*) \[L1:[0-9a-z#]+\]$/gm, '$1'))
    .replace(/\\/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}
