/** Figures over time: nothing told, paid or written is lost between days. */

import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  memoryGrowth,
  memoryTokens,
  modelPerDay,
  sizesOf,
  tokensPerDay,
} from '../../../../src/core/health/disk/numbers.ts'
import type { ModelCall } from '../../../../src/core/model/disk/model-calls.ts'
import type { ReceiptRow } from '../../../../src/core/receipts/receipt.ts'
import { formatNote, type Note } from '../../../../src/kernel/memory/note.ts'
import { runCommand, runCommandJson } from '../../../support/process.ts'
import { append, linesFor, quietProject, sessionId, storeOf, turns, write } from '../../../support/project.ts'
import { stop } from '../../../support/world.ts'

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

describe('tokens told', () => {
  it('are counted on the day a session was told something first', () => {
    const parts = fc.record({
      briefing: fc.nat(900),
      rules: fc.nat(900),
      recall: fc.nat(900),
      request: fc.nat(900),
      at: fc.integer({ min: 1, max: 9 }).map((day) => `2026-01-0${day}T10:00:00.000Z`),
    })
    fc.assert(
      fc.property(fc.array(parts), (all) => {
        const rows = all.map((one): ReceiptRow => ({ id: 'x', session: 'x', prompts: 0, recalls: 0, ...one }))
        const days = tokensPerDay(rows)
        for (const part of ['briefing', 'rules', 'recall', 'request'] as const)
          expect(sum(days.map((day) => day[part]))).toBe(sum(rows.map((row) => row[part])))
        expect(days.map(({ day }) => day)).toEqual([...new Set(days.map(({ day }) => day))].toSorted())
      }),
    )
  })
})

describe('model calls', () => {
  it('count with their estimate where they were killed', () => {
    const call = (at: string, more: Partial<ModelCall>): ModelCall => ({
      id: 'a',
      at,
      project: 'x',
      kind: 'note',
      estimatedTokens: 50,
      ok: true,
      why: null,
      tokens: { input: 10, output: 5 },
      costUsd: 0.01,
      ms: 1,
      ...more,
    })
    const days = modelPerDay([
      call('2026-01-02T00:00:00.000Z', {}),
      call('2026-01-01T00:00:00.000Z', { ok: null, costUsd: null }),
      call('2026-01-02T09:00:00.000Z', {}),
    ])

    expect(days).toEqual([
      { day: '2026-01-01', calls: 1, tokens: 50, costUsd: 0 },
      { day: '2026-01-02', calls: 2, tokens: 30, costUsd: 0.02 },
    ])
  })
})

describe('the growth of memory.md', () => {
  const note = (n: number): string => {
    const one: Note = {
      id: `n-${n}`,
      at: `2026-01-0${n}T10:00:00.000Z`,
      session: null,
      from: 0,
      to: 0,
      author: 'user',
      text: `Note ${n}: we deploy on Tuesdays.`,
    }
    return formatNote(one, 'UTC')
  }

  it('rises with each note, and a rotation takes out what its archive holds', () => {
    const project = quietProject()
    runCommand(project, ['init'])
    // The third note was carried over.
    write(path.join(project.memory, 'memory_20260103_120000.md'), note(1) + note(2))
    write(path.join(project.memory, 'memory.md'), note(3) + note(4))
    const steps = memoryGrowth(storeOf(project))
    const each = steps[0]?.tokens ?? 0

    expect(steps.map(({ tokens, isRotation }) => [Math.round(tokens / each), isRotation])).toEqual([
      [1, false],
      [2, false],
      [3, false],
      [1, true],
      [2, false],
    ])
    expect(steps[3]?.at).toBe('2026-01-03T12:00:00.000Z')
  })

  it('ends with what memory.md has now, also what stands around its notes', () => {
    const project = quietProject()
    runCommand(project, ['init'])
    write(path.join(project.memory, 'memory_20260103_120000.md'), note(1) + note(2))
    write(path.join(project.memory, 'memory.md'), `Some words of my own.\n\n${note(3)}${note(4)}`)
    const store = storeOf(project)

    expect(memoryGrowth(store).at(-1)?.tokens).toBe(memoryTokens(store))
    expect(runCommandJson(project, ['stats']).json.memoryTokens).toBe(memoryTokens(store))
    expect(runCommandJson(project, ['status']).json.memoryTokens).toBe(memoryTokens(store))
  })

  it('is nothing where there are no notes', () => {
    expect(memoryGrowth(storeOf(quietProject()))).toEqual([])
  })
})

describe('sizes', () => {
  it('are those of the files', () => {
    const project = quietProject()
    append(project.transcriptOf(sessionId(1)), turns(linesFor(sessionId(1), project.root), 0, 3))
    stop(project)
    const before = sizesOf(storeOf(project))
    write(path.join(project.memory, 'extra.md'), 'x'.repeat(1000))

    expect(before.sessions).toBeGreaterThan(100)
    expect(sizesOf(storeOf(project))).toEqual({ ...before, memory: before.memory + 1000 })
  })
})
