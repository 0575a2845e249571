/** The ledger of model calls, its daily cap, and the health of the headless child. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  endPauseAtStart,
  noteOutcome,
  readCalls,
  readHealth,
  reserveCall,
  settleCall,
  usedToday,
} from '../../../../src/core/model/disk/model-calls.ts'
import { HEADLESS_HEALTH_FILE, MODEL_CALLS_FILE } from '../../../../src/kernel/platform/layout.ts'
import { runModule } from '../../../support/module.ts'
import { fastDir, NOW, tempDir } from '../../../support/project.ts'

const LIMITS = { callsPerDay: 3, tokensPerDay: 1000 }
const ROOMY = { callsPerDay: 1e6, tokensPerDay: 1e9 }
const call = { at: NOW, project: 'app-1234', kind: 'note', estimatedTokens: 100 }
const fine = { ok: true, tokens: { input: 200, output: 20 }, costUsd: 0.001, ms: 900 }
const TOMORROW = '2026-01-14T00:00:00.000Z'

function idOf(reserved: ReturnType<typeof reserveCall>): string {
  if ('refusedBecause' in reserved) throw new Error(reserved.refusedBecause)
  return reserved.id
}

describe('a call', () => {
  it('stands in the ledger before it is made, and with its cost afterwards', () => {
    const dir = path.join(tempDir(), 'keeper')
    const id = idOf(reserveCall(dir, call, LIMITS))
    const started = { id, ...call, ok: null, why: null, tokens: { input: 0, output: 0 }, costUsd: null, ms: null }
    expect(readCalls(dir)).toEqual([started])
    settleCall(dir, id, fine)

    expect(readCalls(dir)).toEqual([{ ...started, ...fine }])
    expect(fs.readdirSync(dir)).toEqual([HEADLESS_HEALTH_FILE, MODEL_CALLS_FILE])
  })

  it('leaves no word of its answer', () => {
    const dir = tempDir()
    const id = idOf(reserveCall(dir, call, LIMITS))
    const result = { ...fine, text: 'what was said', message: 'what went wrong' }
    settleCall(dir, id, result)

    expect(fs.readFileSync(path.join(dir, MODEL_CALLS_FILE), 'utf8')).not.toContain('what')
  })

  it('has an id of its own within one second', () => {
    const dir = tempDir()
    const ids = [1, 2, 3].map(() => idOf(reserveCall(dir, call, LIMITS)))

    expect(new Set(ids).size).toBe(3)
  })

  it('is refused when the calls of the day are used up, until the next day in UTC', () => {
    const dir = tempDir()
    for (const project of ['a', 'b', 'c']) idOf(reserveCall(dir, { ...call, project }, LIMITS))

    expect(reserveCall(dir, call, LIMITS)).toHaveProperty('refusedBecause')
    expect(readCalls(dir)).toHaveLength(3)
    expect(reserveCall(dir, { ...call, at: TOMORROW }, LIMITS)).toHaveProperty('id')
  })

  it('is refused when its tokens would not fit into the day', () => {
    const dir = tempDir()
    settleCall(dir, idOf(reserveCall(dir, call, LIMITS)), { ...fine, tokens: { input: 700, output: 101 } })

    expect(reserveCall(dir, { ...call, estimatedTokens: 200 }, LIMITS)).toHaveProperty('refusedBecause')
    expect(reserveCall(dir, { ...call, estimatedTokens: 199 }, LIMITS)).toHaveProperty('id')
  })

  it('of nothing is refused with a cap of nothing', () => {
    expect(reserveCall(tempDir(), call, { ...ROOMY, callsPerDay: 0 })).toHaveProperty('refusedBecause')
    expect(reserveCall(tempDir(), call, { ...ROOMY, tokensPerDay: 0 })).toHaveProperty('refusedBecause')
  })

  it('that was cut off counts with its estimate, one that was turned away without', () => {
    const unpaid = { ok: false, tokens: { input: 0, output: 0 }, costUsd: null, ms: 5 }
    const left = (why: 'killed' | 'timeout' | 'login' | null): boolean => {
      const dir = tempDir()
      const id = idOf(reserveCall(dir, { ...call, estimatedTokens: 900 }, LIMITS))
      if (why !== null) settleCall(dir, id, { ...unpaid, why })
      return 'id' in reserveCall(dir, { ...call, estimatedTokens: 200 }, LIMITS)
    }

    expect([left(null), left('killed'), left('timeout'), left('login')]).toEqual([false, false, false, true])
  })
})

describe('the ledger', () => {
  it('never grants more than the cap, whatever becomes of the calls', () => {
    const end = fc.constantFrom('killed' as const, 'login' as const, 'fine' as const, null)
    const step = fc.record({ estimatedTokens: fc.nat(600), end, hour: fc.nat(47) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const dir = fastDir()
        for (const { estimatedTokens, end: why, hour } of steps) {
          const at = new Date(Date.parse('2026-01-13T00:00:00Z') + hour * 3_600_000).toISOString()
          const reserved = reserveCall(dir, { ...call, at, estimatedTokens }, LIMITS)
          if (!('id' in reserved) || why === null) continue
          const tokens = why === 'fine' ? { input: estimatedTokens, output: 0 } : { input: 0, output: 0 }
          settleCall(dir, reserved.id, {
            ok: why === 'fine',
            ...(why === 'fine' ? {} : { why }),
            tokens,
            costUsd: 0,
            ms: 1,
          })
        }
        for (const day of ['2026-01-13', '2026-01-14']) {
          const calls = readCalls(dir).filter(({ at }) => at.startsWith(day))
          const used = calls.reduce((sum, one) => sum + (one.why === 'login' ? 0 : one.estimatedTokens), 0)
          expect(calls.length).toBeLessThanOrEqual(LIMITS.callsPerDay)
          expect(used).toBeLessThanOrEqual(LIMITS.tokensPerDay)
        }
        fs.rmSync(dir, { recursive: true })
      }),
      { numRuns: 40 },
    )
  })

  it('passes over broken lines, and a half-written one swallows no other', () => {
    const dir = tempDir()
    const id = idOf(reserveCall(dir, call, LIMITS))
    const file = path.join(dir, MODEL_CALLS_FILE)
    fs.appendFileSync(file, 'null\n[1]\n{"id":5}\n{"id":"x","at":1}\n{"id":"orphan","ok":true}\n{"id":"ha')
    settleCall(dir, id, fine)
    fs.appendFileSync(file, `{"id":"${id}","ok":`)

    expect(readCalls(dir)).toMatchObject([{ id, ok: true }])
    expect(reserveCall(dir, call, LIMITS)).toHaveProperty('id')
    expect(readCalls(dir)).toHaveLength(2)
  })

  it('is nothing where there is none', () => {
    expect(readCalls(path.join(tempDir(), 'none'))).toEqual([])
  })

  it('stays small, and keeps the newest calls and all of today', () => {
    const dir = tempDir()
    const old = (n: number) =>
      `${JSON.stringify({ ...call, id: `old-${n}`, at: '2026-01-01T00:00:00.000Z', ok: true, why: null, tokens: { input: 1, output: 2 }, costUsd: 0.5, ms: 3 })}\n`
    const today = [0, 1].map((n) => `${JSON.stringify({ ...call, id: `today-${n}` })}\n`)
    const lines = [today[0] ?? '', ...Array.from({ length: 4000 }, (_, n) => old(n)), today[1] ?? '']
    const file = path.join(dir, MODEL_CALLS_FILE)
    fs.writeFileSync(file, lines.join(''))
    const last = readCalls(dir).find(({ id }) => id === 'old-3999')
    reserveCall(dir, call, ROOMY)
    const calls = readCalls(dir)

    expect(fs.statSync(file).size).toBeLessThan(300_000)
    expect(calls.filter(({ at }) => at === NOW).map(({ id }) => id.split('-')[0])).toEqual([
      'today',
      'today',
      '20260113_120000',
    ])
    expect(calls.find(({ id }) => id === 'old-3999')).toEqual(last)
    expect(calls.some(({ id }) => id === 'old-0')).toBe(false)
  })

  it('grants no more and loses nothing when many processes write at once', async () => {
    const dir = tempDir()
    const script = `
      import { reserveCall, settleCall } from './src/core/model/disk/model-calls.ts'
      for (let n = 0; n < 12; n++) {
        const reserved = reserveCall(${JSON.stringify(dir)}, ${JSON.stringify(call)}, { callsPerDay: 25, tokensPerDay: 1e9 })
        if ('id' in reserved) settleCall(${JSON.stringify(dir)}, reserved.id, ${JSON.stringify(fine)})
      }`
    await runModule(script, 4)
    const calls = readCalls(dir)

    expect(calls).toHaveLength(25)
    expect(calls.every(({ ok }) => ok === true)).toBe(true)
  }, 30_000)
})

describe('the cap of the day', () => {
  const losses: [string, (file: string) => void][] = [
    ['emptied', (file) => fs.writeFileSync(file, '')],
    ['removed', (file) => fs.rmSync(file)],
    ['garbled', (file) => fs.writeFileSync(file, fs.readFileSync(file).fill('x'))],
    ['cut to its first line', (file) => fs.writeFileSync(file, `${fs.readFileSync(file, 'utf8').split('\n')[0]}\n`)],
  ]

  it.each(losses)('goes on counting when the ledger is %s', (_, lose) => {
    const dir = tempDir()
    const file = path.join(dir, MODEL_CALLS_FILE)
    for (const _ of [1, 2]) settleCall(dir, idOf(reserveCall(dir, call, LIMITS)), fine)
    lose(file)
    expect(usedToday(dir, NOW)).toMatchObject({ calls: 2, tokens: 440 })
    settleCall(dir, idOf(reserveCall(dir, call, LIMITS)), fine)

    expect(usedToday(dir, NOW)).toMatchObject({ calls: 3, tokens: 660 })
    expect(reserveCall(dir, call, LIMITS)).toHaveProperty('refusedBecause')
    lose(file)
    expect(reserveCall(dir, call, LIMITS)).toHaveProperty('refusedBecause')
    expect(reserveCall(dir, call, { callsPerDay: 9, tokensPerDay: 759 })).toHaveProperty('refusedBecause')
    expect(reserveCall(dir, call, { callsPerDay: 9, tokensPerDay: 760 })).toHaveProperty('id')
    expect(reserveCall(dir, { ...call, at: TOMORROW }, LIMITS)).toHaveProperty('id')
  })

  it('counts a call whose ledger is emptied while it runs', () => {
    const dir = tempDir()
    const id = idOf(reserveCall(dir, call, LIMITS))
    fs.writeFileSync(path.join(dir, MODEL_CALLS_FILE), '')
    settleCall(dir, id, fine)

    expect(usedToday(dir, NOW)).toMatchObject({ calls: 1, tokens: 100, lost: 1 })
  })

  it('is what the ledger says where nothing was lost, and survives what health says', () => {
    const dir = tempDir()
    settleCall(dir, idOf(reserveCall(dir, call, LIMITS)), fine)
    noteOutcome(dir, NOW, { ok: false, why: 'login', message: 'no' })
    noteOutcome(dir, NOW, { ok: true })
    expect(usedToday(dir, NOW)).toEqual({ calls: 1, tokens: 220, lost: 0 })
    fs.rmSync(path.join(dir, MODEL_CALLS_FILE))

    expect(usedToday(dir, NOW)).toEqual({ calls: 1, tokens: 220, lost: 1 })
    expect(usedToday(dir, TOMORROW)).toEqual({ calls: 0, tokens: 0, lost: 0 })
  })
})

describe('calls about history', () => {
  it('have three tenths of the day, in calls and in tokens', () => {
    const history = { ...call, history: true as const }
    const dir = path.join(tempDir(), 'keeper')
    const limits = { callsPerDay: 10, tokensPerDay: 1_000_000 }
    for (const _ of [1, 2, 3]) idOf(reserveCall(dir, history, limits))

    expect(reserveCall(dir, history, limits)).toHaveProperty('refusedBecause')
    expect(reserveCall(dir, call, limits)).toHaveProperty('id')
    expect(reserveCall(dir, { ...history, at: TOMORROW }, limits)).toHaveProperty('id')
    const few = { callsPerDay: 100, tokensPerDay: call.estimatedTokens * 3 }
    expect(reserveCall(path.join(tempDir(), 'keeper'), history, few)).toHaveProperty('refusedBecause')
  })
})

it.each([
  [0, 0],
  [1, 1],
  [3, 1],
  [7, 2],
])('with %i calls a day, history has %i', (callsPerDay, expected) => {
  const dir = path.join(tempDir(), 'keeper')
  const reserve = () => reserveCall(dir, { ...call, history: true as const }, { callsPerDay, tokensPerDay: 1_000_000 })

  expect(Array.from({ length: 8 }, reserve).filter((one) => 'id' in one)).toHaveLength(expected)
})

describe('health', () => {
  const failed = { ok: false, why: 'overloaded', message: '529: overloaded' } as const
  const later = (minutes: number): string => new Date(Date.parse(NOW) + minutes * 60_000).toISOString()

  it('is good where nothing is known, or nothing readable', () => {
    const good = { failuresInRow: 0, last: null, pausedUntil: null }
    expect(readHealth(path.join(tempDir(), 'none'))).toEqual(good)
    for (const text of ['{', '[]', 'null', '{"failuresInRow":"2","last":{"at":1},"pausedUntil":"soon"}']) {
      const dir = tempDir()
      fs.writeFileSync(path.join(dir, HEADLESS_HEALTH_FILE), text)
      expect(readHealth(dir)).toEqual(good)
    }
  })

  it('pauses after two failures in a row for minutes, which double up to four hours', () => {
    const dir = path.join(tempDir(), 'keeper')
    const pauses = Array.from({ length: 9 }, () => {
      noteOutcome(dir, NOW, failed)
      return readHealth(dir).pausedUntil
    })

    expect(pauses).toEqual([null, ...[5, 10, 20, 40, 80, 160, 240, 240].map(later)])
    expect(readHealth(dir)).toMatchObject({ failuresInRow: 9, last: { at: NOW, why: 'overloaded' } })
  })

  it.each(['login', 'not-found'] as const)('pauses until the next start where only a person can help (%s)', (why) => {
    const dir = path.join(tempDir(), 'keeper')
    noteOutcome(dir, NOW, { ok: false, why, message: '' })

    expect(readHealth(dir).pausedUntil).toBe(later(24 * 60))
    endPauseAtStart(dir)
    expect(readHealth(dir)).toMatchObject({ failuresInRow: 1, last: { why }, pausedUntil: null })
  })

  it('of an overloaded host is not changed by a start', () => {
    const dir = path.join(tempDir(), 'keeper')
    for (const _ of [1, 2]) noteOutcome(dir, NOW, failed)
    endPauseAtStart(dir)

    expect(readHealth(dir).pausedUntil).toBe(later(5))
  })

  it('is good again after a success', () => {
    const dir = tempDir()
    noteOutcome(dir, NOW, failed)
    noteOutcome(dir, NOW, { ok: true })
    noteOutcome(dir, NOW, failed)

    expect(readHealth(dir)).toMatchObject({ failuresInRow: 1, pausedUntil: null })
    noteOutcome(dir, NOW, { ok: true })
    expect(readHealth(dir)).toEqual({ failuresInRow: 0, last: null, pausedUntil: null })
  })

  it.each(['too-long', 'killed'] as const)('does not suffer from what says nothing about the model (%s)', (why) => {
    const dir = tempDir()
    noteOutcome(dir, NOW, failed)
    for (const _ of [1, 2, 3]) noteOutcome(dir, NOW, { ok: false, why, message: '' })

    expect(readHealth(dir)).toMatchObject({ failuresInRow: 1, last: { why: 'overloaded' }, pausedUntil: null })
  })
})
