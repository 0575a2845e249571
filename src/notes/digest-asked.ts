/** What was asked for: of each prompt the sentences that tell it, and how much each prompt matters. */

import {
  isCorrection,
  isHostCommand,
  isIdle,
  isMachineLine,
  isPersona,
  isQuestion,
  isRequest,
  wordCount,
} from '../outgoing/digest-words.ts'
import type { Numbered, Said } from '../sessions/digest-types.ts'
import { joined, plain } from '../text/plain.ts'
import { type Sentence, sentencesOf } from '../text/sentences.ts'
import { shorten } from '../text/shorten.ts'
import { chosenIn } from '../transcript/digest-dialog.ts'

const MAX_PROMPTS = 12
/** A prompt up to this long is told whole. */
const WHOLE_CHARS = 220
const MAX_CHARS = 320
/** A longer prompt holds pasted text: what is wanted stands at its beginning or at its end. */
const MAX_TYPED = 2000
const EDGE_SENTENCES = 6
/** Headings of what is not asked for. */
const ASIDE = /\b(?:out of scope|non-?goals?|examples?|references?|background)\b|배경|참고|예시/i

/** The prompts that matter, oldest first. `result`: Claude's last answer, which is told anyway. */
export function askedIn(entries: readonly Numbered[], result: string): Said[] {
  const all: Said[] = []
  for (const { n, entry } of entries) {
    if (entry.role !== 'user') continue
    if (entry.via === 'AskUserQuestion') {
      if (all.length > 0) all.push(...answersOf(n, entry.text))
      continue
    }
    const text = tellingPrompt(entry.text)
    if (text !== null && text !== all.at(-1)?.text) all.push({ text, n, by: 'user' })
  }
  const [goal, ...later] = all
  if (goal === undefined) return idlePrompt(entries, result)
  const kept = later
    .toSorted((a, b) => promptWeight(b.text) - promptWeight(a.text) || a.n - b.n)
    .slice(0, MAX_PROMPTS - 1)
    .sort((a, b) => a.n - b.n)
  return [goal.text.startsWith('/') ? withRestated(goal, entries, result) : goal, ...kept]
}

/** How much a prompt tells about what is wanted. */
export function promptWeight(text: string): number {
  const length = Math.min(wordCount(text), 30) / 10
  return (
    length +
    (isRequest(text) ? 2 : 0) +
    (isCorrection(text) ? 1.5 : 0) +
    (isQuestion(text) ? 0.5 : 0) -
    (text.startsWith('/') ? 2 : 0) -
    // The choice of a moment, not a wish of one's own.
    (isWithClaude(text) ? 1.5 : 0)
  )
}

/** A person's words with Claude's behind them, which nobody takes for the person's. */
function withClaude(words: string, claude: string): string {
  return `${words} (Claude: ${claude.replace(/[.:]$/, '')})`
}

/** Whether Claude's words stand behind a person's. */
export function isWithClaude(text: string): boolean {
  return / \(Claude: .*\)$/.test(text)
}

/** What was picked where Claude asked, with the question: alone an answer says nothing. */
function answersOf(n: number, text: string): Said[] {
  return chosenIn(text)
    .filter(({ answer }) => !isIdle(answer))
    .map(({ question, answer }) => ({ text: withClaude(answer, question), n, by: 'user' }))
}

