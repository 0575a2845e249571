/** Turns in a digest by structure: prompts, answers, and the sentences whose words are used again later. */
import { quotedWords } from '../../kernel/text/memory-words.ts'
import { once, perObject } from '../../kernel/text/once.ts'
import { allot, select } from '../../kernel/text/select.ts'
import { type Sentence, sentencesOf, splitSentences } from '../../kernel/text/sentences.ts'
import { shorten } from '../../kernel/text/shorten.ts'
import { stemsOf } from '../../kernel/text/words.ts'
import { isBareCommand, isHostLine, isPlan, type Numbered, whyNotUsers } from '../../kernel/transcript/session.ts'
import { withoutHostText } from '../../kernel/transcript/words.ts'
import { isQuestionMarked, type Line, onOneLine, proseOf, stemsIn } from './structure-text.ts'

export interface Turn {
  /** Empty: the entries begin inside a turn. */
  prompt: string
  /** Who wrote it is not known, or a program sent it. */
  isOthers?: true
  /** The prompt is a plan that Claude wrote. */
  isPlan?: true
  n: number
  entries: Numbered[]
}

/** A turn begins with a prompt. */
export const turnsOf = /* @__PURE__ */ perObject((entries: readonly Numbered[]): readonly Turn[] => {
  const turns: Turn[] = []
  for (const numbered of entries) {
    const { entry } = numbered
    if (entry.role === 'user' && isPlan(entry))
      turns.push({ prompt: withoutHostText(entry.text).trim(), isPlan: true, n: numbered.n, entries: [] })
    else if (entry.role === 'user' && entry.via === undefined && !isHostLine(entry))
      turns.push({
        prompt: entry.text.trim(),
        ...(whyNotUsers(entry) === '' && entry.sent !== true ? {} : { isOthers: true }),
        n: numbered.n,
        entries: [],
      })
    if (turns.length === 0) turns.push({ prompt: '', n: numbered.n, entries: [] })
    turns.at(-1)?.entries.push(numbered)
  }
  return turns
})

/** The share of the turns' room for prompts and answers; the rest is for sentences between them. */
const FRAME_SHARE = 45 / 55
const CHARS = { least: 90, most: 500 }
/** A prompt of at most this length is shown with the question it answers. */
const SHORT_PROMPT = 12
/** A prompt with more lines, or with a longer paragraph, is partly pasted. */
const TYPED_LINES = 12
const EDGE_LINES = 4

interface Part {
  turn: number
  of: 'prompt' | 'answer'
  sentences: readonly string[]
  weight: number
}

type Filled = Pick<Part, 'turn' | 'of'> & { text: string }

/** `any`: announcements too. */
type Which = 'worthy' | 'any'

/** `digest`: the other lines of the digest. Lines are in order, each sentence under its prompt, so that the user's objection follows what it overturns. */
export function turnLines(turns: readonly Turn[], chars: number, digest: string, which: Which): Line[] {
  const framed = fill(partsIn(turns), Math.floor(chars * FRAME_SHARE))
  const used = framed.reduce((sum, { text }) => sum + text.length + 10, 0)
  const salient = salientIn(turns, [digest, ...framed.map(({ text }) => text)].join('\n'), chars - used, which)
  return turns.flatMap(({ n, entries, isPlan: isPlanned = false, isOthers = false }, i): Line[] => {
    const frame = (of: Part['of']): string[] =>
      framed.filter((one) => one.turn === i && one.of === of).map(({ text }) => text)
    const between = (by: 'user' | 'assistant'): string[] =>
      salient.filter((one) => one.turn === i && one.by === by).map(({ text }) => text)
    const asked = [...frame('prompt'), ...between('user')].join(' ')
    const answered = [...between('assistant'), ...frame('answer')].join(' ')
    const said = entries.findLast(({ entry }) => entry.role === 'assistant')?.n ?? n
    return [
      ...(asked === ''
        ? []
        : [{ text: `${isPlanned ? 'Approved plan' : isOthers ? 'Prompt' : 'User'}: ${onOneLine(asked)}`, n }]),
      ...(answered === '' ? [] : [{ text: `Claude: ${onOneLine(answered)}`, n: said }]),
    ]
  })
}

