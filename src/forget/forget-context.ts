/** What is being forgotten, as every layer asks about it. */

import type { SessionFact } from '../knowledge/session-facts.ts'
import type { Note } from '../memory/note.ts'
import type { SaidTest } from '../outgoing/forget-cut.ts'
import type { Numbered } from '../sessions/digest-types.ts'
import { type Entry, entryKey, formatEntry, parseEntry, spokenIn, type Tombstone } from '../transcript/session.ts'

export interface Forgetting {
  /** Whether an entry goes, by its session's id8 and its number. */
  isGone(id8: string, n: number): boolean
  /** Of these sessions something goes. */
  sessions: ReadonlySet<string>
  /** Of these nothing stays. */
  whole: ReadonlySet<string>
  /** Things that go by their id: d001, n-…, page:…; in lower case. */
  ids: ReadonlySet<string>
  /** Whether a text says any of it. */
  isSaid: SaidTest
  /** Whether a line of a receipt or of a log repeats it: a word alone may have come from elsewhere. */
  isTold: SaidTest
  /** Whether somebody's own text says one of its sentences, whole, or what was asked for in words. */
  isSaidByHand: SaidTest
  /** Ids, in lower case, of what is known only by what goes: facts, rules, instructions, notes. */
  lost: ReadonlySet<string>
  /** Whether an entry itself says what was asked for; only a query reaches into sessions by words. */
  isAsked: SaidTest
  /** Entries of a session that stay, and what a model or code took from them. */
  left(id8: string): readonly Numbered[]
  factsOf(id8: string): readonly SessionFact[]
  /** Notes of a session that tell of nothing that goes. */
  notesOf(id8: string): readonly Note[]
}

/** Something that goes, or is written anew without it. */
export interface Gone {
  id: string
  kind: string
  /** A part of what goes. */
  text: string
}

/** Null: the file goes as a whole. The same text: nothing in it changes. */
export interface Outcome {
  text: string | null
  gone: Gone[]
}

export function unchanged(text: string): Outcome {
  return { text, gone: [] }
}

export function isTouched(about: Forgetting, id8: string, from: number, to: number): boolean {
  if (!about.sessions.has(id8)) return false
  for (let n = from; n < to; n++) if (about.isGone(id8, n)) return true
  return false
}

/** A session file: what goes leaves its number and its key. All other lines stay byte for byte. */
export function forgetEntries(id8: string, text: string, about: Forgetting): Outcome {
  const gone: Gone[] = []
  const lines = text.split('\n')
  let number = 0
  const left = lines.map((line, i) => {
    const entry = i < lines.length - 1 ? parseEntry(line) : null
    // Half a line, or none of ours: it has no number, and only its words tell.
    if (entry === null) return about.isAsked(line) ? '' : line
    const n = number++
    if (entry.role === 'tombstone' || !(about.isGone(id8, n) || about.isAsked(spokenIn(entry)))) return line
    gone.push({ id: `L1:${id8}#${n}`, kind: kindOf(entry), text: spokenIn(entry) })
    return formatEntry(tombstoneOf(entry, n)).trimEnd()
  })
  return { text: gone.length === 0 && left.every((line, i) => line === lines[i]) ? text : left.join('\n'), gone }
}

function tombstoneOf(entry: Entry, n: number): Tombstone {
  return { role: 'tombstone', n, key: entryKey(entry) }
}

function kindOf(entry: Entry): string {
  if (entry.role === 'user') return 'prompt'
  if (entry.role === 'assistant') return 'answer'
  return entry.role === 'summary' ? 'compaction' : entry.role
}
