/** The record of forgotten entries (`forgotten.jsonl`): fingerprints only, so that the entries do not come back and no word of them is stored. */

import { isObject, parseObject, textOr, texts } from '../platform/json.ts'
import { fingerprint, fingerprintOfWords } from '../text/fingerprint.ts'
import { foldedWords, lineSentences } from '../text/repeated.ts'
import { type Entry, entryKey, spokenIn, type Tombstone } from '../transcript/session.ts'

/** A queued prompt or an announced answer gets its own line at most this much later. */
const LATE_MS = 3_600_000
/** The conversation in which `forget` was requested continues for at most this long. */
const TALK_MS = 300_000

/** One line: what one `forget` deleted. */
export interface ForgetRecord {
  at: string
  /** The keys of entries. */
  keys?: string[]
  /** Entries that were still open in a session: their lines come later, with another time and the same words. */
  open?: { session: string; words: string[] }[]
  /** Sentences that no fact and no rule may contain again, unless somebody says them again later. */
  said?: string[]
  /** The query: entries that contain these words in a row are also deleted if they are older, or part of the conversation about it. */
  asked?: { mark: string; words: number }
  /** Sessions that were active at that time. */
  live?: string[]
  /** The same entries identified without their words, which another version may read differently: see `placeKeys`. */
  places?: string[]
  /** Sessions (id8) that were deleted completely. */
  whole?: string[]
  /** Sessions (id8) whose whole transcript must no longer be backed up. */
  raw?: string[]
}

export interface Forgotten {
  keys: ReadonlySet<string>
  /** By session, with the time: the same words much later are new. */
  open: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** With the time up to which a sentence counts as forgotten; later it counts as new. */
  said: ReadonlyMap<string, string>
  asked: readonly Asked[]
  places: ReadonlySet<string>
  /** By session (id8), with the time: later entries are new. */
  whole: ReadonlyMap<string, string>
  /** Sessions (id8) with forgotten entries. */
  raw: ReadonlySet<string>
}

interface Asked {
  mark: string
  words: number
  at: string
  live: readonly string[]
}

export const NOTHING_FORGOTTEN: Forgotten = {
  keys: new Set(),
  open: new Map(),
  said: new Map(),
  asked: [],
  places: new Set(),
  whole: new Map(),
  raw: new Set(),
}

export function formatRecord(record: ForgetRecord): string {
  return `${JSON.stringify({ version: 1, ...record })}\n`
}

/** Merges several files; lines may occur in more than one. An incomplete line is ignored. */
export function parseRecords(all: readonly string[]): Forgotten {
  const keys = new Set<string>()
  const open = new Map<string, Map<string, string>>()
  const said = new Map<string, string>()
  const raw = new Set<string>()
  const asked: Asked[] = []
  const places = new Set<string>()
  const whole = new Map<string, string>()
  for (const line of all.flatMap((text) => text.split('\n'))) {
    const record = line === '' ? null : parseObject(line)
    if (record === null) continue
    const at = textOr(record.at, '')
    for (const key of texts(record.keys)) keys.add(key)
    for (const place of texts(record.places)) places.add(place)
    for (const id8 of texts(record.whole)) if ((whole.get(id8) ?? '') < at) whole.set(id8, at)
    for (const id8 of texts(record.raw)) raw.add(id8)
    if (isObject(record.asked) && typeof record.asked.mark === 'string' && typeof record.asked.words === 'number')
      asked.push({ mark: record.asked.mark, words: record.asked.words, at, live: texts(record.live) })
    for (const mark of texts(record.said)) if ((said.get(mark) ?? '') < at) said.set(mark, at)
    for (const one of Array.isArray(record.open) ? record.open : []) {
      if (!isObject(one) || typeof one.session !== 'string') continue
      const words = open.get(one.session) ?? new Map<string, string>()
      for (const mark of texts(one.words)) words.set(mark, at)
      open.set(one.session, words)
    }
  }
  return { keys, open, said, asked, places, whole, raw }
}

/** The mark of a sentence, ignoring punctuation and spaces; empty if the sentence is too short to identify. */
export function markOfSaid(sentence: string): string {
  const words = foldedWords(sentence).join(' ')
  return words.length < 4 ? '' : fingerprint(`said ${words}`)
}

/** The marks of a text as a whole and of each of its sentences. */
export function marksOfSaid(text: string): string[] {
  return [...new Set([text, ...lineSentences(text)].map(markOfSaid))].filter((mark) => mark !== '')
}

/** The sentences of an entry that overlap a quote: a quote may be part of a sentence. */
export function sentencesAround(text: string, quote: string): string[] {
  const wanted = foldedWords(quote).join(' ')
  if (wanted === '') return []
  return lineSentences(text).filter((sentence) => {
    const said = foldedWords(sentence).join(' ')
    return said !== '' && (said.includes(wanted) || wanted.includes(said))
  })
}

