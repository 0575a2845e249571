/** What an archive's notes tell, found by plain code: their themes, and the sentences that say most. */

import type { Note } from '../memory/note.ts'
import { compareText, dayOf, memoryWords, plainLines, shareOf, shortenTo, toldIn } from '../text/memory-words.ts'
import { splitSentences } from '../text/sentences.ts'
import { estimateTokens } from '../text/tokens.ts'

const OVERALL_TOKENS = 150
const CLAUSE_CHARS = 110
/** A day with its colon. */
const DAY_TOKENS = 7
const MAX_THEMES = 6
const MAX_FACTS = 12
const MAX_CHARS = 300
const MAX_NAME_CHARS = 60
/** More of its words in another sentence: it says the same. */
const SAME = 0.7

/** A sentence of a note. */
interface Telling {
  text: string
  /** What the line says it is (`Asked`, `Decided`), if it does. */
  label: string | null
  note: number
  words: Set<string>
}

export function tellingsOf(note: Note, index: number): Telling[] {
  return plainLines(note.text).flatMap((line) => {
    const label = note.author === 'extractive' ? (/^([A-Z][a-z]+(?: at)?): /.exec(line)?.[1] ?? null) : null
    const words = label === null ? line : line.slice(label.length + 2)
    // The goal comes first; what was asked behind it depends on talk that is not told.
    const sentences = splitSentences(label === 'Asked' ? (words.split(' Then: ')[0] ?? '') : words)
    return (label === 'Asked' ? sentences.slice(0, 1) : sentences)
      .filter((sentence) => !sentence.startsWith('('))
      .map((text) => ({ text, label, note: index, words: memoryWords(text) }))
  })
}

/** Period, then of each note in one clause what it was about, with its day; of too many notes some from the whole period. */
export function tellAll(notes: readonly Note[], tellings: readonly Telling[]): string {
  const period = periodOf(notes)
  const ranked = rank(tellings)
  const clauses = notes.flatMap((note, i) => clauseOf(note, i, tellings, ranked)).filter(isNews)
  const room = OVERALL_TOKENS - estimateTokens(period)
  const chosen = new Set<Clause>()
  let tokens = 0
  for (const clause of spread(clauses)) {
    const cost = estimateTokens(clause.text) + DAY_TOKENS
    if (tokens + cost > room) continue
    chosen.add(clause)
    tokens += cost
  }
  let before = ''
  const told = clauses
    .filter((clause) => chosen.has(clause))
    .map(({ day, text }) => {
      const head = day === '' || day === before ? '' : `${day}: `
      before = day
      return head + ended(text)
    })
  return [period, ...told].filter((text) => text !== '').join(' ')
}

interface Clause {
  day: string
  text: string
  words: Set<string>
}

/** The goal where a note names one, else the sentence that tells most. */
function clauseOf(note: Note, index: number, tellings: readonly Telling[], ranked: readonly Telling[]): Clause[] {
  const goal = tellings.find((one) => one.note === index && one.label === 'Asked')
  const best = goal ?? ranked.find((one) => one.note === index)
  const text = best === undefined ? null : shortenTo(best.text, CLAUSE_CHARS)
  return text === null || text === '' ? [] : [{ day: dayOf(note.at), text, words: memoryWords(text) }]
}

/** A session of several notes has one goal; module 2 is not module 1. */
function isNews({ text, words }: Clause, index: number, all: readonly Clause[]): boolean {
  const numbers = (of: string): string => (of.match(/\d+/g) ?? []).join()
  return !all
    .slice(0, index)
    .some((earlier) => shareOf(words, earlier.words) >= SAME && numbers(text) === numbers(earlier.text))
}

/** The last, the first, the middle one, and so on: whoever has no room for all still sees the whole period. */
function spread<T>(all: readonly T[]): T[] {
  const order = new Set([all.length - 1, 0])
  for (let step = all.length / 2; step >= 0.5; step /= 2)
    for (let at = step; at < all.length; at += step) order.add(Math.floor(at))
  return [...order].flatMap((i) => all[i] ?? [])
}

