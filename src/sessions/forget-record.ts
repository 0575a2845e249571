/** What was forgotten (`forgotten.jsonl`), by fingerprint: it must not come back, and no word of it is kept. */

import { isObject, parseObject, textOr, texts } from '../platform/json.ts'
import { fingerprint, fingerprintOfWords } from '../text/fingerprint.ts'
import { foldedWords, lineSentences } from '../text/repeated.ts'
import { type Entry, entryKey, spokenIn, type Tombstone } from '../transcript/session.ts'

/** A prompt in the queue, or an answer that was announced, gets its own line so much later at most. */
const LATE_MS = 3_600_000
/** The talk in which it was asked for goes on so long. */
const TALK_MS = 300_000

/** One line: what one `forget` took. */
export interface ForgetRecord {
  at: string
  /** Entries, by their keys. */
  keys?: string[]
  /** What was still open in a session: its line comes later, at another time, in the same words. */
  open?: { session: string; words: string[] }[]
  /** Sentences that no fact and no instruction may say again, unless they are said anew. */
  said?: string[]
  /** Words in a row that were asked for: what holds them and was said before, or in the talk about it, stays away too. */
  asked?: { mark: string; words: number }
  /** Sessions that went on while it was asked for. */
  live?: string[]
  /** The same entries without their words, which may be read otherwise by then: see `placeKeys`. */
  places?: string[]
  /** Sessions (id8) of which nothing was to stay. */
  whole?: string[]
  /** Sessions (id8) whose whole transcript is not backed up any more. */
  raw?: string[]
}

export interface Forgotten {
  keys: ReadonlySet<string>
  /** By session, with the time: said long after it, the same words are new ones. */
  open: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** With the time up to which it holds: who says it later says it anew. */
  said: ReadonlyMap<string, string>
  asked: readonly Asked[]
  places: ReadonlySet<string>
  /** By session (id8), with the time: what is said later is said anew. */
  whole: ReadonlyMap<string, string>
  /** Sessions (id8) of which something was forgotten. */
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

/** From several files, each line once or more; half a line says nothing. */
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

/** The mark of a sentence, whatever its signs and spaces; empty for one that says too little to be known by. */
export function markOfSaid(sentence: string): string {
  const words = foldedWords(sentence).join(' ')
  return words.length < 4 ? '' : fingerprint(`said ${words}`)
}

/** The marks of a text as a whole and of each of its sentences. */
export function marksOfSaid(text: string): string[] {
  return [...new Set([text, ...lineSentences(text)].map(markOfSaid))].filter((mark) => mark !== '')
}

/** The sentences of an entry that a quote reaches into: a quote may be a part of one. */
export function sentencesAround(text: string, quote: string): string[] {
  const wanted = foldedWords(quote).join(' ')
  if (wanted === '') return []
  return lineSentences(text).filter((sentence) => {
    const said = foldedWords(sentence).join(' ')
    return said !== '' && (said.includes(wanted) || wanted.includes(said))
  })
}

/** Of an entry that is still open. */
export function markOfOpen(entry: Entry): string {
  return fingerprintOfWords('text' in entry ? entry.text : `${entry.name} ${entry.cmd}`)
}

/** The mark of words in a row; null: there are none. */
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

/** Claude looks what would go, and has it forgotten: the list says all of it once more. */
function isForgetting(entry: Entry): boolean {
  if (!('name' in entry) || entry.cmd.length > MOST_COMMAND || !entry.cmd.includes('forget')) return false
  const line = entry.cmd
    .replace(/\\\r?\n/g, ' ')
    .replace(QUOTED, (quoted) => (/\s/.test(quoted) ? 'quoted' : quoted.slice(1, -1)))
  return FORGET_COMMAND.test(line)
}

/** So long a command is a script. */
const MOST_COMMAND = 4000
const QUOTED = /"[^"]*"|'[^']*'/g
/** At the beginning of a simple command; an option's value may stand before it: --cwd /app forget. */
const FORGET_COMMAND =
  /(?:^|[\n;&|(){}])[^\S\n]*(?:(?:[A-Za-z_]\w*=\S*|-\S*|node|npx|env|sudo|time|exec|command|nohup) +){0,9}(?:[^\s;&|]*[\\/])?(?:memory-keeper(?:\.cmd)?|cli\.cjs) +(?:(?:-\S+ +){1,9}(?:[^\s-]\S* +)?)?(?:skill +)?forget(?:\s|$)/

function isUntil(ts: string, at: string, ms: number): boolean {
  return !(Date.parse(ts) > Date.parse(at) + ms)
}

/** Said before it was asked for, or in the talk about it. */
function isAskedFor(entry: Entry, session: string, one: Asked): boolean {
  const isTalk = one.live.some((live) => live.slice(0, 8) === session.slice(0, 8))
  return isUntil(entry.ts, one.at, isTalk ? TALK_MS : 0) && hasAsked(spokenIn(entry), one)
}

/** Each entry by session, role and time; the second one at the same time has another key. A tombstone has none. */
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

/** What was forgotten leaves its number and its key when it comes again; `from`: the number of the first one. */
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
    // The usual case, for every entry of an import: no key is needed.
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
