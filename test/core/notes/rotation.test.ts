import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planRotation, rotationLimits, withoutArchived, withoutSame } from '../../../src/core/notes/rotation.ts'
import { formatNote, notesIn, writtenIn } from '../../../src/kernel/memory/note.ts'
import { estimateTokens } from '../../../src/kernel/text/tokens.ts'

const HEAD = '# Memory\n\n'

function note(n: number, words = 20): string {
  const about = { id: `n-${n}`, at: '2026-01-13T12:00:00.000Z', session: null, from: 0, to: 0, author: 'user' as const }
  return formatNote({ ...about, text: `Note ${n}. ${'word '.repeat(words)}` }, 'UTC')
}

describe('a rotation', () => {
  it('waits until memory is full', () => {
    const memory = HEAD + note(1)

    expect(planRotation(memory, { fullTokens: estimateTokens(memory), carryoverTokens: 100 })).toBeNull()
  })

  it('keeps the newest whole notes, and the heading', () => {
    const notes = [1, 2, 3, 4, 5].map((n) => note(n))
    const rotation = planRotation(HEAD + notes.join(''), {
      fullTokens: estimateTokens(notes.join('')) - 1,
      carryoverTokens: estimateTokens(notes.slice(3).join('')) + 2,
    })

    expect(rotation).toEqual({
      archive: notes.slice(0, 3).join(''),
      memory: HEAD + notes.slice(3).join(''),
      tokens: estimateTokens(notes.slice(0, 3).join('')),
    })
  })

  it('takes the title of v3 and v4 along with their sections, which are known by it, and only then', () => {
    const title = '# Project Memory: 장터\n\n'
    const sections =
      '## 핵심 결정\n- 사진은 줄인다\n\n## 현재 상태\n- 갱신: 2025-12-20\n\n## 최근 컨텍스트\n- 추천\n\n## 알려진 문제\n- 옆으로 눕는다\n\n'
    const memory = title + sections + [1, 2, 3, 4].map((n) => note(n)).join('')
    const limits = { fullTokens: estimateTokens(memory) - 1, carryoverTokens: 60 }
    const first = planRotation(memory, limits) ?? expect.fail()
    const later = first.memory + [5, 6, 7, 8, 9].map((n) => note(n)).join('')

    expect(writtenIn(first.archive).map(({ section }) => section)).toEqual([
      ...['decisions', 'state', 'context', 'issues'],
      ...notesIn(first.archive).map(() => undefined),
    ])
    expect(first.memory.startsWith(title)).toBe(true)
    expect(withoutSame(memory, first.archive)).toBe(first.memory)
    expect(planRotation(later, limits)?.archive).not.toContain(title)
  })

  it('archives a single note that is too large by itself', () => {
    const memory = note(1, 500)

    expect(planRotation(memory, { fullTokens: 100, carryoverTokens: 50 })?.memory).toBe('')
  })

  it('has the limits of the settings, less the margin', () => {
    const config = { rotationThresholdTokens: 25_000, rotationSafetyMargin: 0.05, carryoverTokens: 2_500 }

    expect(rotationLimits(config)).toEqual({ fullTokens: 23_750, carryoverTokens: 2_375 })
  })

  it('takes along what somebody wrote above the notes when that is no heading, once', () => {
    const above = `# Mine\n\n${'### and more\n'.repeat(500)}`
    const memory = above + note(1) + note(2)
    const rotation = planRotation(memory, { fullTokens: 500, carryoverTokens: 130 })

    expect(rotation?.archive).toBe(above + note(1))
    expect(rotation?.memory).toBe(note(2))
    expect(withoutArchived(memory, rotation?.archive ?? '')).toBe(note(2))
  })

  const sizes = fc.array(fc.nat(60), { minLength: 1, maxLength: 30 })
  const limits = fc.record({ fullTokens: fc.integer({ min: 50, max: 900 }), carryoverTokens: fc.nat(300) })

  it('puts every note into exactly one file, in order, and makes room', () => {
    fc.assert(
      fc.property(sizes, limits, (words, limit) => {
        const memory = HEAD + words.map((count, n) => note(n, count)).join('')
        const rotation = planRotation(memory, limit)
        if (rotation === null) {
          expect(estimateTokens(memory)).toBeLessThanOrEqual(limit.fullTokens)
          return
        }
        const ids = (text: string): string[] => notesIn(text).map(({ id }) => id)
        expect([...ids(rotation.archive), ...ids(rotation.memory)]).toEqual(ids(memory))
        expect(rotation.archive).not.toBe('')
      }),
    )
  })

  it('that was killed before the memory became shorter is finished by taking out what is archived', () => {
    fc.assert(
      fc.property(sizes, limits, sizes, (words, limit, later) => {
        const memory = HEAD + words.map((count, n) => note(n, count)).join('')
        const rotation = planRotation(memory, limit)
        if (rotation === null) return
        const more = later.map((count, n) => note(100 + n, count)).join('')

        expect(withoutSame(memory + more, rotation.archive)).toBe(rotation.memory + more)
        expect(withoutSame(rotation.memory + more, rotation.archive)).toBe(rotation.memory + more)
      }),
    )
  })
})

it('an older memory.md does not bring back a note whose archive has it in other words', () => {
  const [first, second] = [note(1, 4), note(2, 4)]
  const edited = first.replace(/\n\n$/, ' Edited.\n\n')
  expect(withoutArchived(first + second, edited)).toBe(second)
  expect(withoutSame(first + second, edited)).toBe(first + second)
})