function periodOf(notes: readonly Note[]): string {
  const days = notes
    .map(({ at }) => dayOf(at))
    .filter((day) => day !== '')
    .sort(compareText)
  const [first = '', last = ''] = [days[0], days.at(-1)]
  const count = `${notes.length} ${notes.length === 1 ? 'note' : 'notes'}`
  if (first === '') return `${count}.`
  return first === last ? `${first}, ${count}.` : `${first} to ${last}, ${count}.`
}

/** What a note's label is worth in a summary; lists of files and commands are no sentences. */
const WORTH: Readonly<Record<string, number>> = {
  Ran: 0,
  Changed: 0,
  'Looked at': 0,
  Asked: 0.6,
  Open: 0.8,
  Committed: 0.9,
}

/** The most telling first: words that several notes share count, and names of files and code; very short and very long do not. */
function rank(tellings: readonly Telling[]): Telling[] {
  const notesWith = countNotes(tellings)
  const score = ({ text, words, label }: Telling): number => {
    let sum = 0
    for (const word of words) if (isContent(word)) sum += Math.log2(1 + (notesWith.get(word) ?? 0))
    const named = (text.match(/`[^`]+`|[\w-]+\.[a-z]\w{0,4}\b|[\w-]+\/[\w-]+|\d[\d.,]*/gi) ?? []).length
    const form =
      (text.length < 12 ? 0 : text.length < 25 || text.length > MAX_CHARS ? 0.3 : 1) * (/[?？:]$/.test(text) ? 0.3 : 1)
    return ((sum + Math.min(named, 4)) / Math.sqrt(4 + words.size)) * form * (WORTH[label ?? ''] ?? 1)
  }
  return tellings
    .map((telling, i) => ({ telling, i, score: score(telling) }))
    .filter(({ score: value }) => value > 0)
    .sort((a, b) => b.score - a.score || a.i - b.i)
    .map(({ telling }) => telling)
}

function countNotes(tellings: readonly Telling[]): Map<string, number> {
  const seen = new Map<string, Set<number>>()
  for (const { words, note } of tellings)
    for (const word of words) seen.set(word, (seen.get(word) ?? new Set()).add(note))
  return new Map([...seen].map(([word, notes]) => [word, notes.size]))
}

/** By the directories that most notes name; the rest by the words they share. */
export function findThemes(notes: readonly Note[], tellings: readonly Telling[]): { name: string; summary: string }[] {
  const byDirectory = notes.map(({ text }) => directoriesIn(text))
  const byWord = notes.map((_, i) => {
    const words = tellings
      .filter(({ note, label }) => note === i && label !== 'Ran')
      .flatMap(({ text }) => plainWords(text))
    return new Set(words)
  })
  const left = new Set(notes.keys())
  const themes = [...group(byDirectory, left, 1), ...group(byWord, left, 2)].slice(0, MAX_THEMES)
  return themes.flatMap(({ name, members }) => {
    const ranked = rank(tellings.filter(({ note, label }) => members.has(note) && label !== 'Decided'))
    const told = ranked.filter(({ label }) => label !== 'Asked')
    // A sentence that names the theme is about it.
    const best = told.find(({ text }) => text.toLowerCase().includes(subject(name))) ?? told[0] ?? ranked[0]
    const summary = best === undefined ? '' : shortStandIn(best.text)
    return summary === '' ? [] : [{ name, summary }]
  })
}

/** `auth` of `src/auth`. */
function subject(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1).toLowerCase()
}

/** Names the most common key of the notes that are left, again and again; takes its notes out of `left`. */
function group(
  keys: readonly ReadonlySet<string>[],
  left: Set<number>,
  atLeast: number,
): { name: string; members: Set<number> }[] {
  const groups: { name: string; members: Set<number> }[] = []
  while (left.size > 0 && groups.length < MAX_THEMES) {
    const counts = new Map<string, number>()
    for (const i of left) for (const key of keys[i] ?? []) counts.set(key, (counts.get(key) ?? 0) + 1)
    const [best] = [...counts].sort((a, b) => b[1] - a[1] || compareText(a[0], b[0]))
    if (best === undefined || best[1] < atLeast) break
    const members = new Set([...left].filter((i) => keys[i]?.has(best[0])))
    for (const i of members) left.delete(i)
    groups.push({ name: best[0], members })
  }
  return groups
}

/** `src/auth` of `src/auth/jwt.ts`: two levels tell projects' parts apart. */
function directoriesIn(text: string): Set<string> {
  const paths = text.match(/(?<![\w:/.])(?:[\w@.-]+[\\/])*[\w@-]+(?:\.[\w-]+)*\.[a-z][a-z0-9]{0,4}\b/gi) ?? []
  const directories = paths
    .filter((path) => /[\\/]/.test(path))
    .map((path) =>
      path
        .split(/[\\/]/)
        .slice(0, -1)
        .filter((step) => step !== '.' && step !== '..')
        .slice(0, 2)
        .join('/'),
    )
  return new Set(directories.filter((directory) => directory !== '' && directory.length <= MAX_NAME_CHARS))
}

/** Words a theme can be named by. */
function plainWords(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}][\p{L}\p{N}_-]{2,}/gu) ?? []).filter(
    (word) => isContent(word) && word.length <= MAX_NAME_CHARS,
  )
}

// Patterns, not sets: a bundle that makes no summary leaves them out.
const LITTLE_WORD =
  /^(?:the|and|for|with|was|were|that|this|from|into|not|are|has|had|have|been|but|its|also|then|when|which|after|before|now|all|one|two|new|user|can|could|should|would|will|did|does|done|our|their|them|they|there|than|more|most|only|over|some|such|what|who|how|why|where|while|because|since|until|about|each|open|asked|you|your|yours|yes|okay|please|thanks|hello|again|still|just|very|any|other|same|both|via|per|out|off|onto|without|within|between|claude|something|anything|nothing|everything|thing|things|way|lot|bit|und|oder|der|die|das|den|dem|ein|eine|ist|nicht|mit|für|von|auf|wir|ich|그리고|그런데|이제|아직|모두|다시|지금|그냥|같이|위해|대한|대해|있는|없는|하는)$/
/** What anybody does with anything: a theme is a thing. */
const VERB =
  /^(?:get|give|go|take|put|set|let|see|look|find|know|think|want|need|try|keep|show|tell|say|ask|use|make|do|add|fix|run|read|write|edit|change|update|create|remove|delete|move|rename|build|work|start|stop|open|close|check|verify|review|explain|help|call|come|become|begin|continue|finish|happen|seem|turn|bring|leave|pass|fail|return|send|receive|improve|implement|support|handle|allow|ensure|provide|follow|include|prepare|investigate|understand|decide|choose|pick|switch|got|gave|went|took|saw|found|knew|thought|kept|told|said|made|came|became|began|left|brought|wrote|ran)$/
/** How Korean verbs end. */
const KOREAN_VERB =
  /[\uac00-\ud7af]+(?:습니다|합니다|됩니다|입니다|했다|했고|됐다|되었다|하자|해줘|해주세요|주세요|하세요|하고|해서|하여|했는데|하는|된다|한다|았다|었다|쳤고|렸다)$/u

function isContent(word: string): boolean {
  return word.length > 1 && !LITTLE_WORD.test(word) && !/^\d+$/.test(word) && !isVerb(word) && !KOREAN_VERB.test(word)
}

/** In any of its English forms: `gets`, `getting`, `added`, `used`. */
function isVerb(word: string): boolean {
  const stem = word.replace(/(?:ies|ied)$/, 'y').replace(/(?:ing|ed|es|s)$/, '')
  const single = stem.replace(/([b-df-hj-np-tv-z])\1$/, '$1')
  return [word, word.replace(/s$/, ''), stem, single, `${stem}e`].some((form) => VERB.test(form))
}

/** The first of those that say the same in nearly the same words. */
export function withoutRepeats<T>(items: readonly T[], textOf: (item: T) => string): T[] {
  const kept: T[] = []
  for (const item of items) {
    if (kept.length === MAX_FACTS) break
    if (textOf(item) !== '' && !toldIn(kept.map(textOf))(textOf(item))) kept.push(item)
  }
  return kept
}

export function shortStandIn(text: string): string {
  return shortenTo(plainLines(text).join(' '), MAX_CHARS) ?? ''
}

function ended(text: string): string {
  return /[.!?…。！？]["'”’)\]`」』）]*$/u.test(text) ? text : `${text.replace(/[;:,]$/, '')}.`
}
