/** Which lines of a file are ours: their marks stand in a comment, and whatever has none was written or changed by a person. */
import { fingerprint } from './fingerprint.ts'

const MARKS = /^<!-- ours:((?: [0-9a-f]{6})*) -->$/
const MARK_DIGITS = 6

export function markOf(line: string): string {
  return fingerprint(line.trim()).slice(-MARK_DIGITS)
}

/** The same text with the marks of its lines as its last line; `hand` follows without any. */
export function withMarks(text: string, hand: readonly string[]): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const marks = ['<!-- ours:', ...lines.map(markOf), '-->'].join(' ')
  return [text.trimEnd(), '', ...(hand.length === 0 ? [] : [...hand, '']), marks, ''].join('\n')
}

/** What a person wrote into a text, line by line; none in a text without marks, which is older than they are. */
export function handLines(text: string): string[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n')
  const found = lines.flatMap((line) => MARKS.exec(line.trim())?.[1]?.trim() ?? [])
  const marks = new Set(found.flatMap((one) => one.split(' ')))
  return found.length === 0 ? [] : byHand(lines, (line) => MARKS.test(line.trim()) || marks.has(markOf(line)))
}

/** Those that are not ours; an empty line stands for whatever was between them. */
export function byHand(lines: readonly string[], isOurs: (line: string) => boolean): string[] {
  const hand: string[] = []
  let isApart = false
  for (const line of lines) {
    const isHand = line.trim() !== '' && !isOurs(line)
    if (isHand) hand.push(...(isApart && hand.length > 0 ? [''] : []), line.trimEnd())
    isApart = !isHand
  }
  return hand
}
