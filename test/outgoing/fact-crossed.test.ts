/** Two things that changed places between what was said and what became of it. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isCrossed } from '../../src/outgoing/fact-crossed.ts'

const AMOUNTS = 'From now on store all amounts in cents, never as floats.'
const INVOICES = 'We decided to keep the invoices in PostgreSQL, because SQLite locks the whole file.'
const PAGES = 'Do not cache pages in Redis, use the disk.'
const LIMITS = 'Set the retry limit to 5 and the pool size to 30.'
const LANGUAGES = 'Use English for the docs and Korean for the UI.'

describe('two things have changed places', () => {
  it.each([
    [AMOUNTS, 'All amounts are stored as floats, never in cents.'],
    [INVOICES, 'Invoices are kept in SQLite, because PostgreSQL locks the whole file.'],
    [INVOICES, 'The invoices are kept in SQLite.'],
    [PAGES, 'Pages are cached in Redis, not on disk.'],
    [LIMITS, 'The retry limit is 30 and the pool size is 5.'],
    [LANGUAGES, 'The docs are in Korean, the UI in English.'],
    ['Use pnpm, not npm.', 'npm is used, not pnpm.'],
    ['Prefer tabs over spaces.', 'Spaces are preferred over tabs.'],
    ['Deploy from staging to production.', 'Deploys go from production to staging.'],
    ['Run the linter before each commit, never after it.', 'The linter runs after each commit, never before it.'],
    [
      'Admins may delete invoices, editors may only edit them.',
      'Editors may delete invoices, admins may only edit them.',
    ],
    ['SQLite는 파일 전체를 잠그니까 청구서는 PostgreSQL에 두자.', '청구서는 SQLite에 둔다.'],
    ['금액은 센트로 저장하고 절대 float로 저장하지 마.', '금액은 float로 저장하고 절대 센트로 저장하지 않는다.'],
    ['문서는 영어로 쓰고 화면은 한국어로 하자.', '문서는 한국어로, 화면은 영어로 쓴다.'],
    ['배포는 금요일 말고 화요일에 하자.', '배포는 화요일 말고 금요일에 한다.'],
  ])('%s → %s', (said, text) => {
    expect(isCrossed(said, text)).toBe(true)
  })
})

describe('nothing has changed places', () => {
  it.each([
    [AMOUNTS, 'All amounts are stored in cents, never as floats.'],
    [INVOICES, 'The invoices are kept in PostgreSQL because SQLite locks the file.'],
    [INVOICES, 'The invoices are not kept in SQLite.'],
    [PAGES, 'Pages are cached on disk, not in Redis.'],
    [LIMITS, 'The pool size is 30 and the retry limit is 5.'],
    [LANGUAGES, 'The docs are in English, the UI in Korean.'],
    ['Do not log to stdout, log to stderr.', 'Logs go to stderr, not to stdout.'],
    ['Alice reviews the code and Bob deploys the site.', 'Code is reviewed by Alice, the site is deployed by Bob.'],
    [
      'Run migrations before the deploy and smoke tests after it.',
      'Smoke tests run after the deploy, migrations before it.',
    ],
    [
      "Let's hold the deploys until Monday because the provider has an outage.",
      'Deploys wait until Monday for the provider outage.',
    ],
    ['금액은 센트로 저장하고 절대 float로 저장하지 마.', '금액은 float가 아니라 센트로 저장한다.'],
    ['배포는 금요일 말고 화요일에 하자.', '배포는 화요일에 하고 금요일에는 하지 않는다.'],
  ])('%s → %s', (said, text) => {
    expect(isCrossed(said, text)).toBe(false)
  })
})

it('no sentence is crossed with itself', () => {
  const word = fc.constantFrom(
    ...'use keep in never not because and cache redis disk cents floats 5 30 before after , 말고 쓰자'.split(' '),
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 14 }), (words) => {
      const said = words.join(' ')

      expect(isCrossed(said, said)).toBe(false)
    }),
  )
})
