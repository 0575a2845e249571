/** A digest as ranked lines that must survive a compaction: for the host's summariser before it, for the model after it. */

import type { ChangedFile, Digest, RanCommand, Said } from '../notes/digest.ts'
import { commandRanks } from '../notes/digest-done.ts'
import { harmlessText, inLists, shortenTo, textOnOneLine } from '../text/memory-words.ts'
import { splitSentences } from '../text/sentences.ts'
import type { Compacted } from './briefing-input.ts'
import type { RoomLine, RoomPart } from './briefing-room.ts'

const MAX_SAID_CHARS = 400
/** Less of a sentence says nothing. */
const MIN_SAID_CHARS = 60
const MAX_RESULT_CHARS = 200
/** A number that is a measurement or an identity rather than a small count. */
const MEASURE = /\d[\d.,]*\s?(?:%|[µmn]?s\b|[kmg]i?b\b|min\b|h\b|tokens?\b|초|분|시간|개|건|배)|\d{3,}|\d+\.\d+/i

/** For the briefing after a compaction. */
export function compactedFrom(digest: Digest): Compacted {
  return { parts: digestParts(digest, '- '), lines: digestLines(digest) }
}

/** In the order they are told; `bullet` begins each line. */
export function digestParts(digest: Digest, bullet: string): RoomPart[] {
  const [goal, ...later] = digest.asked
  const part = (share: number, lines: readonly RoomLine[]): RoomPart => ({
    title: '',
    share,
    lines: withoutRepeats(lines).map((line) => withBullet(line, bullet)),
  })
  return [
    part(0.12, said('Goal', goal === undefined ? [] : [goal])),
    part(0.12, said('Asked later', later)),
    part(0.12, said('Decided', digest.decided)),
    part(0.16, changedLines(digest.changed)),
    part(0.16, ranLines('Worked', digest, true)),
    part(0.1, ranLines('Still failing', digest, false)),
    part(0.06, committedLines(digest)),
    part(0.04, said('Fixed', digest.resolved)),
    part(0.06, said('Open', digest.open)),
    part(0.06, said('Where it stood', digest.answer === null ? [] : [digest.answer])),
    part(0, numberLines(digest)),
  ]
}

function withBullet(line: RoomLine, bullet: string): RoomLine {
  const { shorten } = line
  const text = bullet + line.text
  if (shorten === undefined) return { ...line, text }
  return {
    ...line,
    text,
    shorten: (room) => {
      const short = shorten(room - bullet.length)
      return short === null ? null : bullet + short
    },
  }
}

/** Two long commands may be the same once they are shortened. */
function withoutRepeats(lines: readonly RoomLine[]): RoomLine[] {
  const seen = new Set<string>()
  return lines.filter(({ text }) => {
    const isNew = !seen.has(text)
    seen.add(text)
    return isNew
  })
}

/** Everything a digest says, to recognise what is told already. */
export function digestLines(digest: Digest): string[] {
  return [
    ...[...digest.asked, ...digest.decided, ...digest.open, ...digest.resolved].map(({ text }) => text),
    ...(digest.answer === null ? [] : [digest.answer.text]),
    ...digest.changed.map(({ path }) => path),
    ...digest.ran.map(({ command }) => command),
    ...digest.commits.map(({ message }) => message),
  ]
}

/** The last word counts most, and is told last. */
function said(label: string, all: readonly Said[]): RoomLine[] {
  return all.toReversed().flatMap(({ text, by, n }) => {
    const words = textOnOneLine(text)
    const atMost = (room: number): string | null => {
      const short = room < MIN_SAID_CHARS ? null : shortenTo(words, Math.min(room, MAX_SAID_CHARS) - label.length - 2)
      return short === null ? null : `${label}: ${short}`
    }
    const whole = atMost(MAX_SAID_CHARS)
    return words === '' || whole === null
      ? []
      : [{ text: whole, reason: `entry ${n}, said by ${by}`, shorten: atMost, order: n }]
  })
}

const HOW = { created: ' (new)', removed: ' (removed)', edited: '' } as const

/** Files outside of the project (a worktree) have long names: what they share is told once a line. */
function changedLines(changed: readonly ChangedFile[]): RoomLine[] {
  const outside = changed.filter(({ path }) => /^(?:\/|[a-z]:[\\/])/i.test(path))
  const shared = sharedDirectory(outside.map(({ path }) => path))
  const listed = (label: string, files: readonly ChangedFile[], skip: number): RoomLine[] =>
    inLists(files.map(({ path, how }) => textOnOneLine(path.slice(skip)) + HOW[how])).map((list) => ({
      text: `${label}: ${list}`,
      reason: 'files changed in this session',
    }))
  if (shared === '') return listed('Changed', changed, 0)
  return [
    ...listed(
      'Changed',
      changed.filter((file) => !outside.includes(file)),
      0,
    ),
    ...listed(`Changed in ${textOnOneLine(shared)}`, outside, shared.length),
  ]
}

/** With its last slash; empty for fewer than two files, and for the root. */
function sharedDirectory(paths: readonly string[]): string {
  const [first = '', ...others] = paths
  if (others.length === 0) return ''
  let end = first.length
  while (
    end > 1 &&
    !(/[\\/]/.test(first[end - 1] ?? '') && others.every((path) => path.startsWith(first.slice(0, end))))
  )
    end--
  return end > 1 ? first.slice(0, end) : ''
}

function ranLines(label: string, digest: Digest, wanted: RanCommand['ok']): RoomLine[] {
  const ranks = commandRanks(digest.ran)
  return digest.ran
    .filter(({ ok }) => ok === wanted)
    .toSorted((a, b) => (ranks.get(b) ?? 0) - (ranks.get(a) ?? 0) || b.n - a.n)
    .map(({ command, tellingLine, ok, failures, n }) => {
      const result = shortenTo(textOnOneLine(tellingLine ?? ''), MAX_RESULT_CHARS) ?? ''
      const before = ok === true && failures > 0 ? `failed ${failures === 1 ? 'once' : `${failures} times`} before` : ''
      const remarks = [result, before].filter((remark) => remark !== '').join('; ')
      return {
        text: `${label}: ${verbatim(command)}${remarks === '' ? '' : ` (${remarks})`}`,
        reason: `entry ${n}, ${ok === true ? 'a command that worked' : 'a command whose last run failed'}`,
        order: n,
      }
    })
}

function committedLines(digest: Digest): RoomLine[] {
  return digest.commits.toReversed().flatMap(({ message, n }) => {
    const words = shortenTo(textOnOneLine(message), MAX_RESULT_CHARS)
    return words === null ? [] : [{ text: `Committed: ${words}`, reason: `entry ${n}, a commit`, order: n }]
  })
}

/** Sentences with a measurement that no other line tells whole. */
function numberLines(digest: Digest): RoomLine[] {
  const answer = digest.answer?.text ?? ''
  if (textOnOneLine(answer).length <= MAX_SAID_CHARS) return []
  return splitSentences(textOnOneLine(answer))
    .filter((sentence) => MEASURE.test(sentence) && sentence.length <= MAX_SAID_CHARS)
    .map((sentence) => ({ text: `Number: ${sentence}`, reason: `entry ${digest.answer?.n}, has a measurement` }))
}

/** As it was typed; further lines are indented, so that none passes for a line of ours. */
function verbatim(command: string): string {
  const words = harmlessText(command).trim().replace(/\n/g, '\n  ')
  return words.includes('`') ? `\`\` ${words} \`\`` : `\`${words}\``
}
