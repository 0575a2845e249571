/** The list of standing instructions: told apart, counted, taken back, judged. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Fact, NO_FACTS } from '../../src/knowledge/fact.ts'
import type { Stated } from '../../src/outgoing/standing.ts'
import type { StandingKind } from '../../src/outgoing/standing-kind.ts'
import {
  formatStanding,
  judgeStanding,
  parseStanding,
  type StandingList,
  standingToTell,
  withoutDeclined,
} from '../../src/outgoing/standing-list.ts'
import { addStated } from '../../src/outgoing/standing-merge.ts'

const EMPTY = parseStanding(null)

function stated(day: number, kind: StandingKind, text: string, entry = day): Stated {
  return { kind, text, at: `2026-01-${String(day).padStart(2, '0')}T12:00:00.000Z`, entry }
}

function listOf(...all: Stated[]): StandingList {
  return addStated(EMPTY, 'aaaa1111', all, 100)
}

const brief = ({ standing }: StandingList): string[] =>
  standing.map(({ id, status, times, text }) => `${id} ${status} ${times} ${text}`)

describe('adding', () => {
  it('takes an order back when a later one contradicts it in other words', () => {
    const list = listOf(
      stated(1, 'never', 'Never use console.log, use the logger!'),
      stated(2, 'always', 'From now on use console.log, we dropped the logger.'),
    )

    expect(list.standing.map(({ status }) => status)).toEqual(['superseded', 'candidate'])
  })

  it('numbers what is new and remembers how far it has looked', () => {
    const list = listOf(stated(1, 'always', 'Always use tabs.'), stated(2, 'never', 'Never push to main.'))

    expect(brief(list)).toEqual(['t001 candidate 1 Always use tabs.', 't002 candidate 1 Never push to main.'])
    expect(list.read).toEqual({ aaaa1111: 100 })
    expect(list.standing[0]).toMatchObject({ session: 'aaaa1111', entry: 1, kind: 'always' })
  })

  it('counts what is said again and keeps the newer words, wherever they come from', () => {
    const first = listOf(stated(3, 'always', 'Always run the linter before a commit.'))
    const again = addStated(
      first,
      'bbbb2222',
      [stated(5, 'always', 'Please always run the linter before each commit!')],
      9,
    )
    const older = addStated(again, 'cccc3333', [stated(1, 'always', 'always run the linter before the commit')], 9)

    expect(brief(again)).toEqual(['t001 candidate 2 Please always run the linter before each commit!'])
    expect(again.standing[0]).toMatchObject({ session: 'bbbb2222', entry: 5 })
    expect(brief(older)).toEqual(['t001 candidate 3 Please always run the linter before each commit!'])
  })

  it('adds nothing when the same entry is looked at again', () => {
    const list = listOf(stated(1, 'always', 'Always use tabs.'))

    expect(addStated(list, 'aaaa1111', [stated(1, 'always', 'Always use tabs.')], 100)).toEqual(list)
  })

  it.each([
    ['Always use tabs for indentation.', 'never', 'Never use tabs for indentation.'],
    ['From now on, use pnpm.', 'always', 'From now on use bun instead of pnpm.'],
    ['항상 영어로 답변해 주세요.', 'never', '앞으로 영어로 답변하지 마세요.'],
  ] as const)('takes back "%s" with %s: "%s"', (before, kind, after) => {
    const inOrder = listOf(stated(1, 'always', before), stated(2, kind, after))
    const found = listOf(stated(2, kind, after), stated(1, 'always', before))

    for (const list of [inOrder, found]) expect(standingToTell(list).map(({ text }) => text)).toEqual([after])
    const again = addStated(inOrder, 'bbbb2222', [stated(3, 'always', before)], 1)
    expect(standingToTell(again).map(({ text }) => text)).toEqual([before])
  })

  it('keeps two that differ in one word, each counted by itself, and a verdict on one is none on the other', () => {
    const list = listOf(
      stated(1, 'always', 'Always run the linter before you commit.'),
      stated(2, 'always', 'Always run the formatter before you commit.'),
      stated(3, 'never', 'Never run the migrations before you commit.'),
    )
    const declined = judgeStanding(list, 't001', 'declined') ?? EMPTY

    expect(brief(list)).toEqual([
      't001 candidate 1 Always run the linter before you commit.',
      't002 candidate 1 Always run the formatter before you commit.',
      't003 candidate 1 Never run the migrations before you commit.',
    ])
    expect(standingToTell(declined).map(({ id }) => id)).toEqual(['t003', 't002'])
  })

  it('lets two that can stand side by side stand', () => {
    const list = listOf(
      stated(1, 'always', 'Always write tests for new code.'),
      stated(2, 'never', 'Never write comments for obvious code.'),
      stated(3, 'always', 'Keep lines below 100 characters from now on.'),
      stated(4, 'always', 'Keep functions below 40 lines from now on.'),
    )

    expect(standingToTell(list)).toHaveLength(4)
  })
})

describe('telling', () => {
  it('begins with what was said more than once, then the newest', () => {
    const list = listOf(
      stated(1, 'always', 'Always use tabs.'),
      stated(2, 'never', 'Never push to main.'),
      stated(3, 'prefer', 'I prefer short answers.'),
      stated(4, 'always', 'always use tabs'),
      stated(5, 'always', 'Always sign the commits.'),
    )

    expect(standingToTell(list).map(({ id }) => id)).toEqual(['t001', 't004', 't003', 't002'])
  })

  it('leaves out what was declined, for good, and what has become a rule', () => {
    const list = listOf(stated(1, 'always', 'Always use tabs.'), stated(2, 'never', 'Never push to main.'))
    const declined = judgeStanding(list, 't001', 'declined') ?? EMPTY
    const again = addStated(declined, 'bbbb2222', [stated(9, 'always', 'Always use tabs, please.')], 1)

    expect(standingToTell(again).map(({ id }) => id)).toEqual(['t002'])
    expect(standingToTell(judgeStanding(again, 't002', 'accepted') ?? EMPTY)).toEqual([])
    expect(judgeStanding(list, 't009', 'declined')).toBeNull()
  })
})

describe('a declined one', () => {
  const said = (text: string, entry: number, author: Fact['author'] = 'extractive'): Fact => ({
    id: `d00${entry}`,
    type: 'decision',
    text,
    reason: null,
    status: null,
    resolution: null,
    at: '2026-01-01T12:00:00.000Z',
    session: 'aaaa1111',
    evidence: { entry, quote: text },
    files: [],
    concept: null,
    state: 'fresh',
    author,
  })
  const LIST = listOf(
    stated(1, 'always', 'Always run the linter before you commit.'),
    stated(2, 'never', 'Never mock the database.'),
  )
  const DECLINED = judgeStanding(judgeStanding(LIST, 't001', 'declined') ?? EMPTY, 't002', 'declined') ?? EMPTY
  const left = (list: StandingList, ...decisions: Fact[]): string[] =>
    withoutDeclined({ ...NO_FACTS, decisions }, list).decisions.map(({ text }) => text)

  it.each([
    ['always run the linter before you commit', 7],
    ['Please always run the linter before you commit!', 7],
    ['Always run the linter before you commit, since CI is slow.', 7],
    ['run the linter before you commit', 1],
  ])('is no decision either: "%s" in entry %i', (text, entry) => {
    expect(left(DECLINED, said(text, entry))).toEqual([])
    expect(left(LIST, said(text, entry))).toEqual([text])
  })

  it.each([
    ['Always run the formatter before you commit.', 1],
    ['run the linter before you commit', 7],
    ['Always run the linter before you commitments.', 7],
    ['Use Postgres for the queue.', 2],
  ])('leaves other decisions: "%s" in entry %i', (text, entry) => {
    expect(left(DECLINED, said(text, entry))).toEqual([text])
  })

  it('leaves what a person has written down', () => {
    expect(left(DECLINED, said('Never mock the database.', 2, 'user'))).toHaveLength(1)
  })
})

const anyStated: fc.Arbitrary<Stated> = fc.record({
  kind: fc.constantFrom<StandingKind>('always', 'never', 'prefer'),
  text: fc
    .array(fc.constantFrom('always', 'never', 'use', 'tabs', 'spaces', 'push', 'main', '커밋', '12'), {
      minLength: 1,
      maxLength: 5,
    })
    .map((words) => words.join(' ')),
  at: fc.integer({ min: 1, max: 28 }).map((day) => `2026-01-${String(day).padStart(2, '0')}T12:00:00.000Z`),
  entry: fc.nat(400),
})

describe('whatever is said', () => {
  it('comes back from the file as it was, and is counted once each time', () => {
    fc.assert(
      fc.property(fc.array(anyStated, { maxLength: 30 }), (all) => {
        const list = listOf(...all)
        const distinct = new Set(all.map(({ entry, text }) => `${entry} ${text}`)).size

        expect(parseStanding(formatStanding(list))).toEqual(list)
        expect(list.standing.reduce((sum, { times }) => sum + times, 0)).toBeGreaterThanOrEqual(list.standing.length)
        expect(list.standing.reduce((sum, { times }) => sum + times, 0)).toBeLessThanOrEqual(all.length)
        expect(list.standing.length).toBeLessThanOrEqual(distinct)
        expect(new Set(list.standing.map(({ id }) => id)).size).toBe(list.standing.length)
      }),
    )
  })

  it('stays within its bounds and never loses a verdict', () => {
    const many = Array.from({ length: 400 }, (_, i) =>
      stated(1 + (i % 28), 'always', `Always use module${i} for part${i}.`, i),
    )
    const first = judgeStanding(listOf(...many.slice(0, 1)), 't001', 'declined') ?? EMPTY
    const list = addStated(first, 'bbbb2222', many.slice(1), 400)

    expect(list.standing.length).toBeLessThanOrEqual(300)
    expect(list.standing[0]).toMatchObject({ id: 't001', status: 'declined' })
  })

  it('is read from anything without failing', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => parseStanding(text).standing.length >= 0))
    expect(parseStanding('{"version":2,"standing":[{"id":"t001"},7],"read":{"a":-1,"b":3}}')).toEqual({
      read: { b: 3 },
      standing: [],
    })
  })
})
