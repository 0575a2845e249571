import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitArchive, splitMemory } from '../../../src/core/vault/split-notes.ts'
import { convertNotes } from '../../../src/extras/migrate/legacy-note.ts'
import { notesIn, parseMemory } from '../../../src/kernel/memory/note.ts'
import { estimateTokens } from '../../../src/kernel/text/tokens.ts'

const SEOUL = 'Asia/Seoul'
const NOTHING = { names: [], textOf: () => null }

/** Memories as people and versions leave them: dated, zoned, ours, by hand, with anything in between. */
const anyHeading = fc.oneof(
  fc.constantFrom(
    '2026-01-14_1530',
    '2026-01-14 15:30',
    '2026-01-14',
    '2026-02-01 12:00:00 UTC',
    '2026-02-01 12:00:00 UTC (2026-02-01 21:00:00 +09:00)',
    'House rules',
    '2026-01-14_1530 Title',
  ),
  fc.string({ maxLength: 20 }).map((text) => text.replace(/[\r\n\u2028\u2029]/g, ' ')),
)
const anyBody = fc
  .array(
    fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.constantFrom('', '### deeper', '```', '<!-- a comment -->', '한국어 문장.'),
    ),
    { maxLength: 4 },
  )
  .map((lines) => lines.map((line) => line.replace(/\\n|^## /g, ' ')).join('\n'))
const anyMemory = fc
  .tuple(fc.constantFrom('', '# Memory\n\n'), fc.array(fc.tuple(anyHeading, anyBody), { maxLength: 6 }))
  .map(([head, blocks]) => head + blocks.map(([heading, body]) => `## ${heading}\n${body}\n\n`).join(''))

describe('notes of earlier versions', () => {
  it('get UTC, the local time beside it, and a record; their words stay', () => {
    expect(convertNotes('## 2026-01-14_1530\nDid it.\n', SEOUL)).toMatch(
      /^## 2026-01-14 06:30:00 UTC \(2026-01-14 15:30:00 \+09:00\)\n<!-- note n-20260114_063000-\w{6} author=agent at=2026-01-14T06:30:00\.000Z -->\nDid it\.\n$/,
    )
  })

  it('keep the title behind their date', () => {
    expect(notesIn(convertNotes('## 2026-01-14_1530 Login\nDid it.\n', SEOUL))[0]?.text).toBe('Login\n\nDid it.')
  })

  it('keep a day that has no hour as a day', () => {
    expect(convertNotes('## 2026-01-14\nDid it.\n', SEOUL)).toMatch(/^## 2026-01-14\n<!-- note /)
  })

  it('are found where a shell left its escapes', () => {
    const text = '## 2026-01-14_1530\nOne.\n\n-e \\n## 2026-01-15_0900\\nTwo.\n'
    expect(notesIn(convertNotes(text, SEOUL)).map((note) => note.text)).toEqual(['One.', 'Two.'])
  })

  it('change nothing the second time, and nothing but headings and records the first time', () => {
    fc.assert(
      fc.property(anyMemory, (text) => {
        const once = convertNotes(text, SEOUL)

        expect(convertNotes(once, SEOUL)).toBe(once)
        expect(parseMemory(once)).toHaveLength(parseMemory(text).length)
        for (const line of text.split('\n')) if (!line.startsWith('## ')) expect(once).toContain(line)
      }),
    )
  })
})

describe('a memory that is too large', () => {
  const limits = { fullTokens: 400, carryoverTokens: 60 }

  it('is cut so that every note stands in exactly one file and none is above the limit', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 120 }), { maxLength: 25 }), (lengths) => {
        const text = convertNotes(
          lengths
            .map(
              (length, n) =>
                `## 2026-01-${String((n % 28) + 1).padStart(2, '0')}_1200\nNote ${n} ${'word '.repeat(length)}\n\n`,
            )
            .join(''),
          SEOUL,
        )

        const { archives, memory } = splitMemory(text, limits, '2026-02-01T00:00:00.000Z', NOTHING)

        expect(archives.map((one) => one.text).join('') + memory).toBe(text)
        expect(new Set(archives.map(({ file }) => file)).size).toBe(archives.length)
        for (const one of archives) expect(estimateTokens(one.text)).toBeLessThanOrEqual(limits.fullTokens)
        if (estimateTokens(text) <= limits.fullTokens) expect(archives).toEqual([])
      }),
    )
  })

  it('loses no word of a block that is too large itself', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('word ', 'line\n', 'end.\n\n', '길고 긴 문장 ', 'x'.repeat(300)), {
          minLength: 50,
          maxLength: 300,
        }),
        (parts) => {
          const body = parts.join('')
          const pieces = splitArchive(() => 'memory_20260113_120000.md', `## By hand\n${body}`, 300, NOTHING)
          const cut = pieces.map(({ text }) => text).join('')
          const words = (text: string): string => text.replace(/^## .*$/gm, '').replace(/\s+/g, '')

          expect(words(cut)).toBe(words(body))
        },
      ),
    )
  })

  it('as an archive keeps its name for the first piece', () => {
    const text = Array.from({ length: 8 }, (_, n) => `## Part ${n}\n${'word '.repeat(200)}\n\n`).join('')
    const pieces = splitArchive(() => 'memory_20260113_120000.md', text, 400, NOTHING)

    expect(pieces.map(({ file }) => file).slice(0, 3)).toEqual([
      'memory_20260113_120000.md',
      'memory_20260113_120000_2.md',
      'memory_20260113_120000_3.md',
    ])
    expect(pieces.map((one) => one.text).join('')).toBe(text)
  })
})
