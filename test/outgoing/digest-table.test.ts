/** Decisions in tables. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decisionRows } from '../../src/outgoing/digest-table.ts'

const table = (head: readonly string[], ...rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

describe('a table of an answer', () => {
  it('tells what was decided, about what and why', () => {
    const text = `Before.\n\n${table(['항목', '결정', '이유'], ['저장소', '**Postgres**를 쓴다', '서비스가 하나 준다'])}\n\nBehind.`

    expect(decisionRows(text)).toEqual([
      {
        text: '저장소: Postgres를 쓴다',
        quote: '| 저장소 | **Postgres**를 쓴다 | 서비스가 하나 준다 |',
        from: text.indexOf('| 저장소'),
        after: 'Because 서비스가 하나 준다',
      },
    ])
  })

  it.each([
    ['no column of decisions', table(['Library', 'Size'], ['dayjs is chosen', '2 kB'])],
    ['nothing decided yet', table(['Topic', 'Decision'], ['Storage of the files', 'TBD'])],
    ['no line below its head', '| Topic | Decision |\n| Storage | Postgres for all |'],
  ])('tells nothing with %s', (_, text) => {
    expect(decisionRows(text)).toEqual([])
  })

  it('ends where another one begins', () => {
    const text = `${table(['Decision'], ['Use tabs in Go files'])}\n\n${table(['Library'], ['Use spaces in Go files'])}`

    expect(decisionRows(text).map((row) => row.text)).toEqual(['Use tabs in Go files'])
  })

  it('is quoted as it stands there, whatever is in it', () => {
    const cell = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { maxLength: 5 }), fc.string(), (rows, before) => {
        const text = `${before}\n${table(['Topic', 'Decision'], ...rows)}`
        for (const { quote, from } of decisionRows(text)) expect(text.slice(from, from + quote.length)).toBe(quote)
      }),
    )
  })
})
