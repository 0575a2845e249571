/** Sessions of any size in words of our own: made up from a seed, so frequent and rare as words of a language are, an eighth of them Korean. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { SESSIONS_DIR, sessionFile } from '../../src/kernel/platform/layout.ts'
import { type Entry, formatEntry, parseSession, spokenIn } from '../../src/kernel/transcript/session.ts'
import type { Place } from './corpus.ts'
import { createRandom } from './random.ts'

const WORDS = 30_000
/** As if the commonest words were stop words: the first one stands in an eighth of the entries. */
const SKIPPED = 50
const KOREAN = 0.12
const CHARS = 300
const ENTRIES_PER_SESSION = 200
const BEGAN = Date.UTC(2024, 0, 1)
const HOUR_MS = 3_600_000
const SMALL_WORDS = 'the of to and in is it we for on that with was this as be at by from are'.split(' ')
/** As many as are in common use, of the 11,172 that can be written. */
const SYLLABLES = 620
const PARTICLES = ['을', '를', '이', '가', '은', '는', '에', '의', '로', '']
/** How often a word is one of the small ones, and how often it is one that usually follows the last. */
const SMALL = 0.35
const FOLLOWING = 0.4

export interface Generated {
  /** Bytes of the session files. */
  bytes: number
  files: string[]
  /** Questions of three to five words, all from one entry. */
  queries: string[]
  /** All texts again. */
  texts(): Iterable<string>
  /** More entries of the same kind. */
  turn(): string
}

/** Fills the memory with so many entries. */
export function generate({ store }: Pick<Place, 'store'>, entries: number, queries: number): Generated {
  const random = createRandom(entries)
  const speak = createSpeaker(random)
  const dir = path.join(store.dir, SESSIONS_DIR)
  mkdirSync(dir, { recursive: true })
  const made: Generated = { bytes: 0, files: [], queries: [], texts: () => textsIn(made.files), turn: () => '' }
  const every = Math.max(1, Math.floor(entries / queries))
  for (let first = 0, n = 0; first < entries; first += ENTRIES_PER_SESSION, n++) {
    const began = BEGAN + (n * HOUR_MS) / 2
    const lines: string[] = []
    for (let i = first; i < Math.min(entries, first + ENTRIES_PER_SESSION); i++) {
      const words = speak()
      if (i % every === 0) made.queries.push(asked(words, random))
      lines.push(formatEntry(entryOf(i - first, words, began)))
    }
    const file = path.join(dir, sessionFile(new Date(began).toISOString(), (0x10000000 + n).toString(16)))
    const text = lines.join('')
    writeFileSync(file, text)
    made.files.push(file)
    made.bytes += Buffer.byteLength(text)
  }
  let later = 0
  made.turn = () => {
    const at = Date.UTC(2026, 0, 1) + later++ * HOUR_MS
    return [0, 1, 2, 3].map((i) => formatEntry(entryOf(i, speak(), at))).join('')
  }
  return made
}

function* textsIn(files: readonly string[]): Generator<string> {
  for (const file of files) for (const entry of parseSession(readFileSync(file, 'utf8')).entries) yield spokenIn(entry)
}

/** A turn: a prompt, two tool uses, an answer. */
function entryOf(n: number, words: readonly string[], began: number): Entry {
  const ts = new Date(began + n * 5_000).toISOString()
  const text = words.join(' ')
  if (n % 4 === 0) return { role: 'user', ts, text }
  if (n % 4 === 3) return { role: 'assistant', ts, text }
  return {
    role: 'tool',
    ts,
    name: 'Bash',
    cmd: words.slice(0, 6).join(' '),
    ok: true,
    output: words.slice(6).join(' '),
  }
}

/** Words for one entry. */
export function createSpeaker(random: () => number): () => string[] {
  const english = Array.from({ length: WORDS }, () => syllables(random))
  const korean = Array.from({ length: WORDS }, () => hangul(random))
  return () => {
    const isKorean = random() < KOREAN
    const words: string[] = []
    let rank = 0
    for (let length = 0; length < (isKorean ? CHARS / 2 : CHARS); length += (words.at(-1)?.length ?? 0) + 1) {
      if (!isKorean && random() < SMALL) words.push(pick(SMALL_WORDS, random))
      else {
        rank = rankAt(random() < FOLLOWING ? followerOf(rank, random) : random())
        words.push(isKorean ? (korean[rank] ?? '') + pick(PARTICLES, random) : (english[rank] ?? ''))
      }
    }
    return words
  }
}

/** The n-th word of a language is about n times as rare as the first. */
function rankAt(share: number): number {
  return Math.floor(SKIPPED * ((WORDS + SKIPPED) / SKIPPED) ** share) - SKIPPED
}

/** One of three words that go with this one. */
function followerOf(rank: number, random: () => number): number {
  return (((rank + 1) * 7919 + Math.floor(random() * 3) * 104_729) % 10_007) / 10_007
}

function asked(words: readonly string[], random: () => number): string {
  const telling = words.filter((word) => !SMALL_WORDS.includes(word))
  return Array.from({ length: 3 + Math.floor(random() * 3) }, () => pick(telling, random)).join(' ')
}

function syllables(random: () => number): string {
  let word = ''
  for (let n = 2 + Math.floor(random() * 3); n > 0; n--)
    word += pick([...'bdfgklmnprstvz'], random) + pick([...'aeiou'], random)
  return word + pick(['', 'n', 'r', 's', 't', 'l'], random)
}

function hangul(random: () => number): string {
  let word = ''
  for (let n = 2 + Math.floor(random() * 2); n > 0; n--)
    word += String.fromCharCode(0xac00 + 18 * Math.floor(random() * SYLLABLES))
  return word
}

function pick<T>(from: readonly T[], random: () => number): T {
  return from[Math.floor(random() * from.length)] as T
}
