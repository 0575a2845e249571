/** Whether a sentence settles what a decision makes of it. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isAssent, isReportedStance, whyNotDecided } from '../../src/outgoing/fact-stance.ts'

const why = (said: string, text: string): string | null => whyNotDecided([said], text)

describe('a sentence settles nothing', () => {
  it.each([
    ['Should we use Redis for sessions?', 'Redis is used for sessions.', 'question'],
    ['What if we delete the audit log every night?', 'The audit log is deleted every night.', 'question'],
    ['Is it ok if we use tabs in the parser?', 'Tabs are used in the parser.', 'question'],
    ['Redis를 세션에 쓸까?', 'Redis를 세션에 쓴다.', 'question'],
    ['세션에 Redis를 쓰는 게 어떨까요', '세션에 Redis를 쓴다.', 'question'],
    ['Maybe we should drop IE support.', 'IE support is dropped.', 'considers'],
    ['We might move the events to Kafka.', 'The events are moved to Kafka.', 'considers'],
    ['If the export fails again we move everything to Oracle.', 'Everything is moved to Oracle.', 'condition'],
    ['We move everything to Oracle if the export fails again.', 'Everything is moved to Oracle.', 'condition'],
    ['Unless legal objects we publish the data.', 'The data is published.', 'condition'],
    ['내보내기가 또 실패하면 전부 Oracle로 옮기자.', '전부 Oracle로 옮긴다.', 'condition'],
    ['My colleague says we should drop the unit tests.', 'The unit tests are dropped.', 'Somebody'],
    ['Our lawyer says we must keep invoices for ten years.', 'Invoices are kept for ten years.', 'Somebody'],
    ['동료가 단위 테스트를 빼자고 했는데 난 반대야.', '단위 테스트를 뺀다.', 'Somebody'],
  ])('%s → %s', (said, text, expected) => {
    expect(why(said, text)?.toLowerCase()).toContain(expected.toLowerCase())
  })
})

describe('a sentence settles it', () => {
  it.each([
    ['Can you please always run the linter before committing?', 'The linter is run before committing.'],
    ['Could you use tabs from now on?', 'Tabs are used.'],
    ["Let's use pnpm instead of npm, ok?", 'pnpm is used instead of npm.'],
    ['앞으로 커밋 전에 린트를 돌려줄래?', '커밋 전에 린트를 돌린다.'],
    ['If possible, use SQLite for the cache.', 'SQLite is used for the cache.'],
    ['가능하면 SQLite를 쓰자.', 'SQLite를 쓴다.'],
    ['If the build fails, retry it three times.', 'A failing build is retried three times.'],
    ['If you touch the schema, add a migration.', 'Every schema change gets a migration.'],
    ['내보내기가 또 실패하면 전부 Oracle로 옮기자.', '내보내기가 또 실패하면 전부 Oracle로 옮긴다.'],
    ['Check if the tests pass before merging.', 'The tests are checked before merging.'],
    ['As I said, we use Kafka for events.', 'Kafka is used for events.'],
    ['Our lawyer says we must keep invoices for ten years.', 'The lawyer says that invoices are kept for ten years.'],
    ['The docs say that retries are safe, so use retries.', 'Retries are used.'],
    ['메인 화면은 어둡게 하자.', '메인 화면은 어둡다.'],
  ])('%s → %s', (said, text) => {
    expect(why(said, text)).toBeNull()
  })
})

it('settles a question that the next sentence answers', () => {
  const asked = 'Should the cache be Redis?'

  expect(whyNotDecided([asked, 'The cache will be Redis.'], 'The cache is Redis.')).toBeNull()
  expect(whyNotDecided([asked, 'I had lunch.'], 'The cache is Redis.')).not.toBeNull()
})

it('knows a yes, and what another one said', () => {
  expect(['yes please', 'ok, do that', '네 그렇게 해요', 'Sounds good'].map(isAssent)).toEqual([true, true, true, true])
  expect(['yesterday it broke', 'no', 'why?'].map(isAssent)).toEqual([false, false, false])
  expect(isReportedStance('My boss thinks that we should stop.')).toBe(true)
  expect(isReportedStance('I think that we should stop.')).toBe(false)
})

it('any plain order settles what it says', () => {
  const thing = fc.constantFrom('cache', 'parser', 'ledger', 'export', 'queue', 'theme')
  fc.assert(
    fc.property(thing, thing, fc.constantFrom('Use', 'Always keep', "Let's put", 'We write'), (a, b, opener) => {
      expect(why(`${opener} the ${a} in the ${b}.`, `The ${a} is in the ${b}.`)).toBeNull()
      expect(why(`Should we keep the ${a} in the ${b}?`, `The ${a} is in the ${b}.`)).not.toBeNull()
    }),
  )
})
