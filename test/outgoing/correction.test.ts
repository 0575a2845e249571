/** Where a user sets Claude right, told from what only sounds like it. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { correctionsIn } from '../../src/outgoing/correction.ts'
import { statedIn } from '../../src/outgoing/standing.ts'
import { parseStanding, standingToTell } from '../../src/outgoing/standing-list.ts'
import { addStated } from '../../src/outgoing/standing-merge.ts'
import type { Entry } from '../../src/transcript/session.ts'
import { claude, session, used, user } from '../fixtures/sessions.ts'

const LABELS = path.resolve(import.meta.dirname, '../../bench/labels/corrections.jsonl')

const textsIn = (...entries: Entry[]): string[] => correctionsIn(session(entries)).map(({ text }) => text)

describe('a correction', () => {
  it.each([
    ['No, use pnpm.', 'use pnpm.'],
    ['I told you to keep the old names.', 'keep the old names.'],
    ["That's wrong, it should return null.", 'it should return null.'],
    ['Again: run the migrations first.', 'run the migrations first.'],
    ['아니, 그 파일은 지우지 마.', '그 파일은 지우지 마.'],
    ['그게 아니라 테스트부터 작성해줘.', '그게 아니라 테스트부터 작성해줘.'],
    ['아니, 테스트는 vitest로 돌려.', '테스트는 vitest로 돌려.'],
    ['아니 jest 말고 vitest로 돌려', 'jest 말고 vitest로 돌려'],
    ["no thats the wrong table, it's in billing.sql", "it's in billing.sql"],
    ['u renamed the tests again, i told u not to', 'u renamed the tests again, i told u not to'],
    ['thats not my account though its the other one', 'thats not my account though its the other one'],
    ['chapter 3 is a hallucination, nobody measured that', 'chapter 3 is a hallucination, nobody measured that'],
    ['the import order is wrong, should be alphabetical', 'should be alphabetical'],
    ['아니 그 표 아니고 billing.sql', '그 표 아니고 billing.sql'],
    ['이름만 바꾸랬잖아', '이름만 바꾸랬잖아'],
    ['違う、billing.sql の方', 'billing.sql の方'],
    ['不对，应该改 billing.sql', '应该改 billing.sql'],
  ])('is what is right: %s', (text, right) => {
    expect(textsIn(claude('Done.'), user(text))).toEqual([right])
  })

  it('is nothing where a guide is told of', () => {
    expect(textsIn(claude('Done.'), user('가이드에는 두 번 호출하지 말라고 적혀 있음'))).toEqual([])
  })

  it('is nothing where only that it was said is said', () => {
    expect(textsIn(claude('Done.'), user('I told you before.'))).toEqual([])
  })

  it('may follow a bare no', () => {
    expect(textsIn(claude('Done.'), user("That's wrong. The port should be 8081."))).toEqual([
      'The port should be 8081.',
    ])
    expect(textsIn(claude('Done.'), user('It works now. The port should be 8081.'))).toEqual([])
  })

  it('is typed by a person, never pasted, printed by a tool or said by Claude', () => {
    const text = 'No, use pnpm.'
    const inTool: Entry = { role: 'user', via: 'Bash', ts: '', text }
    const sent: Entry = { role: 'user', sent: true, ts: '', text }
    expect(textsIn(sent)).toEqual([])

    expect(textsIn(claude(text), used('Bash', 'cat x', true, text), inTool)).toEqual([])
    expect(textsIn(user(`Look:\n\`\`\`\n${text}\n\`\`\``), user(`> ${text}`))).toEqual([])
    expect(textsIn(user(`${'Some pasted words. '.repeat(60)}${text} ${'And more of them. '.repeat(60)}`))).toEqual([])
  })

  it('that holds for good in so many words is a standing instruction instead', () => {
    const entries = session([claude('Done.'), user('No, always use pnpm.')])

    expect(correctionsIn(entries)).toEqual([])
    expect(statedIn(entries)).toHaveLength(1)
  })

  it('is not told, but counted, in different words too, once for each prompt', () => {
    const say = (n: number, ...texts: string[]): ReturnType<typeof correctionsIn> =>
      correctionsIn(session(texts.map(user), n))
    let list = addStated(parseStanding(null), 'aaaa1111', say(1, 'No, put the tests next to the code.'), 2)
    list = addStated(list, 'bbbb2222', say(3, 'I told you to put the tests next to the code!'), 4)
    list = addStated(list, 'bbbb2222', say(3, 'I told you to put the tests next to the code!'), 4)

    expect(list.standing).toMatchObject([{ kind: 'correction', times: 2, also: ['aaaa1111#1'], session: 'bbbb2222' }])
    expect(standingToTell(list)).toEqual([])
  })

  it('counts for what was said for good, and never takes it back', () => {
    const rule = statedIn(session([user('Always put the tests next to the code.')], 1))
    const again = correctionsIn(session([user('No, put the tests next to the code.')], 5))
    const other = correctionsIn(session([user("No, don't put the tests next to the code.")], 7))
    let list = addStated(parseStanding(null), 'aaaa1111', rule, 2)
    list = addStated(list, 'bbbb2222', again, 6)
    list = addStated(list, 'cccc3333', other, 8)

    expect(list.standing[0]).toMatchObject({ kind: 'always', status: 'candidate', times: 2 })
    expect(standingToTell(list).map(({ text }) => text)).toEqual(['Always put the tests next to the code.'])
  })

  it('is found in any text without failing, and is part of it', () => {
    const word = fc.constantFrom(
      'no',
      ',',
      'use',
      'again',
      'I told you',
      'to',
      'not',
      'pnpm',
      '아니',
      '말고',
      '또',
      '다시',
      '.',
      '\n',
      'stop',
      'doing',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(word).map((words) => words.join(' ')),
        ),
        (text) => {
          for (const found of correctionsIn(session([user(text)])))
            expect(text.replace(/\s+/g, ' ')).toContain(found.text.replace(/ …$/, ''))
        },
      ),
    )
  })
})

describe('the labelled sentences', () => {
  interface Labelled {
    set: string
    language: string
    correction: boolean
    text: string
  }
  const all = fs
    .readFileSync(LABELS, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Labelled]))
  const isFound = ({ text }: Labelled): boolean => textsIn(claude('Done.'), user(text)).length > 0

  it.each(['en', 'ko'])(
    'are found in %s: nine of ten that are found are corrections, and most are found',
    (language) => {
      const some = all.filter((one) => one.language === language)
      const found = some.filter(isFound)
      const right = found.filter(({ correction }) => correction).length

      expect(some.length).toBeGreaterThanOrEqual(80)
      expect(right / found.length).toBeGreaterThanOrEqual(0.9)
      expect(right / some.filter(({ correction }) => correction).length).toBeGreaterThanOrEqual(0.75)
    },
  )
})
