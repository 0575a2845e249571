/** A note id exists once, and a range of a session is noted once, in memory.md and its archives together: finds the copies that go. */
import { fingerprintOfNote, type Note, type NoteBlock, parseMemory } from '../../kernel/memory/note.ts'
import { withoutCarried } from './rotation.ts'

/** One file with notes: an archive or memory.md. */
export interface NoteFile {
  file: string
  text: string
}

interface Placed {
  file: string
  block: NoteBlock
  note: Note
  at: number
}

/**
 * The files that change when every note exists once. `files`: oldest first. Of two notes with one id the one that a person or a model
 * wrote stays, else the newer one: an edit happens in memory.md, which is newer than every archive. Copies with the same words stay
 * where they were first. A note as code wrote it, or one with the same words, also goes if other notes of its session cover all its
 * entries: an earlier version does not know settled sessions and notes them again.
 */
export function withoutDoubles(given: readonly NoteFile[]): NoteFile[] {
  const [memory, archive] = given.toReversed()
  const files =
    memory === undefined || archive === undefined
      ? given
      : [...given.slice(0, -1), { ...memory, text: withoutCarried(memory.text, archive.text) }]
  const kept = keptBlocks(files)
  return files.flatMap(({ file, text }, i) => {
    const rest = parseMemory(text).filter(({ note }, n) => note === null || kept.has(`${file} ${n}`))
    const left = rest.map(({ raw }) => raw).join('')
    return left === given[i]?.text ? [] : [{ file, text: left }]
  })
}

/** How many notes are doubles: of an id, or of entries that other notes cover. */
export function countDoubles(files: readonly NoteFile[]): number {
  return notesOf(files).length - keptBlocks(files).size
}

/** The notes that stay, by file and place in it. */
function keptBlocks(files: readonly NoteFile[]): Set<string> {
  const groups = new Map<string, Placed[]>()
  for (const one of notesOf(files)) {
    const group = groups.get(one.note.session ?? one.note.id)
    if (group === undefined) groups.set(one.note.session ?? one.note.id, [one])
    else group.push(one)
  }
  const kept = [...groups.values()].flatMap((group) => (isInRow(group) ? group : withoutCovered(group)))
  return new Set(kept.map(({ file, at }) => `${file} ${at}`))
}

/** Each note begins where one before it ended, as they are written: nearly always, and cheaper than comparing their words. */
function isInRow(group: readonly Placed[]): boolean {
  return group.every(({ note }, n) => n === 0 || note.from >= (group[n - 1]?.note.to ?? 0)) && hasOneOfEachId(group)
}

function hasOneOfEachId(group: readonly Placed[]): boolean {
  return group.length === 1 || new Set(group.map(({ note }) => note.id)).size === group.length
}

/** Of one session, or copies of one note about none. */
function withoutCovered(group: readonly Placed[]): Placed[] {
  const kept: Placed[] = []
  for (const one of oneOfEachId(group)) {
    const others = one.note.session === null ? [] : kept.map(({ note }) => note)
    if (!isCovered(one.note, others)) kept.push(one)
  }
  return kept
}

function notesOf(files: readonly NoteFile[]): Placed[] {
  return files.flatMap(({ file, text }) =>
    parseMemory(text).flatMap((block, at) => (block.note === null ? [] : [{ file, block, note: block.note, at }])),
  )
}

/** Those that may not go first, and of these the ones about more entries. */
function oneOfEachId(all: readonly Placed[]): Placed[] {
  const copies = new Map<string, Placed[]>()
  for (const one of all) copies.set(one.note.id, [...(copies.get(one.note.id) ?? []), one])
  const ones = [...copies.values()].flatMap((same) => {
    const best = same.toReversed().toSorted((a, b) => standing(b.note) - standing(a.note))[0]
    const first = same.find(({ block }) => block.raw.trim() === best?.block.raw.trim())
    return first === undefined ? [] : [first]
  })
  return ones.toSorted(
    ({ note: a }, { note: b }) =>
      standing(b) - standing(a) || b.to - b.from - (a.to - a.from) || (a.id < b.id ? -1 : 1),
  )
}

/** Higher: more would be lost with it. A note of code without a fingerprint (before 0.6) may have been edited. */
export function standing(note: Note): number {
  if (isAsWritten(note)) return 0
  return note.author === 'extractive' && note.fingerprint === undefined ? 1 : note.unaudited === true ? 2 : 3
}

function isAsWritten({ author, fingerprint, text }: Note): boolean {
  return author === 'extractive' && fingerprint === fingerprintOfNote(text)
}

function isCovered(note: Note, others: readonly Note[]): boolean {
  const words = fingerprintOfNote(note.text)
  const mayGo = isAsWritten(note) || others.some(({ text }) => fingerprintOfNote(text) === words)
  if (!mayGo || note.to <= note.from) return false
  let at = note.from
  for (const { from, to } of others.toSorted((a, b) => a.from - b.from)) if (from <= at && to > at) at = to
  return at >= note.to
}
