/** Progress of long work: nothing at first, a bar on a terminal, a line now and then elsewhere. */
import { describe, expect, it } from 'vitest'
import type { CliWorld } from '../../src/memory/commands/context.ts'
import { createOutput } from '../../src/memory/commands/output.ts'
import { showLate } from '../../src/memory/commands/progress.ts'

/** What is printed when so many of 20 MB are done after so many seconds. */
function printed(
  isErrTerminal: boolean,
  inLines: boolean,
  steps: readonly (readonly [seconds: number, mb: number])[],
): string {
  let at = 0
  let err = ''
  const streams = {
    out: () => undefined,
    err: (text: string) => {
      err += text
    },
    isErrTerminal,
  }
  const world = { streams, now: () => new Date(at * 1000).toISOString() } as unknown as CliWorld
  const show = showLate(world, createOutput(streams, false), 'read', { inLines })
  for (const [seconds, mb] of steps) {
    at = seconds
    show(mb * 1e6, 20e6)
  }
  return err
}

describe('progress', () => {
  it('is not shown for what is quickly done', () => {
    for (const isTerminal of [true, false])
      expect(
        printed(isTerminal, true, [
          [0.1, 5],
          [0.3, 20],
        ]),
      ).toBe('')
  })

  it('is a bar on a terminal, ended once', () => {
    const text = printed(true, false, [
      [0.5, 2],
      [1, 5],
      [2, 12],
      [3, 20],
    ])

    expect(
      text
        .split('\r')
        .slice(1)
        .map((bar) => bar.replace(/^[█░]+ /, '')),
    ).toEqual(['5/20 MB read', '12/20 MB read', '20/20 MB read\n'])
  })

  it('is a line every few seconds where nothing can be written over, if at all', () => {
    const steps = [
      [1, 1],
      [3, 4],
      [5, 8],
      [6, 9],
      [11, 15],
      [12, 20],
    ] as const

    expect(printed(false, true, steps)).toBe('8 of 20 MB read\n15 of 20 MB read\n20 of 20 MB read\n')
    expect(printed(false, false, steps)).toBe('')
  })
})
