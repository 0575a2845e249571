/** Lines of ours are known as ours, whatever is forgotten; lines of people are not. */
import fs from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutProse } from '../../src/outgoing/forget-cut.ts'
import { isOurLine } from '../../src/outgoing/forget-ours.ts'
import { BUILT_IN_RULES, formatRules } from '../../src/pages/rule.ts'

/** Literals in a source file: who changes a heading changes it here, too. */
function literalsIn(file: string, pattern: RegExp): string[] {
  return [...fs.readFileSync(file, 'utf8').matchAll(pattern)].map(([, text = '']) => text)
}

describe('ours', () => {
  it.each(literalsIn('src/briefing/briefing.ts', /['"](## [^\n]*?)['"](?:,|\n)/g))('is the heading %s', (line) => {
    expect(isOurLine(line)).toBe(true)
  })

  it.each([
    ...literalsIn('src/briefing/briefing.ts', /const (?:OPEN|CLOSE|ABOUT) =\s*'([^\n]*)'\n/g),
    ...literalsIn('src/recall/recall-text.ts', /const (?:OPEN|CLOSE|ABOUT) =\s*'([^\n]*)'\n/g),
    ...literalsIn('src/pages/rule.ts', /const HEADER =\s*'([^\n]*)'\n/g),
    ...literalsIn('src/notes/disk/memory.ts', /^(<!-- Notes of Memory Keeper.*)$/gm),
  ])('is %s', (line) => {
    expect(isOurLine(line)).toBe(true)
  })

  it('is a whole file of built-in rules', () => {
    const lines = formatRules(BUILT_IN_RULES).split('\n')
    expect(lines.filter((line) => line !== '' && !isOurLine(line))).toEqual([])
  })

  it('are at least this many lines of a briefing', () => {
    expect(literalsIn('src/briefing/briefing.ts', /['"](## [^\n]*?)['"](?:,|\n)/g).length).toBeGreaterThan(11)
  })
})

describe('not ours', () => {
  it.each(['## Page: architecture', '- d001: Feed the osprey.', '# Architecture', '- Verify the osprey.', ''])(
    'is %j',
    (line) => {
      expect(isOurLine(line)).toBe(false)
    },
  )
})

it('stays in any prose, and the rest says nothing of it any more', () => {
  const part = fc.constantFrom(
    '## Core Decisions',
    'The core is red.',
    '- Verify; do not just agree or assume.',
    'Agree.',
  )
  const isSaid = (text: string): boolean => /core|agree/i.test(text)
  fc.assert(
    fc.property(fc.array(part), (lines) => {
      const left = cutProse(lines.join('\n'), isSaid).left.split('\n')
      const ours = lines.filter(isOurLine)
      expect(left.filter((line) => line !== '')).toEqual(ours)
    }),
  )
})