/** Null: the prompt asks for nothing. */
function tellingPrompt(prompt: string): string | null {
  const text = withoutAttachments(prompt)
  if (text === '' || isHostCommand(text) || isIdle(text) || text.startsWith('! ')) return null
  if (text.startsWith('/')) return slashPrompt(text)
  const typed = text.length > MAX_TYPED ? edges(text) : sentencesOf(text.replace(/^# (?=[^\n]*$)/, ''))
  const said = [...titleOf(text), ...typed.filter((one) => !isMachineLine(one.text) && !ASIDE.test(one.heading))]
  if (said.length === 0) return typed.length === 0 ? null : errorLine(typed)
  const whole = said.map((one) => one.text).join(' ')
  if (whole.length <= WHOLE_CHARS) return joined(said)
  return bestOf(said)
}

/** The heading that a written task begins with. */
function titleOf(text: string): Sentence[] {
  const title = /^#{1,3} ([^\n]{3,120})\n/.exec(text)?.[1]
  if (title === undefined) return []
  const none = { from: 0, to: 0, heading: '', isItem: false, isUnticked: false, isBeforeCode: false }
  return [{ ...none, text: plain(title) }]
}

/** The first and the last sentences, found without reading what lies between. */
function edges(text: string): Sentence[] {
  const head = text.slice(0, MAX_TYPED)
  const tail = text.slice(-MAX_TYPED)
  const whole = head.slice(0, head.lastIndexOf('\n') + 1)
  const first = sentencesOf(whole === '' ? head.replace(/\S*$/, '') : whole)
  const last = sentencesOf(tail.slice(tail.indexOf('\n') + 1))
  return [...first.slice(0, EDGE_SENTENCES), ...last.slice(-EDGE_SENTENCES)]
}

/** The person's own command with its words; a path or a lone name is told as it is. */
function slashPrompt(text: string): string | null {
  const line = plain(text.split('\n', 1)[0] ?? '')
  const words = text.slice(line.split(' ', 1)[0]?.length ?? 0).trim()
  if (words.length <= WHOLE_CHARS && !words.includes('\n')) return line
  const best = bestOf(sentencesOf(words).filter(({ text: one }) => !isMachineLine(one)))
  return best === null ? shorten(line, WHOLE_CHARS) : `${line.split(' ', 1)[0]} ${best}`
}

/** The sentence that asks, and the one that says most beside it, in their order. */
function bestOf(sentences: readonly Sentence[]): string | null {
  const ranked = sentences
    .map((sentence, i) => ({ sentence, score: sentenceScore(sentence, i), i }))
    .sort((a, b) => b.score - a.score || a.i - b.i)
  const first = ranked[0]
  if (first === undefined) return null
  const picked = [first]
  let room = MAX_CHARS - first.sentence.text.length
  for (const one of ranked.slice(1, 6)) {
    if (one.score < 3 || one.sentence.text.length > room || picked.length >= 3) continue
    picked.push(one)
    room -= one.sentence.text.length
  }
  const texts = picked
    .sort((a, b) => a.i - b.i)
    .map(({ sentence }) => ({ ...sentence, text: shorten(sentence.text, MAX_CHARS) }))
  return joined(texts)
}

function sentenceScore({ text, isItem }: Sentence, index: number): number {
  const words = wordCount(text)
  return (
    (isRequest(text) ? 3 : 0) +
    (isCorrection(text) ? 1.5 : 0) +
    (isQuestion(text) ? 1.5 : 0) +
    (index === 0 ? 2 : index === 1 ? 0.5 : 0) +
    Math.min(words, 12) / 12 -
    (isPersona(text) ? 4 : 0) -
    (words < 3 ? 2 : 0) -
    (text.length > MAX_CHARS ? 1.5 : 0) -
    (text.endsWith(':') ? 2 : 0) -
    (isItem ? 1 : 0)
  )
}

/** A pasted log without a word of the person: the error is what it is about. */
function errorLine(sentences: readonly Sentence[]): string {
  const telling =
    sentences.find(({ text }) => /\b(?:error|exception|failed|fatal|denied|panic)\b/i.test(text)) ?? sentences[0]
  return shorten(telling?.text ?? '', WHOLE_CHARS)
}

/** Pictures and files dropped into the prompt stand before or behind what is said about them. */
function withoutAttachments(prompt: string): string {
  return prompt
    .replace(/\[(?:Image|Pasted text|image)[^\]\n]{0,60}\]/g, ' ')
    .replace(/^(?:\s*(['"])[^'"\n]{1,300}\.(?:png|jpe?g|gif|webp|svg|pdf)\1)+/i, '')
    .trim()
}

/** Nothing but "yes" and "go on": what was said, and what Claude made of it. */
function idlePrompt(entries: readonly Numbered[], result: string): Said[] {
  for (const { n, entry } of entries) {
    if (entry.role !== 'user' || entry.via !== undefined || isHostCommand(entry.text)) continue
    const text = shorten(plain(entry.text.split('\n', 1)[0] ?? ''), WHOLE_CHARS)
    if (text === '' || text.startsWith('! ')) continue
    return [withRestated({ text, n, by: 'user' }, entries, result)]
  }
  const words = restated(entries)
  return words === null ? [] : [words]
}

/** A command's name or a "yes" says little: Claude's words for it stand behind it, as Claude's, if no result tells them. */
function withRestated(goal: Said, entries: readonly Numbered[], result: string): Said {
  const words = restated(entries.filter(({ n }) => n > goal.n))
  if (words === null || result.includes(words.text.replace(/ …$/, ''))) return goal
  return { ...goal, text: withClaude(goal.text, words.text) }
}

/** What is worked on in Claude's words, where no person's words say it: its plan, its list, its first announcement. */
function restated(entries: readonly Numbered[]): Said | null {
  return (
    firstOf(entries, ({ entry }) => ('name' in entry && entry.name === 'ExitPlanMode' ? titleOfPlan(entry.cmd) : '')) ??
    firstOf(entries, ({ entry }) =>
      'name' in entry && entry.name === 'TodoWrite' ? (/; now: ([^\n]+)/.exec(entry.cmd)?.[1] ?? '') : '',
    ) ??
    firstOf(entries, ({ entry }) => (entry.role === 'assistant' ? (sentencesOf(entry.text)[0]?.text ?? '') : ''))
  )
}

function titleOfPlan(plan: string): string {
  return (plan.trim().split('\n', 1)[0] ?? '').replace(/^#+\s*/, '')
}

function firstOf(entries: readonly Numbered[], words: (one: Numbered) => string): Said | null {
  for (const one of entries) {
    const text = plain(words(one)).replace(/:$/, '.')
    if (wordCount(text) >= 4) return { text: shorten(text, WHOLE_CHARS), n: one.n, by: 'assistant' }
  }
  return null
}
