/** Receipts: what a session has been shown follows from them alone, and why it was told comes back as it was. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatInjectedRecall,
  formatReceipt,
  formatStart,
  formatWhy,
  type InjectedRecall,
  linesWithoutWhy,
  originOf,
  parseInjectedRecalls,
  parseReceipts,
  parseStarts,
  parseWhy,
  type Receipt,
  recallMark,
  receiptsSinceCompaction,
  type Shown,
  type Start,
  sharesOf,
  shownTo,
} from '../../../src/core/receipts/receipt.ts'

function shown(id: string, from: number, to: number, text = `${id} ${from}`): Shown {
  return { id, from, to, mark: recallMark(text) }
}

function receipt(session: string, n: number, ...all: Shown[]): Receipt {
  const fired = all.length > 0
  const what = { fired, signal: fired ? 'question' : '', shown: all, tokens: fired ? 120 : 0, verdict: 'So.', ms: 1.5 }
  return { at: '2026-01-13T12:00:00.000Z', session, n, ...what }
}

describe('what was shown', () => {
  const told = [receipt('one', 4, shown('L1:aaaa1111#3', 100, 300, 'Retry seven times.'))]

  it('is not shown again to the same session, and is news to another', () => {
    const same = shown('L1:aaaa1111#3', 100, 300)

    expect(shownTo(told, 'one')(same)).toBe(true)
    expect(shownTo(told, 'two')(same)).toBe(false)
  })

  it('is known by its words in another place, and by its place when half of it is the same', () => {
    expect(shownTo(told, 'one')(shown('n-aaaa1111-0-9', 0, 18, 'retry  SEVEN\ntimes.'))).toBe(true)
    expect(shownTo(told, 'one')(shown('L1:aaaa1111#3', 150, 350))).toBe(true)
    expect(shownTo(told, 'one')(shown('L1:aaaa1111#3', 250, 450))).toBe(false)
    expect(shownTo(told, 'one')(shown('L1:aaaa1111#4', 100, 300))).toBe(false)
  })
})

const anyShown = fc.record({ id: fc.string(), from: fc.nat(), to: fc.nat(), mark: fc.string() })
const anyReceipt: fc.Arbitrary<Receipt> = fc
  .record({
    at: fc.string(),
    session: fc.constantFrom('one', 'two'),
    n: fc.nat(99),
    shown: fc.array(anyShown, { maxLength: 3 }),
    tokens: fc.nat(300),
    verdict: fc.string(),
    ms: fc.nat(50),
    signal: fc.constantFrom('question', 'operation'),
  })
  .map((one) => ({
    ...one,
    ...(one.shown.length > 0 ? {} : { signal: '' }),
    fired: one.shown.length > 0,
    tokens: one.shown.length > 0 ? one.tokens : 0,
  }))

describe('receipts', () => {
  it('come back as they were written, also from between torn lines', () => {
    fc.assert(
      fc.property(fc.array(anyReceipt, { maxLength: 6 }), fc.nat(40), (all, cut) => {
        const lines = all.map(formatReceipt)
        const torn = `${lines.join('')}${formatReceipt(receipt('one', 1)).slice(0, cut)}\n${lines.join('')}`

        expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true)
        expect(parseReceipts(lines.join(''))).toEqual(all)
        expect(parseReceipts(torn)).toEqual([...all, ...all])
      }),
    )
  })

  it('show each excerpt of a session once it is written, and never one of another session', () => {
    fc.assert(
      fc.property(fc.array(anyReceipt, { maxLength: 6 }), (all) => {
        const isShown = shownTo(all, 'one')
        const own = all.filter(({ session }) => session === 'one').flatMap((one) => one.shown)

        expect(own.every(isShown)).toBe(true)
        expect(isShown(shown('never shown', 0, 9, 'words that nobody wrote'))).toBe(false)
      }),
    )
  })

  it('are read from anything without failing', () => {
    fc.assert(fc.property(fc.string(), (text) => Array.isArray(parseReceipts(text))))
    expect(parseReceipts('null\n7\n{"at":"x"}\n[]\n')).toEqual([])
  })
})

describe('where a session comes from', () => {
  const start = (session: string, source: string, host: number, minute = 0): Start => ({
    at: `2026-01-13T12:0${minute}:00.000Z`,
    session,
    source,
    host,
  })

  it('is nowhere when it began by itself, or nobody saw it begin', () => {
    expect(originOf([start('one', 'startup', 7)], 'one', 7)).toBeNull()
    expect(originOf([start('one', 'resume', 7), start('two', 'clear', 7)], 'two', 7)).toBeNull()
    expect(originOf([start('one', 'startup', 7)], 'two', 7)).toBeNull()
    expect(originOf([], 'one', 7)).toBeNull()
  })

  it('is not told by a host that names the fork', () => {
    const starts = [start('one', 'resume', 7), start('two', 'fork', 8, 1)]

    expect(originOf(starts, 'two', 8)).toEqual({ from: null, at: starts[1]?.at })
  })

  it('is the session that the same process resumed, where the host names that one', () => {
    const starts = [start('one', 'resume', 7), start('other', 'startup', 8), start('three', 'resume', 9)]

    expect(originOf(starts, 'two', 7)).toEqual({ from: 'one', at: starts[0]?.at })
    expect(originOf(starts, 'two', 6)).toBeNull()
    expect(originOf([start('one', 'resume', 0)], 'two', 0)).toBeNull()
    // An earlier process of the same number.
    expect(originOf([start('one', 'resume', 7), start('new', 'startup', 7)], 'two', 7)).toBeNull()
  })

  it('comes back as it was written, and neither takes the other for its own', () => {
    const anyStart = fc.record({
      at: fc.string(),
      session: fc.string(),
      source: fc.constantFrom('startup', 'resume', 'fork', 'clear', '"source":'),
      host: fc.nat(),
    })
    fc.assert(
      fc.property(fc.array(anyStart), fc.array(anyReceipt), (starts, receipts) => {
        const text = [...receipts.map(formatReceipt), ...starts.map(formatStart)].join('')

        expect(parseStarts(text)).toEqual(starts)
        expect(parseReceipts(text)).toEqual(receipts)
      }),
    )
  })
})

it('receiptsSinceCompaction finds receipts after a session’s last compaction, by the order of lines', () => {
  const start = (session: string, source: string): string => formatStart({ at: 't', session, source, host: 1 })
  const told = (session: string, n: number): string =>
    formatReceipt({ at: 't', session, n, fired: true, signal: 'question', shown: [], tokens: 1, verdict: '', ms: 1 })
  const before = [start('a', 'startup'), told('a', 1), start('a', 'compact'), told('a', 2)]
  const text = [...before, start('a', 'compact'), told('b', 9), told('a', 3), start('b', 'resume')].join('')

  expect(receiptsSinceCompaction(text, 'a')?.map(({ session, n }) => [session, n])).toEqual([
    ['b', 9],
    ['a', 3],
  ])
  expect(receiptsSinceCompaction(text, 'b')).toBeNull()
  expect(receiptsSinceCompaction(`${text}{"at":"t","session":"b","source":"compact"`, 'b')).toBeNull()
})

const LINES = [
  { section: '', text: '<memory-keeper>', reason: 'begins the remembered text' },
  { section: 'Core Decisions', text: '## Core Decisions', reason: 'heading' },
  { section: 'Core Decisions', text: '- Use pnpm.\n  It is faster.', reason: 'the newest decision' },
  { section: '', text: '</memory-keeper>', reason: 'ends the remembered text' },
]
const TEXT = LINES.map(({ text }) => text).join('\n')

describe('why a briefing has its lines', () => {
  it('comes back line by line, also where one has a line break in it, and does not repeat the text', () => {
    expect(parseWhy(formatWhy(TEXT, LINES), TEXT)).toEqual(LINES)
    expect(formatWhy(TEXT, LINES)).not.toContain('pnpm')
  })

  it.each([
    ['another text', formatWhy(TEXT, LINES), `${TEXT} `],
    ['lines that do not add up', formatWhy(TEXT, LINES.slice(1)), TEXT],
    ['nothing', '', TEXT],
    ['what is no JSON', '{"version":1', TEXT],
    ['other JSON', '{"of":1,"lines":[[]]}', TEXT],
    ['wrong fields', formatWhy(TEXT, LINES).replace('"heading"', '7'), TEXT],
  ])('is not taken from %s', (_, kept, text) => {
    expect(parseWhy(kept, text)).toBeNull()
  })

  it('is the same for any lines', () => {
    const line = fc.record({ section: fc.string(), text: fc.string({ unit: 'binary' }), reason: fc.string() })
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), (lines) => {
        const text = lines.map((one) => one.text).join('\n')
        expect(parseWhy(formatWhy(text, lines), text)).toEqual(lines)
      }),
    )
  })

  it('is empty where only the words were kept; the headings tell the sections', () => {
    const text = '<memory-keeper>\nAbout.\n## Recent Context\n- A note.\n</memory-keeper>'

    const lines = linesWithoutWhy(text)
    expect(lines.map(({ section }) => section)).toEqual(['', '', 'Recent Context', 'Recent Context', ''])
    expect(lines.map(({ reason }) => reason).join('')).toBe('')
    expect(lines.map((line) => line.text).join('\n')).toBe(text)
  })
})

describe('the shares of a whole', () => {
  it('add up to it, by weight, and none is nothing where there is enough', () => {
    expect(sharesOf(10, [2, 2, 8])).toEqual([2, 2, 6])
    fc.assert(
      fc.property(fc.nat(100_000), fc.array(fc.nat(400), { minLength: 1, maxLength: 60 }), (total, weights) => {
        const shares = sharesOf(total, weights)
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(total)
        expect(Math.min(...shares)).toBeGreaterThanOrEqual(total >= weights.length ? 1 : 0)
      }),
    )
  })
})

describe('a recall that was told', () => {
  const told = fc.record<InjectedRecall>({ at: fc.string(), session: fc.string(), text: fc.string({ unit: 'binary' }) })

  it('comes back word for word, whatever lies between', () => {
    fc.assert(
      fc.property(fc.array(told), (all) => {
        const kept = all.map((one) => `{"at":"half\n\n${formatInjectedRecall(one)}`).join('')
        expect(parseInjectedRecalls(kept)).toEqual(all)
      }),
    )
  })
})
