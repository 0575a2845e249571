/** When two failures show the same error. */
import { describe, expect, it } from 'vitest'
import { errorShown, sharedLine } from '../../../src/core/search/same-error.ts'
import type { Entry } from '../../../src/kernel/transcript/session.ts'
import { claude, session } from '../../fixtures/sessions.ts'

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

  it('shares one of many lines that name a place, and then nothing else counts', () => {
    const place = (name: string): string => `src/${name}.ts:3:1 the ${name} is not lit`
    const lint = (...names: string[]): string => [...names.map(place), 'error: linting of lamps failed'].join('\n')

    expect(shared(lint('wick', 'glass', 'hook'), lint('chain', 'wick', 'paper'))).toBe(place('wick'))
    expect(shared(lint('wick'), lint('chain'))).toBeNull()
    expect(shared(lint(), lint('chain'))).toBeNull()
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

  it('is not told by the rest of a line that was cut', () => {
    expect(shared('error: the lamp has no wick …', 'error: the lamp has no wick …')).toBeNull()
    expect(shared('error: the lamp has no wick', 'error: the lamp has no wick')).toBe('error: the lamp has no wick')
  })

  it('is none where one of the two tells nothing', () => {
    expect(shared('', '')).toBeNull()
    expect(shared('', 'error: no such table users')).toBeNull()
    expect(shared('\u0000\n\n', '\n')).toBeNull()
  })
})

// Of a square they would take minutes.
it.each(['a-', 'ab1-', 'a/', '1.', '0x', 'word '])('a line of a million characters of %j is read at once', (piece) => {
  const line = piece.repeat(1_000_000 / piece.length)

  expect(errorShown({ command: '', output: `${line}\nsrc/a.ts:3 fails today` }).telling[0]?.text).toBe(
    'src/a.ts:3 fails today',
  )
})
