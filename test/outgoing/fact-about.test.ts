/** Whether a fact says what its quote says. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findQuote } from '../../src/knowledge/evidence.ts'
import { aroundOf, isAbout, speakerFor, whyNotAbout } from '../../src/outgoing/fact-about.ts'
import { tellingWords } from '../../src/text/words.ts'
import { bash, claude, session, user } from '../fixtures/sessions.ts'

/** What is wrong with the text when this is said and quoted whole. */
function wrong(said: string, text: string, quote = said): string | null {
  const entries = session([user(said)])
  const found = findQuote(entries, quote)
  if (found === null) throw new Error(`not found: ${quote}`)
  return whyNotAbout(text, aroundOf(entries, found, 'decision'))
}

describe('a fact says the opposite of its quote', () => {
  it.each([
    ['Do not use Redis for the sessions.', 'Redis is used for the sessions.'],
    ["Let's use Redis for the sessions.", 'Redis is not used for the sessions.'],
    ['Never lock the events table in production.', 'The events table is locked in production.'],
    ['We store the tokens in cookies.', 'The tokens are never stored in cookies.'],
    ['Use fetch instead of axios everywhere.', 'axios is used instead of fetch everywhere.'],
    ['세션에는 Redis를 쓰지 말자.', '세션에는 Redis를 쓴다.'],
    ['moment 대신 date-fns를 쓰자.', 'date-fns 대신 moment를 쓴다.'],
  ])('%s → %s', (said, text) => {
    expect(wrong(said, text)).toContain('opposite')
  })
})

describe('a fact says the same in other words', () => {
  it.each([
    ["Don't touch the cookie settings.", 'The cookie settings stay as they are.'],
    ['Use fetch instead of axios in the client.', 'The client uses fetch, axios is replaced.'],
    ['No, do not delete the old instance, it holds the data.', 'The old instance is kept because it holds the data.'],
    ['AWS_PROFILE is not set here.', 'AWS_PROFILE has to be set here.'],
    ['We never ship on a Friday.', 'Nothing is shipped on a Friday.'],
    ['moment 대신 date-fns를 쓰자.', 'moment 대신 date-fns를 쓴다.'],
    ['바로 지우지 말고 30일 유예 기간을 두자.', '바로 지우지 않고 30일 유예 기간을 둔다.'],
  ])('%s → %s', (said, text) => {
    expect(wrong(said, text)).toBeNull()
  })
})

describe('a fact', () => {
  it('has its words from around the quote', () => {
    expect(wrong('The export runs at night.', 'Invoices are printed on yellow paper.')).toContain('words')
    expect(wrong('로그인은 세션 쿠키로 하자.', 'Login uses session cookies.')).toContain('language')
  })

  it('has its numbers from around the quote, in digits or in words', () => {
    expect(wrong('The export retries three times.', 'The export retries 3 times.')).toBeNull()
    expect(wrong('The export retries three times.', 'The export retries 4 times.')).toContain('4')
    expect(wrong('The export takes 90 seconds.', 'The export takes 900 seconds.')).toContain('900')
  })

  it('takes the words of a decision from what was said, not from what a tool printed beside it', () => {
    const entries = session([
      user('Please read the notes.'),
      bash('cat notes', true, 'Deploys skip every review.'),
      claude('Done.'),
    ])
    const found = findQuote(entries, 'Please read the notes')
    if (found === null) throw new Error('not found')
    const why = (type: 'decision' | 'pattern'): string | null =>
      whyNotAbout('Deploys skip every review.', aroundOf(entries, found, type))

    expect(why('decision')).toContain('words')
    expect(why('pattern')).toBeNull()
  })

  it('is the person’s only if its words are', () => {
    const entries = session([claude('Shall sessions live in Redis?'), user('yes please do')])
    const found = findQuote(entries, 'yes please do')
    if (found === null) throw new Error('not found')
    const around = aroundOf(entries, found, 'decision')

    expect(speakerFor('Sessions live in Redis.', 'user', around)).toBe('assistant')
    expect(speakerFor('Sessions live in Redis.', 'tool', around)).toBe('tool')
  })
})

it('any sentence is about itself, and never its own opposite', () => {
  const word = fc.constantFrom(
    'use',
    'not',
    'never',
    'Redis',
    'cache',
    'sessions',
    'the',
    'delete',
    'backup',
    'instead',
    'of',
    'files',
    'only',
  )
  fc.assert(
    fc.property(fc.array(word, { minLength: 4, maxLength: 12 }), (words) => {
      const said = `Redis ${words.join(' ')} cache.`

      expect(isAbout(said, tellingWords(said))).toBe(true)
      expect(wrong(said, said)).toBeNull()
    }),
  )
})
