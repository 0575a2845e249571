/** Decides what may be stored as a note: tidies the text, gives reasons for a refusal, and renders the note by code. */

import { fingerprintOfNote, formatNote, type Note, parseMemory } from '../../kernel/memory/note.ts'
import { toTell } from '../../kernel/sessions/delta.ts'
import type { Numbered } from '../../kernel/transcript/session.ts'
import { findUngrounded } from '../grounding/grounding.ts'
import { structureOf } from './structure.ts'

const WORDS_PER_SENTENCE = 200
const MIN_SENTENCES = 2
const MAX_SENTENCES = 12
/** In Latin letters; a Korean, Japanese or Chinese character counts as two. */
const MIN_LENGTH = 15
/** A longer text is a copy, not a summary. */
const MAX_LENGTH = 9_000

const LIST_LINE = /^\s*(?:[-*+•]|\d{1,2}[.)])\s+\S/
const BLOCK_LINE = /^\s*(?:#{1,6}\s|\||```|~~~|>\s|[-*_]{3,}\s*$)/
const LABEL =
  /^(?:#{1,6}\s*)?[*_]{0,2}(?:(?:session |memory |delta )?(?:summary|note)|요약|메모|노트|要約|メモ|摘要|总结|總結|zusammenfassung|notiz)(?:[*_]{0,2}\s*[:：][*_]{0,2}|[*_]{0,2}\s*\n)\s*/i
const WRAPPED = [
  /^"([^"]*)"$/,
  /^“([^“”]*)”$/,
  /^「([^「」]*)」$/,
  /^\*\*((?:(?!\*\*)[\s\S])*)\*\*$/,
  /^\*([^*]*)\*$/,
  /^(?:```|~~~)[\w-]*\n((?:(?!```|~~~)[\s\S])*?)\n?(?:```|~~~)$/,
]

interface Check {
  isWrong: (text: string, prose: string) => boolean
  reason: string
}

/** Error messages of the program itself in place of an answer. */
const ERRORS =
  /^(?:api error(?:\b.{0,3}\d{3}|:)|invalid api key|prompt is too long|not logged in\b|credit balance is too low|please run \/login|claude(?: ai)? usage limit reached|you['’]ve (?:hit|reached) your .{0,20}limit|oauth token (?:has )?(?:expired|revoked)|request timed out|(?:execution|connection|internal server) error|error: )/i
const REFUSAL = [
  /^(?:sorry[,.]|my apologies|i apologi[sz]e|unfortunately,? i\b|i(?:['’]?m| am) (?:sorry|unable|not able)|i (?:can(?:no|['’])t|could(?: not|n['’]t)|won['’]t|do(?:n['’]t| not) (?:have|see|feel)|must decline)|as an ai\b)/i,
  /^(?:죄송|미안합|유감스럽|申し訳|すみません|恐れ入りますが|很?抱歉|[对對]不起|我无法|我不能|es tut mir leid|leider kann ich|entschuldigung)/i,
]
const PREAMBLE = [
  /^(?:here(?:['’]s| is| are)\b|(?:sure(?: thing)?|certainly|of course|absolutely|ok(?:ay)?|understood)[,!.:]|great[,!]|got it|below is|the following is|as requested|let me (?:summari|write|read|start|take|analy)|i(?:['’]ll| will| have|['’]ve)\b(?: now)? (?:summari|write|written|read|review|analy|create|provide|save|be happy)|based on (?:the|this|your) (?:provided |given )?(?:delta|conversation|transcript|text|log|session|input|content|excerpt)\b|(?:this is )?(?:a|the) (?:concise |short |brief )?summary (?:of|for) (?:the|this) (?:delta|conversation|session|transcript)\b[^.]{0,30}:)/i,
  /^(?:다음은|아래[는에]|[네예][,.!]|물론|알겠습니다|요약해 ?드리|요약하겠|요약(?:은 다음|입니다)|제공(?:해 주신|된) (?:내용|대화|델타|텍스트))/,
  /^(?:以下[はに是]|はい、|承知|了解し|かしこまり|要約します|好的[，,。]|当然[，,。！]|下面是|总结如下|根据您提供)/,
  /^(?:hier (?:ist|die|sind|eine)\b|(?:gerne?|natürlich|selbstverständlich)[,!.:]|im folgenden)/i,
]
const AT_START_OF_SENTENCE = '(?:^|[.!?。？！:]\\s*)'
const ASKING = [
  new RegExp(
    `${AT_START_OF_SENTENCE}(?:(?:could|can|would|will) you (?:please )?(?:provide|paste|share|send|give|clarify|confirm|tell|let me)|please (?:provide|paste|share|send|clarify|confirm|let me|give me|tell me)|let me know|would you like|do you want me|feel free to|what would you like|i hope this|if you['’]d like)`,
    'i',
  ),
  /\b(?:no|empty) (?:delta|transcript|conversation|text|input) (?:was|is|has been|to summari[sz]e)|\b(?:delta|transcript|conversation|input)\b[^.]{0,30}\b(?:seems|appears) to be (?:empty|missing|cut off)/i,
  /(?:제공|공유|입력|전달|붙여 ?넣어|보내|알려|말씀해) ?(?:해 ?)?주(?:세요|십시오|시겠|시면|실 수)/,
  /(?:ください|いただけますか|いただけませんか|でしょうか)[。？?]?$|(?:请提供|请粘贴|请发送|请问|您可以提供|需要我)/,
]
const TOOL_SYNTAX =
  /<\/?(?:antml:)?(?:function_calls?|invoke|tool_use|tool_call|tool_result|parameter|thinking|system-reminder)\b/i

/** The first matching check is reported; each reason states what to do. */
const CHECKS: readonly Check[] = [
  { isWrong: (text) => text.trim() === '', reason: 'The note is empty: write what was asked, done and decided.' },
  {
    isWrong: (text) => /<!--|-->|\[MEMORY_KEEPER_/.test(text),
    reason: 'The note holds a marker of Memory Keeper or an HTML comment: leave it out and tell in words what it was.',
  },
  { isWrong: (text) => ERRORS.test(text), reason: 'This is an error message, not a note: write the note again.' },
  {
    isWrong: (text) => REFUSAL.some((pattern) => pattern.test(text)),
    reason: 'This is an answer to somebody, not a note: tell in plain sentences what happened in the delta.',
  },
  {
    isWrong: (text) => PREAMBLE.some((pattern) => pattern.test(text)),
    reason: 'The note begins with a preamble: begin with what happened, without announcing a summary.',
  },
  {
    isWrong: (_, prose) => ASKING.some((pattern) => pattern.test(prose)),
    reason: 'The note speaks to a reader or asks for something: nobody answers, so only tell what happened.',
  },
  {
    isWrong: (_, prose) => TOOL_SYNTAX.test(prose),
    reason: 'The note holds a tool call written as text: write sentences only.',
  },
  {
    isWrong: (_, prose) => /\[(?:User|Assistant)\]:|\[Tool: ?[^\]\n]*\]/.test(prose),
    reason: 'The note copies lines of the delta: tell in your own words what was said and done.',
  },
  {
    isWrong: (text) => /^\s*(?:\{[\s\S]*\}|\[[\s\S]*[\]}])\s*$|^\s*<[a-z?!][^>]*>[\s\S]*>\s*$/i.test(text),
    reason: 'The note is JSON or XML: write a paragraph of plain sentences.',
  },
  {
    isWrong: isDump,
    reason: 'The note is laid out with headings, lists, tables or code blocks: write one paragraph of plain sentences.',
  },
  {
    isWrong: (text) => lengthOf(text) < MIN_LENGTH || !/\p{L}{2}/u.test(text),
    reason: 'The note is too short to say anything: tell what was asked, done and decided in at least two sentences.',
  },
  {
    isWrong: (text) => lengthOf(text) > MAX_LENGTH,
    reason: `The note is far too long: at most ${MAX_SENTENCES} sentences, only what a later session needs.`,
  },
]