/** The mark of an open entry. */
export function markOfOpen(entry: Entry): string {
  return fingerprintOfWords('text' in entry ? entry.text : `${entry.name} ${entry.cmd}`)
}

/** The mark of words in a row; null: there are no words. */
export function markOfAsked(query: string): { mark: string; words: number } | null {
  const words = foldedWords(query)
  return words.length === 0 ? null : { mark: fingerprint(`asked ${words.join(' ')}`), words: words.length }
}

export function hasAsked(text: string, { mark, words }: Pick<Asked, 'mark' | 'words'>): boolean {
  const tokens = foldedWords(text)
  for (let i = 0; i + words <= tokens.length; i++)
    if (fingerprint(`asked ${tokens.slice(i, i + words).join(' ')}`) === mark) return true
  return false
}

/** A call of `forget` by Claude: its command and preview repeat the forgotten text. */
function isForgetting(entry: Entry): boolean {
  if (!('name' in entry) || entry.cmd.length > MOST_COMMAND || !entry.cmd.includes('forget')) return false
  const line = entry.cmd
    .replace(/\\\r?\n/g, ' ')
    .replace(QUOTED, (quoted) => (/\s/.test(quoted) ? 'quoted' : quoted.slice(1, -1)))
  return FORGET_COMMAND.test(line)
}

/** A longer command is a script. */
const MOST_COMMAND = 4000
const QUOTED = /"[^"]*"|'[^']*'/g
/** At the beginning of a simple command; an option's value may precede it: --cwd /app forget. */
const FORGET_COMMAND =
  /(?:^|[\n;&|(){}])[^\S\n]*(?:(?:[A-Za-z_]\w*=\S*|-\S*|node|npx|env|sudo|time|exec|command|nohup) +){0,9}(?:[^\s;&|]*[\\/])?(?:memory-keeper(?:\.cmd)?|cli\.cjs) +(?:(?:-\S+ +){1,9}(?:[^\s-]\S* +)?)?(?:skill +)?forget(?:\s|$)/

function isUntil(ts: string, at: string, ms: number): boolean {
  return !(Date.parse(ts) > Date.parse(at) + ms)
}

/** Older than the request, or part of the conversation about it. */
function isAskedFor(entry: Entry, session: string, one: Asked): boolean {
  const isTalk = one.live.some((live) => live.slice(0, 8) === session.slice(0, 8))
  return isUntil(entry.ts, one.at, isTalk ? TALK_MS : 0) && hasAsked(spokenIn(entry), one)
}

/** The key of each entry by session, role and time; a second entry at the same time gets another key. A tombstone has none. */
export function placeKeys(entries: readonly (Entry | Tombstone)[], session: string): (string | null)[] {
  const times = new Map<string, number>()
  return entries.map((entry) => {
    if (entry.role === 'tombstone') return null
    const whose = entry.role === 'subagent' ? entry.agent : ''
    const place = `${session.slice(0, 8).toLowerCase()}|${entry.role}|${whose}|${entry.ts}`
    const nth = times.get(place) ?? 0
    times.set(place, nth + 1)
    return fingerprint(`place ${place}|${nth}`)
  })
}

/** Replaces forgotten entries by tombstones with their number and key. `from`: the number of the first entry. */
export function withTombstones(
  entries: readonly (Entry | Tombstone)[],
  session: string,
  from: number,
  { keys, open, asked, places, whole }: Forgotten,
): (Entry | Tombstone)[] {
  const words = open.get(session)
  const until = whole.get(session.slice(0, 8).toLowerCase())
  const isNothing = keys.size === 0 && words === undefined && asked.length === 0
  const placed = isNothing || places.size === 0 ? [] : placeKeys(entries, session)
  const isWaiting = (entry: Entry): boolean => {
    const at = words?.get(markOfOpen(entry))
    return at !== undefined && isUntil(entry.ts, at, LATE_MS)
  }
  return entries.map((entry, i) => {
    // The usual case, for every entry of an import: no key is computed.
    if (entry.role === 'tombstone' || (isNothing && !isForgetting(entry))) return entry
    const key = entryKey(entry)
    const isForgotten =
      keys.has(key) ||
      places.has(placed[i] ?? '') ||
      (until !== undefined && isUntil(entry.ts, until, 0)) ||
      isForgetting(entry) ||
      isWaiting(entry) ||
      asked.some((one) => isAskedFor(entry, session, one))
    return isForgotten ? { role: 'tombstone', n: from + i, key } : entry
  })
}
