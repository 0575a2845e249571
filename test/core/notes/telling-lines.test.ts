/** Which lines of a failed command's output matter. */
import { describe, expect, it } from 'vitest'
import { tellingLines } from '../../../src/core/notes/telling-lines.ts'
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
