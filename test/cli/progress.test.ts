/** Progress of long work: nothing at first, a bar on a terminal, a line now and then elsewhere. */
import { expect, it } from 'vitest'
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

const QUICK = [
  [0.1, 5],
  [0.3, 20],
] as const
const SLOW = [
  [0.5, 2],
  [1, 5],
  [2, 12],
  [6, 15],
  [8, 20],
] as const

it('is not shown for what is quickly done', () => {
  for (const isTerminal of [true, false]) expect(printed(isTerminal, true, QUICK)).toBe('')
})

it('is a bar on a terminal, ended once', () => {
  const bars = printed(true, false, SLOW).split('\r').slice(1)
  expect(bars.map((bar) => bar.replace(/^[█░]+ /, ''))).toEqual([
    ...['5/20 MB read', '12/20 MB read', '15/20 MB read', '20/20 MB read\n'],
  ])
})

it('is a line every few seconds where nothing can be written over, if at all', () => {
  expect(printed(false, true, SLOW)).toBe('15 of 20 MB read\n20 of 20 MB read\n')
  expect(printed(false, false, SLOW)).toBe('')
})
