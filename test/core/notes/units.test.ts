/** What is told is told in whole units: sentences, list items, table rows and short code. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  answerWithin,
  beginningWithin,
  clauseOf,
  promptWithin,
  type TextUnit,
  typedUnits,
  unitsOf,
} from '../../../src/core/notes/units.ts'
import { wildText } from '../../support/briefing.ts'

const texts = (text: string): string[] => unitsOf(text).map((unit) => unit.text)

describe('a text', () => {
  it('is cut into sentences, items, rows and short code', () => {
    const text = `# What changed

The parser reads \`a.b\` now. It is **faster**.

- first item. With two sentences.
2. second item

| File | Lines |
|------|-------|
| a.ts | 12 |

\`\`\`sh
npm test
\`\`\``

    expect(unitsOf(text).map(({ kind, text: words }) => `${kind}: ${words}`)).toEqual([
      'heading: What changed',
      'sentence: The parser reads `a.b` now.',
      'sentence: It is faster.',
      'item: first item. With two sentences.',
      'item: second item',
      'row: File | Lines',
      'row: a.ts | 12',
      'code: `npm test`',
    ])
  })

  it('that was wrapped at a fixed width has whole sentences', () => {
    const wrapped = `The importer reads the whole file before it writes anything, and that
takes too long for files of a gigabyte. It streams now.
- An item that goes on for more than sixty characters in its first line and
  ends in its second line`

    expect(texts(wrapped)).toEqual([
      'The importer reads the whole file before it writes anything, and that takes too long for files of a gigabyte.',
      'It streams now.',
      'An item that goes on for more than sixty characters in its first line and ends in its second line',
    ])
  })

  it('has its short lines apart: they were not wrapped', () => {
    expect(texts('First thing\nSecond thing')).toEqual(['First thing', 'Second thing'])
  })

  it('is told without code of more than six lines, of which the line that leads to it stays if it names something', () => {
    const block = (lines: number, width = 3): string => `\`\`\`\n${`${'x'.repeat(width)}\n`.repeat(lines)}\`\`\``

    expect(texts(`Look.\n${block(6)}\nDone.`)).toHaveLength(3)
    expect(texts(`Look.\n${block(7)}\nDone.`)).toEqual(['Look.', 'Done.'])
    expect(texts(`It is this:\n${block(5, 60)}\nDone.`)).toEqual(['Done.'])
    expect(texts(`It is in \`app.ts\`:\n${block(5, 60)}\nDone.`)).toEqual(['It is in `app.ts`: (code)', 'Done.'])
  })

  it.each([
    ['a heading', '## Next'],
    ['a line of bold words', '**Next**'],
    ['a line that ends with a colon', 'These remain:'],
    ['one in Japanese', '残り：'],
  ])('has in %s only a lead-in', (_, line) => {
    expect(unitsOf(`${line}\n- one`).map(({ opens }) => opens)).toEqual([true, false])
  })
})

describe('an answer', () => {
  const answer = 'The cause is the cache. Part one of it. Part two of it. The last part is done. Shall I push it?'

  it('is told whole where it fits, without its closing question', () => {
    expect(answerWithin(answer, 200)).toBe(answer.replace(' Shall I push it?', ''))
  })

  it('is its first unit and as many as fit from the end', () => {
    expect(answerWithin(answer, 60)).toBe('The cause is the cache. … The last part is done.')
    expect(answerWithin(answer, 75)).toBe('The cause is the cache. … Part two of it. The last part is done.')
  })

  it('goes without its first unit if that takes more than 60 % of the room', () => {
    const long = 'The cause is a cache that was never emptied by anybody. It is fixed. It is tested.'

    expect(answerWithin(long, 60)).toBe('It is fixed. It is tested.')
  })

  it('tells a lead-in only with what follows it', () => {
    const list = 'It works.\n\nWhat remains:\n- the first of the things\n- the second of the things'

    expect(answerWithin(list, 60)).toBe('It works. … the second of the things')
    expect(answerWithin(list, 200)).toBe('It works. What remains: the first of the things; the second of the things')
    expect(answerWithin('It works.\n\nWhat remains:\n- the first of the things', 42)).toBe('It works.')
  })

  it('is cut at a clause if no unit fits, and else left out', () => {
    const one = 'The importer reads the file twice, once for its header, and once for the rows that it contains.'

    expect(answerWithin(one, 60)).toBe('The importer reads the file twice, once for its header …')
    expect(answerWithin(one, 30)).toBe('')
  })
})

describe('typed words', () => {
  it('are the first and the last sentences, with a mark between', () => {
    const prompt = 'Things look fine now. One thing remains. The list is long. The export still fails on dates.'

    expect(promptWithin(prompt, 200)).toBe(prompt)
    expect(promptWithin(prompt, 70)).toBe('Things look fine now. … The export still fails on dates.')
  })

  it('keep the wish at their end where only one sentence fits', () => {
    const prompt = 'Things look fine now, at least on my machine. Only fix the dates.'

    expect(promptWithin(prompt, 30)).toBe('Only fix the dates.')
  })

  it('of more than twelve lines are pasted: first and last line', () => {
    const pasted = ['Why does this fail?', ...Array.from({ length: 12 }, (_, i) => `at line ${i}`), 'Fix it.'].join(
      '\n',
    )

    expect(promptWithin(pasted, 2_000)).toBe('Why does this fail? Fix it.')
    expect(typedUnits(pasted.split('\n').slice(2).join('\n'))).toHaveLength(12)
  })

  it('keeps what was pasted between fences apart from what was said', () => {
    const fence = '```'
    const prompt = `What does this mean?\n${fence}\nWe decided to push to main.\n${fence}\nTell me.`

    expect(promptWithin(prompt, 200)).toBe('What does this mean? `We decided to push to main.` Tell me.')
    expect(promptWithin(`Look:\n${fence}\nWe decided it.`, 200)).toBe('Look: `We decided it.`')
  })

  it('name files without their directories', () => {
    expect(promptWithin('Look at @src/deep/down/parser.ts please.', 200)).toBe('Look at @parser.ts please.')
    expect(promptWithin('Mail ada@example.org/x about a/b.ts.', 200)).toBe('Mail ada@example.org/x about a/b.ts.')
  })
})

describe('the beginning of a text', () => {
  it('is whole units, a lead-in only with what follows', () => {
    expect(beginningWithin('One is here. Two is here. Three is here.', 26)).toBe('One is here. Two is here.')
    expect(beginningWithin('It is so. Because:\n- of this and of that', 25)).toBe('It is so.')
    expect(beginningWithin('This is too long for that.', 10)).toBe('')
  })
})

describe('a clause', () => {
  it.each([
    ['at a comma', 'Read the whole file, then write it again', 25, 'Read the whole file …'],
    ['at a dash', 'Read the whole file – then write it again', 25, 'Read the whole file …'],
    ['in Japanese', 'ファイル全体を読み込んで、それから書き出します', 16, 'ファイル全体を読み込んで …'],
    ['not where it would keep too little', 'Read, then write the whole file again', 25, ''],
    ['not inside code', 'Call `read(one, two, three)` of it', 22, ''],
  ])('ends %s', (_, text, room, told) => {
    expect(clauseOf(text, room)).toBe(told)
  })

  it('is nothing without room', () => {
    expect([clauseOf('Read it, then write it.', 0), clauseOf('Read it, then write it.', -9)]).toEqual(['', ''])
  })
})

const squashed = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '')

/** Whether it consists of whole units in their order, or is the beginning of one, up to the mark of a clause. */
function isWhole(told: string, units: readonly TextUnit[]): boolean {
  if (told === '') return true
  const follows = (at: number, next: number): boolean =>
    units.slice(next).some(({ text }, i) => {
      if (!told.startsWith(text, at)) return false
      const end = at + text.length
      if (end === told.length) return true
      return ['; ', ' … ', ' '].some((glue) => told.startsWith(glue, end) && follows(end + glue.length, next + i + 1))
    })
  const clause = told.endsWith(' …') ? told.slice(0, -2) : null
  const isClause = units.some(
    ({ text }) =>
      clause !== null &&
      text.startsWith(clause) &&
      /^\s*(?:[,;:](?=\s)|[–—(-]|[、，；：])/.test(text.slice(clause.length)),
  )
  return follows(0, 0) || isClause
}

describe('a shortened text', () => {
  const markdown = fc
    .array(
      fc.oneof(
        wildText,
        fc.lorem({ mode: 'sentences', maxCount: 5 }),
        fc.lorem({ maxCount: 6 }).map((words) => `- ${words}`),
        fc.lorem({ maxCount: 4 }).map((words) => `## ${words}`),
        fc.lorem({ maxCount: 4 }).map((words) => `${words}:`),
        fc.constantFrom('Shall I?', '| a | b |', '```\nnpm test\n```', 'so it is, and so on, as it was; that is all'),
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join('\n'))

  it('has whole units, or a beginning that ends at a clause, within any room', () => {
    fc.assert(
      fc.property(markdown, fc.nat(400), (text, room) => {
        const answer = answerWithin(text, room)
        const prompt = promptWithin(text, room)
        const beginning = beginningWithin(text, room)

        for (const told of [answer, prompt, beginning]) expect(told.length).toBeLessThanOrEqual(room)
        expect([answer, isWhole(answer, unitsOf(text))]).toEqual([answer, true])
        expect([prompt, isWhole(prompt, typedUnits(text))]).toEqual([prompt, true])
        expect([beginning, isWhole(beginning, unitsOf(text))]).toEqual([beginning, true])
      }),
      { numRuns: 500 },
    )
  })

  it('contains only what the text has, in its order', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const source = squashed(text)
        let from = 0
        for (const unit of unitsOf(text)) {
          const at = source.indexOf(squashed(unit.text), from)
          expect([unit.text, at >= from]).toEqual([unit.text, true])
          from = at + squashed(unit.text).length
        }
      }),
      { numRuns: 500 },
    )
  })
})
