/** Sentences: what is one, where it stands, and how it is shortened. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plain, sentencesOf } from '../../../src/kernel/text/sentences.ts'
import { shorten } from '../../../src/kernel/text/shorten.ts'

const textsOf = (text: string): string[] => sentencesOf(text).map((sentence) => sentence.text)

describe('sentences', () => {
  it.each([
    ['See jwt.ts and v1.2.3. Then go on.', ['See jwt.ts and v1.2.3.', 'Then go on.']],
    ['Visit https://x.org/a.b. Done?  Yes!', ['Visit https://x.org/a.b.', 'Done?', 'Yes!']],
    ['It was Dr. Smith, e.g. at 5 p.m. yesterday. Fine.', ['It was Dr. Smith, e.g. at 5 p.m. yesterday.', 'Fine.']],
    ['fix it. then run it', ['fix it.', 'then run it']],
    ['Count the "?" symbols with ? marks.', ['Count the "?" symbols with ? marks.']],
    ['He said "Stop. Go back." and left. Bye.', ['He said "Stop. Go back." and left.', 'Bye.']],
    ['Run `a. b` now. Ok then.', ['Run `a. b` now.', 'Ok then.']],
    ['Use Node.js 20.19. It works…  Maybe', ['Use Node.js 20.19.', 'It works…', 'Maybe']],
    ['첫 문장입니다. 둘째예요! 끝', ['첫 문장입니다.', '둘째예요!', '끝']],
    ['これはテストです。次の文です。', ['これはテストです。', '次の文です。']],
    ['这是第一句。第二句！', ['这是第一句。', '第二句！']],
    ['See approx. ten files and Node v. twenty.', ['See approx. ten files and Node v. twenty.']],
    ['처리 방향은? → 보류. 끝', ['처리 방향은? → 보류.', '끝']],
    ['He said "stop." Then left.', ['He said "stop."', 'Then left.']],
    ['Das ist z.B. so. Und d.h. fertig.', ['Das ist z.B. so.', 'Und d.h. fertig.']],
  ])('of %j', (text, expected) => {
    expect(textsOf(text)).toEqual(expected)
  })

  it('leave out code, tables, rules and headings', () => {
    const text = '# Title\n\nBefore.\n\n```ts\nconst a = 1. b\n```\n\n| a | b |\n|---|---|\n\n---\nAfter.'

    expect(textsOf(text)).toEqual(['Before.', 'After.'])
  })

  it('know their heading, and whether they are items', () => {
    const found = sentencesOf('## Next steps\n- [ ] write docs\n- [x] **ship** it\n\nOpen points:\n1. one more')

    expect(found.map(({ text, heading, isItem }) => ({ text, heading, isItem }))).toEqual([
      { text: 'write docs', heading: 'Next steps', isItem: true },
      { text: 'ship it', heading: 'Next steps', isItem: true },
      { text: 'Open points:', heading: 'Next steps', isItem: false },
      { text: 'one more', heading: 'Open points:', isItem: true },
    ])
  })

  it('join lines that were broken at a width, and no others', () => {
    const wide = 'this line was broken at a width of about seventy characters, in the'

    expect(textsOf(`${wide}\nmiddle of a sentence.`)).toEqual([`${wide} middle of a sentence.`])
    expect(textsOf('good news: it builds\nbad news: it crashes')).toEqual([
      'good news: it builds',
      'bad news: it crashes',
    ])
  })

  it('hold nothing that the host put between', () => {
    expect(textsOf('Before. <system-reminder>Do this. Do that.</system-reminder> After.')).toEqual([
      'Before.',
      'After.',
    ])
  })

  it('stand in the text where they say', () => {
    fc.assert(
      fc.property(prose, (text) => {
        for (const { text: sentence, from, to } of sentencesOf(text)) {
          expect(plain(text.slice(from, to).replace(/<!--.*?-->/gs, ' '))).toBe(sentence)
        }
      }),
    )
  })

  it('lose no word of plain prose', () => {
    const word = fc.stringMatching(/^[a-z가-힣]{2,8}$/u)
    const sentence = fc.array(word, { minLength: 2, maxLength: 9 }).map((words) => `${words.join(' ')}.`)
    fc.assert(
      fc.property(fc.array(sentence, { minLength: 1, maxLength: 8 }), (all) => {
        expect(textsOf(all.join(' ')).join(' ')).toBe(all.join(' '))
      }),
    )
  })
})

describe('plain text', () => {
  it.each([
    ['**bold** and *thin* and [a link](https://x.org/(y))', 'bold and thin and a link'],
    ['`**kwargs` and snake_case_name and __init__', '`**kwargs` and snake_case_name and __init__'],
    ['a  b\n c', 'a b c'],
  ])('of %j is %j', (text, expected) => {
    expect(plain(text)).toBe(expected)
  })
})

describe('shortening', () => {
  it('ends behind a clause or a word and says that it goes on', () => {
    expect(shorten('one two three four five, six seven', 30)).toBe('one two three four five …')
    expect(shorten('one two three four five six seven', 20)).toBe('one two three four …')
    expect(shorten('short', 20)).toBe('short')
  })

  it('leaves no backtick without its partner', () => {
    expect(shorten('please run `npm test -- --watch` now and then', 20)).toBe('please run …')
  })

  it('never ends inside a word or a character, and keeps to the length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 12, max: 80 }), (text, max) => {
        const short = shorten(text, max)
        if (short === text) return
        expect(short.endsWith(' …')).toBe(true)
        const kept = short.slice(0, -2)
        expect(text.startsWith(kept)).toBe(true)
        expect(short.length).toBeLessThanOrEqual(max + 1)
        expect(Buffer.from(kept).toString()).toBe(kept)
      }),
    )
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 20, maxLength: 40 }), (words) => {
        const kept = shorten(words.join(' '), 60).replace(/ …$/, '').split(' ')
        expect(words.slice(0, kept.length)).toEqual(kept)
      }),
    )
  })
})

const prose = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...['. ', '! ', '? ', '。', '\n', '\n- ', '\n## ', '`', '**', '"', '(', ')', '```\n', '| a |\n', ' e.g. '],
        ...['\n\n', ': ', '<!-- x -->'],
      ),
      fc.stringMatching(/^[A-Za-z가-힣]{1,8}$/u),
      fc.constant(' '),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''))