/** Null: it may be stored. The text should have been tidied before. */
export function whyNotANote(text: string): string | null {
  // Quotations and code are not the note's own words.
  const prose = text.replace(/`[^`\n]*`|"[^"\n]*"|“[^”]*”|「[^」]*」/g, '‥')
  return CHECKS.find(({ isWrong }) => isWrong(text, prose))?.reason ?? null
}

/** The maximum length of the line about the end. */
const MAX_STANDS = 400

/** Why a line about the end of a piece is not stored; null: it is. */
export function whyNoStands(text: string, source: string): string | null {
  if (text.length > MAX_STANDS) return 'it is too long'
  return whyNotANote(text) ?? (findUngrounded(text, source).length > 0 ? 'it names what does not occur' : null)
}

/** The sentences whose names and numbers occur in the source; `problem`: a sentence for the model if no note is left. */
export function soundSentences<T extends { text: string }>(
  sentences: readonly T[],
  source: string,
): { sentences: T[]; problem: string | null } {
  const whole = whyNotANote(sentences.map(({ text }) => text).join(' '))
  if (whole !== null) return { sentences: [], problem: whole }
  const missing = new Set<string>()
  const sound = sentences.filter(({ text }) => {
    const names = findUngrounded(text, source)
    for (const name of names) missing.add(name)
    return names.length === 0
  })
  const why =
    sound.length === 0 ? `The piece does not contain: ${[...missing].join(', ')}. Write only what it says.` : null
  return { sentences: sound, problem: why ?? whyNotANote(sound.map(({ text }) => text).join(' ')) }
}

/** About one sentence per 200 words. Chinese and Japanese have no spaces: two characters count as a word. */
export function sentencesWanted(sourceText: string): number {
  let words = 0
  let isInWord = false
  for (let i = 0; i < sourceText.length; i++) {
    const code = sourceText.charCodeAt(i)
    const isUnspaced = code >= 0x3040 && code <= 0x9fff
    if (isUnspaced) words += 0.5
    const isBlank = code <= 32 || code === 0x3000 || code === 0xa0
    if (!isBlank && !isUnspaced && !isInWord) words++
    isInWord = !isBlank && !isUnspaced
  }
  return Math.min(MAX_SENTENCES, Math.max(MIN_SENTENCES, Math.round(words / WORDS_PER_SENTENCE)))
}

/** Removes wrappings that a model puts around a note: refusing the note for them would cost another call. */
export function tidyNote(text: string): string {
  let tidy = text
  for (let rounds = 0; rounds < MAX_WRAPPINGS; rounds++) {
    const before = tidy
    const plain = before.replace(/\r\n?/g, '\n').replace(/[\ufeff\u200b]/g, '')
    tidy = joinLines(unwrap(plain.trim())).trim()
    if (tidy === before) break
  }
  return tidy
}

/** A note never has more wrappings. */
const MAX_WRAPPINGS = 8

function unwrap(text: string): string {
  for (const wrapping of WRAPPED) {
    const inner = wrapping.exec(text)?.[1]
    if (inner !== undefined) return inner.trim()
  }
  return text.replace(LABEL, '')
}

/** Joins the lines into one paragraph, unless they have a layout of their own, which the check refuses. */
function joinLines(text: string): string {
  if (isDump(text)) return text
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
    .replace(/(?<=[\u3001-\u9fff])\n(?=[\u3001-\u9fff])/g, '')
    .replace(/\n/g, ' ')
    .replace(/[ \t]{2,}/g, ' ')
}

function isDump(text: string): boolean {
  const lines = text.split('\n')
  return lines.some((line) => BLOCK_LINE.test(line)) || lines.filter((line) => LIST_LINE.test(line)).length > 1
}

function lengthOf(text: string): number {
  const wide = text.match(/[\u3040-\u9fff\uac00-\ud7a3]/g)?.length ?? 0
  return text.trim().length + wide
}

/** The maximum length of a note by code about one piece. */
const NOTE_CHARS = 4_000

export function noteText(entries: readonly Numbered[]): string {
  const text = structureOf(toTell(entries), NOTE_CHARS)
  return text === '' ? 'Nothing was said or done.' : text
}

/** A note about the remaining entries of its range; null: there are none. */
export function remadeNote({ from, to }: Note, left: readonly Numbered[]): string | null {
  const rest = left.filter(({ n }) => n >= from && n < to)
  return toTell(rest).length === 0 ? null : noteText(rest)
}

/**
 * `entries`: those of its range. A note that a person edited is theirs, and nothing replaces it. Versions before
 * 0.6 stored no fingerprint, so that it is unknown whether their notes were edited.
 */
export function isAsCodeWroteIt(note: Note, entries: readonly Numbered[]): boolean {
  return note.author === 'extractive' && entries.length > 0 && note.fingerprint === fingerprintOfNote(note.text)
}

/** The memory without the notes by code, inside the range of this one, that nobody edited. */
export function withoutCodeNotes(memory: string, { session, from, to }: Note): string {
  const isCovered = (note: Note | null): boolean =>
    note?.author === 'extractive' &&
    note.session === session &&
    note.from >= from &&
    note.to <= to &&
    note.fingerprint === fingerprintOfNote(note.text)
  return parseMemory(memory)
    .flatMap(({ raw, note }) => (isCovered(note) ? [] : [raw]))
    .join('')
}

/** Appends the note. `head`: the beginning of an empty memory. */
export function addNoteTo(memory: string, note: Note, timezone: string, head: string): string {
  const before = memory.trim() === '' ? head : memory.endsWith('\n') ? memory : `${memory}\n\n`
  return before + formatNote(note, timezone)
}

/** Null: there is no such note. */
export function editNoteIn(
  memory: string,
  id: string,
  edit: Pick<Note, 'text' | 'author'>,
  timezone: string,
): { memory: string; note: Note } | null {
  const blocks = parseMemory(memory)
  const at = blocks.findIndex(({ note }) => note?.id === id)
  const known = blocks[at]?.note
  if (!known) return null
  const { fingerprint: _, unaudited: _unaudited, ...record } = known
  const note = { ...record, ...edit }
  return { memory: blocks.map(({ raw }, i) => (i === at ? formatNote(note, timezone) : raw)).join(''), note }
}

/** Null: there is no such note. */
export function removeNoteFrom(memory: string, id: string): string | null {
  const blocks = parseMemory(memory)
  const rest = blocks.filter(({ note }) => note?.id !== id)
  return rest.length === blocks.length ? null : rest.map(({ raw }) => raw).join('')
}
