/** When two failures show the same error: what is folded of a line, and which lines count. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { errorShown, foldedLine, sharedLine } from '../../../src/core/search/same-error.ts'
import type { Entry } from '../../../src/kernel/transcript/session.ts'
import { claude, session } from '../../fixtures/sessions.ts'

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

const shared = (asked: string, earlier: string, command = 'mise run test', next: Entry[] = []): string | null =>
  sharedLine(errorShown({ command: '', output: asked }), { command, output: earlier }, session(next))

const TEST_LOG = ['[test] ERROR task failed', 'ok shop/wire 2.8s', 'ok shop/fuse 0.3s', 'ok shop/beam 0.3s']

describe('an earlier failure', () => {
  it('has the same error if its telling line is among those that are asked about', () => {
    const earlier = [...TEST_LOG, 'wick_test.go:41: the fuse has 3 ampere'].join('\n')

    expect(shared('wick_test.go:57: the fuse has 9 ampere', earlier)).toBe('wick_test.go:41: the fuse has 3 ampere')
    expect(shared('glass_test.go:57: the fuse has 9 ampere', earlier)).toBeNull()
  })

  it('is another one if only the runner says the same', () => {
    const wick = [...TEST_LOG, 'wick_test.go:41: the fuse has 3 ampere'].join('\n')
    const glass = [...TEST_LOG, 'glass_test.go:7: the glass is broken'].join('\n')

    expect(shared(glass, wick)).toBeNull()
    expect(shared(TEST_LOG.join('\n'), wick)).toBeNull()
    expect(shared(TEST_LOG.join('\n'), TEST_LOG.join('\n'))).toBeNull()
  })

  it('shares more than half of what one of the two tells', () => {
    const lines = ['error: no such table users', 'error: no such column age', 'error: disk is full today']

    expect(shared([lines[0], lines[1]].join('\n'), [lines[0], lines[2]].join('\n'))).toBeNull()
    expect(shared(lines.join('\n'), [lines[0], lines[1]].join('\n'))).toBe(lines[0])
    expect(shared(lines[0] ?? '', lines.join('\n'))).toBe(lines[0])
  })

  it('is told by the line that Claude then took up, where none is marked', () => {
    const output = [
      'go: updates to go.mod needed; to update it:',
      'go mod tidy',
      'one more line',
      'the last of them',
    ].join('\n')

    expect(shared(output, output, 'go test', [claude('The updates to go.mod are needed.')])).toMatch(/^go: updates/)
    expect(shared(output, output, 'go test', [claude('I look elsewhere.')])).toBeNull()
  })

  it('is found without a telling line in neither of them by nothing', () => {
    expect(shared('', '')).toBeNull()
    expect(shared('', 'error: no such table users')).toBeNull()
    expect(shared('\u0000\n\n', '\n')).toBeNull()
  })
})

// Of a square they would take minutes.
it.each(['a-', 'ab1-', 'a/', '1.', '0x', 'word '])(
  'a line of a million characters of %j is folded at once',
  (piece) => {
    const line = piece.repeat(1_000_000 / piece.length)

    expect(foldedLine(line).length).toBeLessThan(500)
    expect(errorShown({ command: '', output: `${line}\nsrc/a.ts:3 fails today` }).telling[0]?.text).toBe(
      'src/a.ts:3 fails today',
    )
  },
)
