/** The blocks of the README that show what happens: each is marked, and must be what happens, word for word. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'

const README = join(resolve(import.meta.dirname, '..', '..', '..'), 'README.md')
/** The characters at the end of a frame's name are of their text and their key. */
function withPlainFrames(text: string): string {
  return text.replace(/(<\/?memory-keeper(?:-recall)?)-[a-z2-9]{8}>/g, '$1>')
}

/** `<!-- shown: briefing -->` or `<!-- shown: status, any numbers -->` before a fenced block. */
const MARKED = /<!-- shown: ([\w-]+)(, any numbers)? -->\s*```\w*\n([\s\S]*?)\n```/g

interface Shown {
  name: string
  text: string
  anyNumbers: boolean
}

export function shownInReadme(): Shown[] {
  return [...readFileSync(README, 'utf8').matchAll(MARKED)].map(([, name = '', numbers, text = '']) => ({
    name,
    text,
    anyNumbers: numbers !== undefined,
  }))
}

export function shown(name: string): Shown {
  const [found, ...others] = shownInReadme().filter((block) => block.name === name)
  if (found === undefined || others.length > 0)
    throw new Error(`README.md has ${found === undefined ? 'no' : 'more than one'} block <!-- shown: ${name} -->.`)
  return found
}

/** Lines may be broken elsewhere; `…` stands for whatever is left out; ids, days and times are of their moment. */
export function expectShown(name: string, actual: string): void {
  const { anyNumbers, ...block } = shown(name)
  const text = withPlainFrames(block.text)
  const pattern = text
    .split(/(…)/)
    .map((part) => (part === '…' ? '[\\s\\S]*?' : patternOf(part, anyNumbers)))
    .join('')
  const plain = spaced(withPlainFrames(actual))
  expect(new RegExp(pattern).test(plain), `README.md, ${name}:\n${text}\n--- it is ---\n${actual}`).toBe(true)
}

/** Stand for what is of its moment, until the rest is a pattern. */
const [DAY, TIME, ID, NUMBER, SPAN] = ['\u0001', '\u0002', '\u0003', '\u0004', '\u0005']

function patternOf(text: string, anyNumbers: boolean): string {
  const escaped = spaced(text).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  const momentary = escaped
    .replace(/(?<!\d)\d{4}-\d\d-\d\d(?!\d)/g, DAY)
    .replace(/(?<!\d)\d\d-\d\d \d\d:\d\d(?= \\\[)/g, SPAN)
    .replace(/(?<!\d)\d\d:\d\d(?::\d\d)?(?:\\\.\d+)?(?!\d)/g, TIME)
    .replace(/\b(?=[a-f]*\d)[0-9a-f]{8}\b/g, ID)
  const numbered = anyNumbers ? momentary.replace(/\d[\d,]*(?:\\\.\d+)?/g, NUMBER) : momentary
  return numbered
    .replaceAll(DAY, '\\d{4}-\\d\\d-\\d\\d')
    .replaceAll(SPAN, '\\d\\d-\\d\\d \\d\\d:\\d\\d(?:–\\d\\d:\\d\\d)?')
    .replaceAll(TIME, '\\d\\d:\\d\\d(?::\\d\\d)?(?:\\.\\d+)?')
    .replaceAll(ID, '[0-9a-f]{8}')
    .replaceAll(NUMBER, '\\d[\\d,.]*')
}

function spaced(text: string): string {
  return text.replace(/\s+/g, ' ')
}