const partsIn = /* @__PURE__ */ perObject((turns: readonly Turn[]): readonly Part[] => {
  const last = turns.flatMap(({ entries }) => entries).findLast(({ entry }) => entry.role === 'assistant')
  return turns.flatMap((turn, i) => partsOf(turns, turn, i, last?.n ?? -1))
})

/** `ended`: the entry shown as the end. */
function partsOf(turns: readonly Turn[], { prompt, entries }: Turn, turn: number, ended: number): Part[] {
  const newer = 1 + (turns.length === 1 ? 1 : turn / (turns.length - 1))
  const head = promptHead(prompt, turn > 0 ? lastQuestion(turns[turn - 1]) : '', entries)
  return [
    ...(head === '' ? [] : [{ turn, of: 'prompt' as const, sentences: splitSentences(head), weight: 2 * newer }]),
    ...answersOf(entries, ended).map((sentences) => ({ turn, of: 'answer' as const, sentences, weight: newer })),
  ]
}

/** The text that represents a prompt: the words its author typed, and of pasted text the line whose words the next entries use most. */
export function promptHead(prompt: string, question: string, entries: readonly Numbered[]): string {
  if (isBareCommand(prompt)) return ''
  const paragraphs = saidParagraphs(prompt)
  const isTyped = paragraphs.flat().length <= TYPED_LINES && paragraphs.every((lines) => lines.length <= EDGE_LINES)
  if (isTyped) {
    const text = onOneLine(paragraphs.flat().join(' '))
    return text.length <= SHORT_PROMPT && question !== '' ? `${text} (to: ${quotedWords(question)})` : text
  }
  const [first = [], ...others] = paragraphs
  const last = others.at(-1) ?? []
  const begin = first.length <= EDGE_LINES ? first : first.slice(0, 1)
  const end = last.length <= EDGE_LINES ? last : []
  const between = paragraphs.flat().filter((line) => !begin.includes(line) && !end.includes(line))
  // For a plan or a document, its heading names it.
  const heading = between.find((line) => /^#+ \S/.test(line))
  const taken = heading?.replace(/^#+ /, '') ?? takenUp(between, entries)
  return [begin.join(' '), taken, end.join(' ')].filter((part) => part !== '').join(' … ')
}

function takenUp(lines: readonly string[], entries: readonly Numbered[]): string {
  const next = new Set(entries.slice(1, 4).flatMap(({ entry }) => ('text' in entry ? [...stemsIn(entry)] : [])))
  const ranked = lines.map((line) => ({ line, shared: stemsOf(line).filter((stem) => next.has(stem)).length }))
  return ranked.toSorted((a, b) => b.shared - a.shared).find(({ shared }) => shared > 0)?.line ?? ''
}

/** Paragraphs as lists of lines, without text that its form marks as quoted: `>`, tables, long code. */
function saidParagraphs(prompt: string): string[][] {
  const paragraphs = proseOf(prompt)
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.split('\n').filter((line) => !/^\s*[>|]/.test(line)))
    .map((lines) => lines.map(onOneLine).filter((line) => /[\p{L}\p{N}]/u.test(line)))
    .filter((lines) => lines.length > 0)
  return paragraphs.length > 0 ? paragraphs : [[onOneLine(prompt)]]
}

function lastQuestion(turn: Turn | undefined): string {
  const said = turn?.entries.findLast(({ entry }) => entry.role === 'assistant')?.entry
  const last = said?.role === 'assistant' ? sentencesOf(proseOf(said.text)).at(-1)?.text : undefined
  return last !== undefined && isQuestionMarked(last) ? last : ''
}

const DIALOGS: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode'])

/** What Claude said before it stopped: at the end of the turn, and before it asked the user something. */
function answersOf(entries: readonly Numbered[], ended: number): string[][] {
  const last = entries.findLastIndex(({ entry }) => entry.role === 'assistant')
  return entries.flatMap(({ n, entry }, at) => {
    const next = entries[at + 1]?.entry
    const isStop = at === last || (next?.role === 'tool' && DIALOGS.has(next.name))
    const answer = entry.role === 'assistant' && isStop && n !== ended ? answerOf(entries, at) : []
    return answer.length === 0 ? [] : [answer]
  })
}

/** Without closing questions, which the next prompt answers, and without an announcement of tool uses. */
function answerOf(entries: readonly Numbered[], at: number): string[] {
  const said = entries[at]?.entry
  if (said?.role !== 'assistant') return []
  const paragraphs = proseOf(said.text).split(/\n\s*\n/)
  while (isQuestionMarked(paragraphs.at(-1) ?? '')) paragraphs.pop()
  const isFollowed = entries.slice(at + 1).some(({ entry }) => entry.role === 'tool')
  const sentences = sentencesOf(paragraphs.join('\n\n')).map(({ text }) => text)
  return isFollowed ? sentences.slice(0, -1) : sentences
}

/** Each part gets room by its weight; unused room goes to the others. */
function fill(parts: readonly Part[], room: number): Filled[] {
  const wanting = parts.map(({ sentences, weight }) => {
    const chars = sentences.join(' ').length
    return { chars: Math.min(chars, CHARS.most), weight }
  })
  const chars = allot(wanting, room, CHARS.least)
  return parts.flatMap((part, i) =>
    chars[i] ? [{ turn: part.turn, of: part.of, text: wholeSentences(part, chars[i]) }] : [],
  )
}

/** Whole sentences as far as they fit: of a prompt the first and then the longest, since short ones are often questions; of an answer its end. */
function wholeSentences({ of, sentences }: Part, room: number): string {
  const all = sentences.join(' ')
  if (all.length <= room) return all
  if (of === 'answer') return lastSentences(sentences, room)
  const ranked = sentences.map((text, i) => ({ text, i }))
  const kept = new Set(
    select(ranked, room - 4, { rank: ({ text, i }) => (i === 0 ? -room : -text.length) }).map(({ i }) => i),
  )
  if (kept.size === 0) return shorten(all, room)
  return sentences.flatMap((text, i) => (kept.has(i) ? [text] : i === 0 || kept.has(i - 1) ? ['…'] : [])).join(' ')
}

/** The last sentences that fit; if even the last is too long, its beginning. */
export function lastSentences(sentences: readonly string[], room: number): string {
  let from = sentences.length
  for (let left = room; from > 0; from--) {
    left -= (sentences[from - 1]?.length ?? 0) + 1
    if (left < 0) break
  }
  const kept = sentences.slice(from)
  return kept.length > 0 ? kept.join(' ') : room > 20 ? shorten(sentences.at(-1) ?? '', room) : ''
}

interface Salient {
  turn: number
  by: 'user' | 'assistant'
  text: string
  worth: number
  stems: ReadonlySet<number>
}

interface Candidate extends Salient {
  /** By which it is found in lines told already. */
  start: string
  /** The last sentence before a tool use: an announcement. */
  isBeforeTool: boolean
}

const MOST_COMPARED = 200
const SENTENCE_CHARS = { least: 30, most: 300 }
/** The end of an earlier text may be cut: this many characters are compared. */
const COMPARED_CHARS = 40

/** Sentences whose rare words are used again later, chosen one after the other by what each adds. */
function salientIn(turns: readonly Turn[], digest: string, chars: number, which: Which): Salient[] {
  const isFit = ({ start, isBeforeTool }: Candidate): boolean =>
    !(isBeforeTool && which === 'worthy') && !digest.includes(start)
  return choose(candidatesIn(turns).filter(isFit), chars)
}

/** All sentences that may be chosen, with their worth. */
const candidatesIn = /* @__PURE__ */ perObject((turns: readonly Turn[]): readonly Candidate[] => {
  const entries = turns.flatMap(({ entries: all }, turn) => all.map((one) => ({ ...one, turn })))
  const found = new Map<number, { count: number; lastTurn: number; isAsked: boolean }>()
  for (const { entry, turn } of entries) {
    for (const stem of stemsIn(entry)) {
      const known = found.get(stem) ?? { count: 0, lastTurn: turn, isAsked: false }
      known.count++
      known.lastTurn = turn
      known.isAsked ||= entry.role === 'user' && !isHostLine(entry)
      found.set(stem, known)
    }
  }
  const candidates = entries.flatMap((one, i) => candidatesOf(one, entries[i + 1]?.entry.role === 'tool'))
  return candidates.map((one) => {
    const worth = [...one.stems].reduce((sum, stem) => {
      const { count, lastTurn, isAsked } = found.get(stem) ?? { count: 0, lastTurn: 0, isAsked: false }
      return count < 2
        ? sum
        : sum + Math.log(entries.length / count) * (0.3 + Number(isAsked) + Number(lastTurn > one.turn))
    }, 0)
    const newer = turns.length === 1 ? 1.5 : 1 + (0.5 * one.turn) / (turns.length - 1)
    return { ...one, worth: (worth / Math.sqrt(one.text.length + 60)) * newer * (one.by === 'user' ? 1.6 : 1) }
  })
})

function candidatesOf({ entry, turn }: Numbered & { turn: number }, isFollowed: boolean): Candidate[] {
  const isPlanned = entry.role === 'user' && isPlan(entry)
  const isAsked = entry.role === 'user' && entry.via === undefined && !isHostLine(entry)
  if (entry.role !== 'assistant' && !(entry.role === 'user' && (isPlanned || isAsked))) return []
  // Claude wrote the plan.
  const by = isPlanned ? 'assistant' : entry.role
  const sentences = sentencesIn(entry)
  const isFit = ({ text }: Sentence): boolean =>
    text.length >= SENTENCE_CHARS.least &&
    text.length <= SENTENCE_CHARS.most &&
    !text.endsWith(':') &&
    !(by === 'assistant' && isQuestionMarked(text))
  return sentences.filter(isFit).map((sentence) => {
    const { text, isItem, heading } = sentence
    const whole = isItem && heading !== '' ? `${heading} ${text}` : text
    const isBeforeTool = isFollowed && sentence === sentences.at(-1)
    return {
      turn,
      by,
      text: whole,
      start: text.slice(0, COMPARED_CHARS),
      isBeforeTool,
      worth: 0,
      stems: sentence.stems(),
    }
  })
}

const sentencesIn = /* @__PURE__ */ perObject(({ text }: { text: string }) =>
  sentencesOf(proseOf(text)).map((sentence) => ({
    ...sentence,
    stems: once((): ReadonlySet<number> => new Set(stemsOf(sentence.text))),
  })),
)

function choose(all: readonly Salient[], chars: number): Salient[] {
  // Each round compares all remaining candidates.
  const best = new Set(all.toSorted((a, b) => b.worth - a.worth).slice(0, MOST_COMPARED))
  const candidates = all.filter((one) => best.has(one))
  const chosen = new Set<Salient>()
  const known = new Set<number>()
  let room = chars
  for (;;) {
    let next: Salient | null = null
    let most = 0
    for (const one of candidates) {
      if (chosen.has(one) || one.text.length + 1 > room) continue
      let fresh = 0
      for (const stem of one.stems) if (!known.has(stem)) fresh++
      const worth = one.worth * (0.2 + (0.8 * fresh) / Math.max(1, one.stems.size))
      if (worth > most) [next, most] = [one, worth]
    }
    if (next === null) return candidates.filter((one) => chosen.has(one))
    chosen.add(next)
    for (const stem of next.stems) known.add(stem)
    room -= next.text.length + 1
  }
}
