/** Quotes found in entries, and whose words they are. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findQuote, speakerOf } from '../../src/knowledge/evidence.ts'
import type { Entry, Numbered } from '../../src/transcript/session.ts'
import { bash, chose, claude, read, session, used, user } from '../fixtures/sessions.ts'

const PROMPT = "Good. **Use fetch instead of axios** in `src/net/http.ts` – the bundle's\nsize is too large."
const entries = session([
  user(PROMPT),
  claude('I will replace axios, then run the tests.'),
  bash('npm test -- net', false, 'FAIL test/net/http.test.ts > retries three times\n1 failed'),
  claude('이제 캐시는 Redis를 사용하고 세션은 그대로 둡니다.'),
])
const quoteIn = (quote: string, hint?: number): string | undefined => findQuote(entries, quote, hint)?.quote

describe('a quote', () => {
  it('is found as it stands in its entry, whatever blanks, marks and signs were changed', () => {
    const found = {
      entry: 0,
      quote: "Use fetch instead of axios** in `src/net/http.ts` – the bundle's\nsize",
      by: 'user',
    }

    expect(findQuote(entries, 'Use fetch instead of axios in src/net/http.ts - the bundle’s size')).toEqual(found)
  })

  it('may begin with a small letter, and end with other punctuation', () => {
    expect(quoteIn('use fetch instead of axios')).toBe('Use fetch instead of axios')
    expect(quoteIn('"Then run the tests!"')).toBe('then run the tests')
  })

  it('may leave out a part of its entry between two longer ones', () => {
    expect(quoteIn('Use fetch instead … size is too large.')).toContain('src/net/http.ts')
    expect(quoteIn('Use fetch … too large')).toBeUndefined()
    expect(quoteIn('size is too large … Use fetch instead')).toBeUndefined()
    expect(quoteIn('Use fetch instead … then run the tests')).toBeUndefined()
  })

  it('is not found with another word, with a word less, or out of a longer word', () => {
    expect(quoteIn('Use axios instead of fetch')).toBeUndefined()
    expect(quoteIn('Use fetch of axios')).toBeUndefined()
    expect(findQuote(session([claude('This is unsafe to use here.')]), 'safe to use here')).toBeNull()
    expect(findQuote(session([claude('그 방식은 불안전합니다 확실히')]), '안전합니다 확실히')).toBeNull()
    expect(quoteIn('USE FETCH INSTEAD')).toBeUndefined()
  })

  it('proves nothing when it is too short', () => {
    expect(quoteIn('Good')).toBeUndefined()
    expect(quoteIn('axios')).toBeUndefined()
    expect(quoteIn('세션은')).toBeUndefined()
    expect(quoteIn('세션은 그대로')).toBe('세션은 그대로')
    expect(quoteIn('')).toBeUndefined()
    expect(quoteIn('…')).toBeUndefined()
  })

  it('is found in commands and in what they printed, as the tool’s words', () => {
    expect(findQuote(entries, 'npm test -- net')).toEqual({ entry: 2, quote: 'npm test -- net', by: 'tool' })
    expect(findQuote(entries, 'retries three times')?.by).toBe('tool')
  })

  it('is taken from the hinted entry, else from what a person typed, then from Claude, then from the earliest', () => {
    const said = 'we keep the old parser'
    const all = session([bash('cat notes.md', true, said), used('Read', said), claude(said), user(said), user(said)])

    expect(findQuote(all, said, 1)?.entry).toBe(1)
    expect(findQuote(all, said)?.entry).toBe(3)
    expect(findQuote(all.slice(0, 3), said)?.entry).toBe(2)
    expect(findQuote(all.slice(0, 2), said)?.entry).toBe(0)
    expect(findQuote(all, said, 99)?.entry).toBe(3)
  })

  it('keeps what was redacted as it stands', () => {
    const all = session([user('The key is [redacted:api-key] on staging.')])

    expect(findQuote(all, 'The key is [redacted:api-key]')?.entry).toBe(0)
    expect(findQuote(all, 'The key is sk-12345678')).toBeNull()
  })

  it('is not taken from a compaction’s summary, nor from what was removed', () => {
    const gone: Numbered[] = [
      { n: 0, entry: { role: 'summary', ts: '', text: 'The user decided to use Redis.' } },
      { n: 1, entry: { role: 'tombstone', n: 1, key: 'k' } },
    ]

    expect(findQuote(gone, 'decided to use Redis')).toBeNull()
  })
})

describe('the speaker of a quote', () => {
  const speaker = (text: string, quote: string): string => speakerOf(user(text), quote)

  it('is the person only for words that were typed', () => {
    expect(speaker('Please use tabs here.', 'use tabs')).toBe('user')
    expect(speaker('See this:\n```\nalways use tabs\n```\nwhat is it?', 'always use tabs')).toBe('tool')
    expect(speaker('> always use tabs\nis that so?', 'always use tabs')).toBe('tool')
    expect(
      speaker(`Look: ${'log line. '.repeat(300)} always use tabs ${'log line. '.repeat(300)}`, 'always use tabs'),
    ).toBe('tool')
  })

  it('is a tool where a fence is only ended by its like', () => {
    expect(speaker('See:\n````\n```\nx\n```\nalways use tabs\n````\nok?', 'always use tabs')).toBe('tool')
    expect(speaker('See\n~~~\n```\n~~~\nalways use tabs', 'always use tabs')).toBe('user')
  })

  it('is a tool at the end of a long paste that nothing sets apart', () => {
    const log = Array.from({ length: 600 }, (_, i) => `line ${i} of the log`).join('\n')
    expect(speaker(`What is this?\n\n${log}\nalways use tabs`, 'always use tabs')).toBe('tool')
    expect(speaker(`What is this?\n\n${log}\n\nalways use tabs`, 'What is this?')).toBe('user')
  })

  it('is the person where the same words were pasted and typed', () => {
    expect(speaker('> always use tabs\n\nYes: always use tabs.', 'always use tabs')).toBe('user')
  })

  it('is worth what Claude says where a program sent the prompt', () => {
    const sent: Entry = { role: 'user', by: 'user', sent: true, ts: '', text: 'Please use tabs here.\n> never' }
    expect(speakerOf(sent, 'use tabs')).toBe('assistant')
    expect(speakerOf(sent, 'never')).toBe('tool')
  })

  it('is nobody’s but a tool’s inside its result', () => {
    expect(speakerOf(chose('Tabs?', 'always use tabs'), 'always use tabs')).toBe('tool')
    expect(speakerOf(read('README.md'), 'README.md')).toBe('tool')
  })
})

describe('any entry', () => {
  const words = fc.array(
    fc.constantFrom<string>(
      'use',
      'Redis',
      'not',
      'the',
      'cache',
      '`src/a.ts`',
      '**bold**',
      'x*y',
      '—',
      '“so”',
      '캐시는',
      '쓰지',
      '말자',
      'a_b',
      '\n',
      '2 * 3',
    ),
    { minLength: 4, maxLength: 40 },
  )

  it('holds every quote that is cut from it between words, whatever its blanks have become', () => {
    fc.assert(
      fc.property(words, fc.nat(), fc.nat(), fc.constantFrom(' ', '\n', '  ', '\t'), (all, a, b, blank) => {
        const from = a % all.length
        const cut = all.slice(from, from + 3 + (b % all.length))
        const [said, quote] = [all.join(' '), cut.join(blank)]
        const found = findQuote(session([claude(said)]), quote)

        if (found !== null) expect(said).toContain(found.quote)
        const letters = quote.match(/[\p{L}\p{N}]/gu)?.length ?? 0
        if (letters >= 8 && cut.filter((word) => /[\p{L}\p{N}]/u.test(word)).length >= 2) expect(found).not.toBeNull()
      }),
    )
  })

  it('holds no quote with a word that it does not have', () => {
    fc.assert(
      fc.property(words, fc.nat(), (all, at) => {
        const changed = all.toSpliced(at % all.length, 1, 'zebra')

        expect(findQuote(session([claude(all.join(' '))]), changed.join(' '))).toBeNull()
      }),
    )
  })

  const signs = ['\ud800', '\u0000', '…', '...', '*', '__', '`', '\u200b', '한글', '“', ' ', 'word']
  const anything = fc.array(fc.oneof(fc.string(), fc.constantFrom(...signs))).map((parts) => parts.join(''))

  it('is read without trouble, whatever stands in it', () => {
    fc.assert(
      fc.property(anything, anything, (text, quote) => {
        const found = findQuote(session([user(text)]), quote)
        if (found !== null) expect(text).toContain(found.quote)
      }),
    )
  })
})

it('two thousand entries are searched', () => {
  const many = session(
    Array.from({ length: 2_000 }, (_, i) => claude(`Step ${i}: ${'some words about the work. '.repeat(20)}`)),
  )
  for (let i = 0; i < 10; i++) expect(findQuote(many, `Step ${1990 + i}: some  words`)?.entry).toBe(1990 + i)
  expect(findQuote(many, 'words about the working of it')).toBeNull()
})
