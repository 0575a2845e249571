/** Words that tell what kind of sentence it is, in several languages. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isDecision,
  isHostCommand,
  isIdle,
  isLastingWord,
  isMachineLine,
  isOpenWord,
  isPassing,
  isPlan,
  isRequest,
  isSolved,
  wordCount,
} from '../../src/outgoing/digest-words.ts'

describe('a decision of a person', () => {
  it.each([
    "Let's use Postgres for this.",
    'We decided to keep the REST API.',
    'Use tabs not spaces',
    'Never commit to main directly.',
    'always show the total in the footer',
    "I'll go with option B",
    'From now on, write the changelog in German.',
    "please don't use any",
    'Use fetch instead of axios, it is smaller',
    '데이터베이스는 SQLite로 하자',
    '앞으로 커밋 메시지는 영어로 써줘',
    '항상 테스트를 먼저 돌려',
    'moment 대신 date-fns를 쓰자',
    '今後は必ずテストを書いてください。',
    '从现在开始我们用 pnpm',
    'Wir verwenden ab sofort pnpm statt npm.',
  ])('is %j', (text) => {
    expect(isDecision(text, 'user')).toBe(true)
  })

  it.each([
    'Should we use Redis instead of memory?',
    'I use a Mac.',
    'can you use the other file',
    'it never works',
    'The button always shows the wrong label',
    "the users don't add items",
    'we keep getting this error',
    '이게 항상 실패해',
    '왜 대신 이걸 쓰나요?',
    'Add a button to the footer',
  ])('is not %j', (text) => {
    expect(isDecision(text, 'user')).toBe(false)
  })
})

describe('a decision of Claude', () => {
  it.each([
    'I went with a queue rather than polling because it scales.',
    'Now using `fetch` instead of axios.',
    "I've decided to split the module.",
    '캐시는 Redis를 쓰기로 했습니다.',
  ])('is %j', (text) => {
    expect(isDecision(text, 'assistant')).toBe(true)
  })

  it.each([
    'Let me check the file instead of guessing',
    "I'll use Grep to find the usages.",
    'We should use a queue.',
    'It looks like you decided to use npm.',
    'Should I go with the queue?',
    '설정을 확인하겠습니다.',
  ])('is not %j', (text) => {
    expect(isDecision(text, 'assistant')).toBe(false)
  })
})

describe('a state that passes', () => {
  it.each([
    'I am waiting for CI.',
    'Waiting on the GitHub Actions checks to finish.',
    'PR #12 is still pending.',
    'CI 완료 대기 중',
    'The full test suite is running now.',
    "I'll wait for the review.",
    'The deployment is in progress.',
    '빌드가 아직 진행 중입니다.',
  ])('is %j', (text) => {
    expect(isPassing(text)).toBe(true)
  })

  it.each([
    'We are waiting for the quota increase before we can try again.',
    'The migration is in progress, and rollback is not implemented.',
    'The Windows build still fails.',
    'TODO: add tests for the parser',
    '관리자 화면에는 아직 필터가 없습니다.',
  ])('is not %j', (text) => {
    expect(isPassing(text)).toBe(false)
  })
})

describe('something open', () => {
  it.each([
    'The Windows build still fails.',
    'TODO: add tests for the parser',
    'The migration has not been run on production yet.',
    'We still need to update the docs.',
    '아직 문서는 쓰지 않았습니다.',
    '남은 작업은 배포입니다.',
    'Der Test schlägt noch fehl.',
    'まだテストがありません。',
  ])('is %j', (text) => {
    expect(isOpenWord(text)).toBe(true)
  })

  it.each([
    'Let me check the remaining tests.',
    'Is anything still open?',
    'All tests pass.',
    'There are no open issues.',
    'Nothing is left to do.',
    'No follow-up needed.',
    'The file is not found in the cache, so it is created.',
    '남은 작업은 없습니다.',
  ])('is not %j', (text) => {
    expect(isOpenWord(text)).toBe(false)
  })

  it('lasts beyond its turn only when it was put off', () => {
    expect(isLastingWord('TODO: the docs are not yet written')).toBe(true)
    expect(isLastingWord('The lint still fails.')).toBe(false)
  })
})

describe('something solved', () => {
  it.each([
    'Fixed the race in the scheduler.',
    'The login bug is fixed.',
    'It works now.',
    'The tests now pass.',
    'The crash no longer happens.',
    'All issues have been resolved.',
    '로그인 문제를 해결했습니다.',
    'Das Problem ist behoben.',
  ])('is %j', (text) => {
    expect(isSolved(text)).toBe(true)
  })

  it.each([
    'This should be fixed now.',
    'It is not fixed.',
    "The bug isn't fixed yet.",
    'The layout uses a fixed width.',
    'Once resolved, we can go on.',
    'The promise resolved to undefined.',
    'The path is resolved at runtime.',
    'To be fixed later.',
    '해결해야 할 문제가 있습니다.',
  ])('is not %j', (text) => {
    expect(isSolved(text)).toBe(false)
  })
})

describe('prompts', () => {
  it.each(['ok', 'Yes, please continue', '네 진행해주세요', 'looks good thanks!', 'y', '계속', '好的', 'ja, weiter'])(
    '%j ask for nothing',
    (text) => {
      expect(isIdle(text)).toBe(true)
    },
  )

  it.each(['fix it', 'yes but rename it', '테스트 돌려줘', 'undo'])('%j ask for something', (text) => {
    expect(isIdle(text)).toBe(false)
  })

  it.each(['fix the login', 'Can you look at this', '로그를 지워줘', '请修复它', 'bitte prüfen', 'we should log it'])(
    '%j are requests',
    (text) => {
      expect(isRequest(text)).toBe(true)
    },
  )

  it('for the host are told from those of a project', () => {
    expect(isHostCommand('/compact keep the tests')).toBe(true)
    expect(isHostCommand('/deploy staging')).toBe(false)
  })
})

describe('lines of machines', () => {
  it.each([
    '2026-01-12T08:00:01.123Z INFO worker started',
    '    at handleJob (/srv/app/src/worker.ts:42:17)',
    'TypeError: Cannot read properties of undefined',
    '$ npm test',
    'const a = { b: 1 }',
    '+++ b/src/a.ts',
    '├── src ────────── 12 ─────',
  ])('are told: %j', (text) => {
    expect(isMachineLine(text)).toBe(true)
  })

  it.each([
    'At 10:30 the job stops.',
    'error handling is missing in the parser',
    "import the customers' list from the file",
    '--verbose prints nothing at all',
    'return the value to the caller (see above)',
    '오류 처리가 없습니다',
  ])('are not %j', (text) => {
    expect(isMachineLine(text)).toBe(false)
  })
})

describe('plans', () => {
  it.each([
    'Let me check the file.',
    "Now I'll run the tests.",
    'Great! Now let me look.',
    '확인하겠습니다.',
    '让我看看',
  ])('are %j', (text) => {
    expect(isPlan(text)).toBe(true)
  })

  it.each(['The tests pass.', 'Letters are counted twice.', '모두 완료했습니다.'])('are not %j', (text) => {
    expect(isPlan(text)).toBe(false)
  })
})

it('every pattern answers at once, whatever the text', () => {
  const tests = [isIdle, isRequest, isPlan, isOpenWord, isSolved, isMachineLine, isHostCommand, wordCount]
  const chunk = fc.constantFrom(
    'use ',
    'instead of ',
    'a',
    ' ',
    'not ',
    '항상 ',
    '대신 ',
    'ok ',
    "let's ",
    'fixed ',
    'no ',
    '.',
    '(',
  )
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 30 }), fc.integer({ min: 1, max: 60 }), (parts, times) => {
      const text = parts.join('').repeat(times)
      for (const test of tests) test(text)
      isDecision(text, 'user')
      isDecision(text, 'assistant')
    }),
    { numRuns: 60 },
  )
})
