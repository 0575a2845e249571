/** Which lines of a failed command's output matter. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldedLine, tellingLines } from '../../../src/core/notes/telling-lines.ts'
import { numbered, ran, said } from '../../support/story.ts'

const OUTPUT = [
  'ok acme/lantern/wire 2.889s',
  'ok acme/lantern/fuse 0.322s',
  'ok acme/lantern/beam (cached)',
  'wick_test.go:41: the lantern fuse of the beam has 3 ampere, want 2',
  'FAIL acme/lantern/wick 0.519s',
]

const told = (output: readonly string[], next = 'The wire, the fuse and the beam of the lantern are fine.'): string[] =>
  tellingLines({ at: 0, cmd: 'make check', output: output.join('\n') }, numbered([ran('make check'), said(next)]))

describe('the telling lines of a failure', () => {
  it('begin with the one that names a place, however many words the others share with what follows', () => {
    expect(told(OUTPUT)[0]).toBe(OUTPUT[3])
    expect(told(OUTPUT)[1]).toBe(OUTPUT[4])
  })

  it('are no lines of a list of what was done', () => {
    expect(told(OUTPUT).filter((line) => line.startsWith('ok'))).toEqual([])
    expect(told(OUTPUT.slice(0, 4).map((line) => line.replace('wick_test.go:41: the', 'A')))[0]).toMatch(
      /^A lantern fuse/,
    )
  })

  it('are lines of a list where each of them names a place', () => {
    const places = [1, 2, 3].map((n) => `wick.go:${n} the lantern burns`)

    expect(told(places)).toEqual(places)
  })

  it('are marked by the program, not by a word in what it quotes', () => {
    const quoted = [
      '[lint] ERROR task failed',
      't.Fatalf("failed to wire: %v", err)',
      'return wick',
      '1 issues:',
      '* dupl: 1',
    ]

    expect(told(quoted, 'I look elsewhere.')).toEqual(['[lint] ERROR task failed'])
  })

  it('are none where no line matters', () => {
    expect(
      told(['lantern wick', 'lantern glass', 'lantern chain', 'copper hook', 'paper shade'], 'I look elsewhere.'),
    ).toEqual([])
  })
})

// bench/hostile.ts measures how the time grows: of a square, it would take minutes.
it('telling lines are found beside a line of one long word', () => {
  expect(told(['a'.repeat(600_000), 'src/a.ts:3 fails'])[0]).toBe('src/a.ts:3 fails')
})

const FOLDED: readonly (readonly [what: string, one: string, other: string])[] = [
  ['line and column', 'src/a.ts:12:5 - no such name', 'src/a.ts:340:17 - no such name'],
  ['line without a column', 'wick_test.go:41: want two lanterns', 'wick_test.go:43:7: want two lanterns'],
  ['directories', '/home/ann/shop/src/a.ts: broken', 'C:\\work\\shop\\src\\a.ts: broken'.replace('C:', '')],
  ['addresses', 'segfault at 0x7ffe01 in lantern', 'segfault at 0x55d3c0 in lantern'],
  ['hashes', 'bad object 3f2c1ab9', 'bad object 99aa001c'],
  [
    'identifiers with hyphens',
    'job 6fa459ea-ee8a-3ca4-894e-db77e160355e lost',
    'job 16fd2706-8baf-433b-82eb-8c7fada847da lost',
  ],
  ['times', '2026-01-13T09:00:01.123Z connection refused', '2026-02-01T23:59:59.004Z connection refused'],
  ['times with slashes', '2026/01/13 09:00:01 connection refused', '2026/02/01 23:59:59 connection refused'],
  ['durations', 'FAIL lantern/wick 0.519s', 'FAIL lantern/wick 12.3s'],
  ['counts', '3 failed, 12 passed', '14 failed, 1,200 passed'],
  ['spaces', 'error:   no wick', 'error: no wick'],
]

const DIFFERENT: readonly (readonly [what: string, one: string, other: string])[] = [
  ['the file', 'src/a.ts:12 no such name', 'src/b.ts:12 no such name'],
  ['the code of an error', 'error TS2339: no such name', 'error TS2304: no such name'],
  ['a word', 'connection refused', 'connection reset'],
  ['a number inside a name', 'wick2 burns', 'wick3 burns'],
]

describe('a folded line', () => {
  it.each(FOLDED)('is the same with other %s', (_, one, other) => {
    expect(foldedLine(one)).toBe(foldedLine(other))
  })

  it.each(DIFFERENT)('differs with %s', (_, one, other) => {
    expect(foldedLine(one)).not.toBe(foldedLine(other))
  })

  it('stays as it is when it is folded again', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (line) => {
        const folded = foldedLine(line)
        expect(foldedLine(folded)).toBe(folded)
      }),
    )
  })
})

it('a folded line is short, however long the line is', () => {
  for (const piece of ['a-', 'ab1-', 'a/', '1.', '0x'])
    expect(foldedLine(piece.repeat(500_000)).length).toBeLessThan(500)
})
