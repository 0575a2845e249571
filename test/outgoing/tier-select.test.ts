/** What stays of a session: whole lines, the telling ones, one at least. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TierLine } from '../../src/notes/tier.ts'
import { selectLines } from '../../src/outgoing/tier-select.ts'
import { estimateTokens } from '../../src/text/tokens.ts'

function session(n: number, ...texts: string[]): { lines: TierLine[] } {
  const id8 = n.toString(16).padStart(8, '0')
  return { lines: texts.map((text, i) => ({ day: '2026-01-13', text, link: `L1:${id8}#${i}` })) }
}

function textsOf(chosen: readonly (readonly TierLine[])[]): string[][] {
  return chosen.map((lines) => lines.map(({ text }) => text))
}

const FULL = session(
  1,
  'Asked: Users are logged out after an hour.',
  'Ran: `npm test` (worked: 12 tests passed)',
  'Decided: The token is renewed in the middleware, because every request passes it.',
  'Looked at: Read × 3',
  'Open: Old tokens without an expiry are still accepted.',
  'Result: Let me know if you want more.',
)

describe('what stays of a session', () => {
  it('is what it was about, what was decided and what is open, in their order', () => {
    expect(textsOf(selectLines([FULL], [], 75))).toEqual([
      [
        'Asked: Users are logged out after an hour.',
        'Decided: The token is renewed in the middleware, because every request passes it.',
        'Open: Old tokens without an expiry are still accepted.',
      ],
    ])
  })

  it('is what it was about when there is room for nothing else, even if that is too long', () => {
    expect(textsOf(selectLines([FULL], [], 1))).toEqual([['Asked: Users are logged out after an hour.']])
  })

  it('is all of it when there is room, but for what says nothing', () => {
    expect(textsOf(selectLines([FULL], [], 10_000))[0]).toEqual(
      FULL.lines.map(({ text }) => text).filter((text) => !/^(?:Result: Let me know|Looked at)/.test(text)),
    )
  })

  it('is what only this session says, rather than what all of them say', () => {
    const common = 'Result: The tests of the project pass now.'
    const sessions = [1, 2, 3, 4].map((n) =>
      session(
        n,
        `Asked: Look at ticket ${n} please.`,
        common,
        `Result: The ${'xyzw'[n - 1]}-axis was mirrored by the exporter.`,
      ),
    )
    for (const [i, texts] of textsOf(selectLines(sessions, [], 36)).entries()) {
      expect(texts).toHaveLength(2)
      expect(texts[1]).toContain(`The ${'xyzw'[i]}-axis`)
    }
  })

  it('does not say again what another session of the same time says', () => {
    const said = 'Decided: The exporter mirrors the axis before it writes the file.'
    const [, second] = textsOf(
      selectLines([session(1, 'Asked: Mirror it.', said), session(2, 'Asked: Once more.', said)], [], 500),
    )
    expect(second).toEqual(['Asked: Once more.'])
    const around = [session(3, said)]
    expect(textsOf(selectLines([session(1, 'Asked: Mirror it.', said)], around, 500))).toEqual([['Asked: Mirror it.']])
  })

  it('is what weighs most when nobody asked for anything', () => {
    const [texts] = textsOf(selectLines([session(1, 'Ran: `ls` (worked)', 'Fixed: The lost line is back.')], [], 1))
    expect(texts).toEqual(['Fixed: The lost line is back.'])
  })

  it('is nothing of nothing', () => {
    expect(selectLines([{ lines: [] }], [], 100)).toEqual([[]])
    expect(selectLines([], [FULL], 100)).toEqual([])
  })

  const anyLine = fc
    .tuple(
      fc.constantFrom('Asked: ', 'Decided: ', 'Open: ', 'Result: ', 'Ran: ', 'Changed: ', 'Went on: ', ''),
      fc.array(fc.constantFrom('parser', 'token', '파서', 'line', 'axis', '行', 'file', 'why'), {
        minLength: 1,
        maxLength: 9,
      }),
    )
    .map(([label, words]) => label + words.join(' '))
  const anySessions = fc.array(fc.uniqueArray(anyLine, { maxLength: 8 }), { maxLength: 12 })

  it('has one line of each session at least, never more than fits, and nothing that was not there', () => {
    fc.assert(
      fc.property(anySessions, fc.integer({ min: 1, max: 300 }), (all, maxTokens) => {
        const sessions = all.map((texts, n) => session(n, ...texts))
        const chosen = selectLines(sessions, [], maxTokens)
        expect(chosen).toHaveLength(sessions.length)
        for (const [i, lines] of chosen.entries()) {
          const whole = sessions[i]?.lines ?? []
          expect(whole.filter((line) => lines.includes(line))).toEqual(lines)
          expect(lines.length).toBeGreaterThanOrEqual(Math.min(1, whole.length))
          const tokens = lines.reduce((sum, { text }) => sum + estimateTokens(text), 0)
          if (lines.length > 1) expect(tokens).toBeLessThanOrEqual(maxTokens)
        }
      }),
    )
  })

  it('keeps the same first line whatever else there is, and however often it is shortened', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyLine, { minLength: 1, maxLength: 8 }), anySessions, (texts, others) => {
        const one = session(99, ...texts)
        const around = others.map((more, n) => session(n, ...more))
        const [alone = []] = selectLines([one], [], 1)
        const week = selectLines([...around, one], around, 120).at(-1) ?? []
        const [month = []] = selectLines([{ lines: week }], around, 1)
        expect(week).toContain(alone[0])
        expect(month).toEqual(alone)
      }),
    )
  })
})

describe('what a fact rests on', () => {
  const lines = [
    'Asked: Please look at the cart.',
    'Then: Good.',
    'Result: The cart was rewritten with a reducer and thirty new tests were added in the afternoon.',
    'Then: Prices are kept in whole cents.',
  ]

  it('stays before anything else, even where there is hardly room', () => {
    const told = { ...session(1, ...lines), quotes: ['Yes, prices are kept in whole cents.'] }

    expect(textsOf(selectLines([told], [], 22))).toEqual([[lines[0], lines[3]]])
    expect(textsOf(selectLines([session(1, ...lines)], [], 22))).not.toEqual([[lines[0], lines[3]]])
  })

  it('is nothing that says nothing', () => {
    expect(textsOf(selectLines([session(1, ...lines)], [], 500))[0]).not.toContain('Then: Good.')
  })
})
