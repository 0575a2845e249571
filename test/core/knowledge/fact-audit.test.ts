/** What verdicts of the audit do to facts, and which facts a full session loses. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Verdict } from '../../../src/core/grounding/audit.ts'
import {
  questionsIn,
  withClosing,
  withinRoom,
  withUnaudited,
  withVerdict,
} from '../../../src/core/knowledge/fact-audit.ts'
import type { SoundFact } from '../../../src/core/knowledge/fact-draft.ts'
import { type Fact, isTold } from '../../../src/core/knowledge/item.ts'
import { allFacts, type Items } from '../../../src/core/knowledge/items.ts'
import { fact, factsWith, judgedBy, listed, someText } from '../../support/fact.ts'

const NOW = '2026-03-01T00:00:00.000Z'
const SESSION = '1a2b3c4d'
const ids = (facts: Items): string[] => allFacts(facts).map(({ id }) => id)
const waiting = (more: Partial<Fact> = {}): Fact => fact({ by: 'headless', unaudited: true, ...more })

/** The same verdict on everything that waits. */
function judged(facts: Items, verdict: Verdict): Items {
  return questionsIn(facts).reduce((after, question) => withVerdict(after, question, verdict, NOW), facts)
}

describe('a fact that waits for its audit', () => {
  it.each([
    ['user', 'yes', undefined],
    ['assistant', 'yes', undefined],
    ['user', 'unclear', 'unclear'],
    ['tool', 'unclear', 'unclear'],
    ['assistant', 'unclear', null],
    ['user', 'no', null],
  ] as const)('with the words of the %s and the verdict %s becomes %s', (by, verdict, expected) => {
    const one = waiting({ id: 'd001', evidence: { entry: 4, quote: 'two words', by } })
    const [after] = allFacts(judged(factsWith(one), verdict))

    expect(after === undefined ? null : after.unaudited).toBe(expected)
    expect(isTold(one)).toBe(false)
    if (after !== undefined) expect(isTold(after)).toBe(verdict === 'yes')
  })

  it('is asked about with its reason, its resolution and what it replaces, and all its entries', () => {
    const old = fact({ id: 'd001', text: 'Sessions live in Redis.' })
    const one = waiting({
      id: 'd002',
      text: 'Sessions live in cookies.',
      reason: 'Redis is slow',
      replaces: ['d001'],
      evidence: { entry: 9, quote: 'in cookies', by: 'user', more: [4, 12] },
    })
    const [question, ...others] = questionsIn(factsWith(old, one))

    expect(others).toEqual([])
    expect(question).toMatchObject({ id: 'd002', quote: 'in cookies', at: [9, 4, 12] })
    expect(question?.text).toBe(
      '(decision) Sessions live in cookies. Reason: Redis is slow It replaces the decision "Sessions live in Redis."',
    )
  })

  it('that an audit could not judge is not asked about again', () => {
    expect(questionsIn(factsWith(waiting({ unaudited: 'unclear' })))).toEqual([])
  })

  it('takes the place of what structure found in the same words once it is confirmed, and not before', () => {
    const evidence = { entry: 4, quote: 'keep it in cents', by: 'user' as const }
    const found = fact({ id: 'd001', by: 'extractive', text: 'Which unit? cents', session: SESSION, evidence })
    const { id: _, ...said } = waiting({ text: 'Amounts are kept in cents.', session: SESSION, evidence })
    const sound: SoundFact = { number: 1, fact: said, newConcept: null, resolves: [] }
    const before = withUnaudited(factsWith(found), [sound], 'headless')

    expect(
      listed(before)
        .decisions.filter(isTold)
        .map(({ text }) => text),
    ).toEqual(['Which unit? cents'])
    expect(listed(judged(before, 'yes')).decisions).toMatchObject([{ id: 'd001', text: 'Amounts are kept in cents.' }])
    expect(listed(judged(before, 'no')).decisions).toEqual([found])
  })

  it('does not weaken what is known in the same words', () => {
    const known = fact({ id: 'd001', text: 'Use tabs.' })
    const { id: _, ...again } = waiting({ text: 'Use tabs.', session: 'bbbbbbbb' })
    const sound: SoundFact = { number: 1, fact: again, newConcept: null, resolves: [] }

    expect(listed(withUnaudited(factsWith(known), [sound], 'agent')).decisions.map(isTold)).toEqual([true])
  })
})

describe('two drafts that say nearly the same of one quote', () => {
  const evidence = { entry: 4, quote: 'keep the limit at 40', by: 'user' as const }
  const drafts = ['The limit of uploads stays at 40.', 'The limit of uploads stays at 40 files a day.'].map(
    (text, i): SoundFact => {
      const { id: _, ...said } = waiting({ text, session: SESSION, evidence })
      return { number: i + 1, fact: said, newConcept: null, resolves: [] }
    },
  )
  const waits = withUnaudited(factsWith(), drafts, 'headless')
  const told = (verdicts: readonly Verdict[]): string[] =>
    listed(
      questionsIn(waits).reduce((after, question, i) => withVerdict(after, question, verdicts[i] ?? 'no', NOW), waits),
    )
      .decisions.filter(isTold)
      .map(({ text }) => text)

  it('are both asked about', () => {
    expect(questionsIn(waits).map(({ text }) => text)).toEqual(drafts.map(({ fact: { text } }) => `(decision) ${text}`))
  })

  it.each([
    [['yes', 'no'], [0]],
    [['no', 'yes'], [1]],
    [['yes', 'yes'], [0]],
    [['no', 'no'], []],
  ] as const)('with the verdicts %j leave %j', (verdicts, left) => {
    expect(told(verdicts)).toEqual(left.map((i) => drafts[i]?.fact.text))
  })
})

describe('what an output shows', () => {
  const shown = waiting({
    ...{ id: 'p001', kind: 'pattern', text: 'The port of the server is 8443.' },
    evidence: { entry: 3, quote: 'port 8443', by: 'tool', from: 'Bash' },
  })

  it('is asked about as learned from its tool', () => {
    expect(questionsIn(factsWith(shown))).toMatchObject([{ text: `(learned from Bash) ${shown.text}` }])
  })

  it('is told only after a yes', () => {
    expect(
      (['yes', 'unclear', 'no'] as const).map(
        (verdict) => listed(judged(factsWith(shown), verdict)).patterns.filter(isTold).length,
      ),
    ).toEqual([1, 0, 0])
  })
})

describe('a fact that names what it replaces', () => {
  it('replaces several once it is confirmed', () => {
    const both = ['d001', 'd002'].map((id, entry) =>
      fact({ id, text: `Sessions live in ${id}.`, evidence: { entry, quote: `live in ${id}` } }),
    )
    const one = waiting({
      id: 'd003',
      text: 'Sessions live in cookies.',
      replaces: ['d001', 'd002'],
      evidence: { entry: 9, quote: 'in cookies' },
    })
    const facts = factsWith(...both, one)

    expect(questionsIn(facts)[0]?.text).toContain('It replaces the decision "Sessions live in d001." It replaces')
    expect(listed(judged(facts, 'yes')).decisions.map(({ state }) => state)).toEqual([
      'superseded',
      'superseded',
      'fresh',
    ])
    expect(listed(judged(facts, 'no')).decisions.map(({ state }) => state)).toEqual(['fresh', 'fresh'])
  })

  const old = fact({
    id: 'd001',
    text: 'Sessions live in Redis.',
    evidence: { entry: 1, quote: 'in Redis', by: 'user' },
  })
  const later = (by: 'user' | 'assistant'): Fact =>
    waiting({
      id: 'd002',
      text: 'Sessions live in cookies.',
      replaces: ['d001'],
      evidence: { entry: 9, quote: 'in cookies', by },
    })

  it.each([
    ['user', 'yes', 'superseded'],
    ['assistant', 'yes', 'fresh'],
    ['user', 'no', 'fresh'],
  ] as const)(
    'in the words of the %s, with the verdict %s, leaves the decision of the user %s',
    (by, verdict, state) => {
      expect(listed(judged(factsWith(old, later(by)), verdict)).decisions[0]?.state).toBe(state)
    },
  )
})

describe('an older entry that is read later', () => {
  const newer = fact({ id: 'd001', text: 'Sessions live in Redis.', at: '2026-01-13T09:00:00.000Z' })
  const older = (at: string): Fact =>
    waiting({ id: 'd002', text: 'Sessions live in cookies.', replaces: ['d001'], session: 'bbbbbbbb', at })

  it.each([
    ['2026-01-12T09:00:00.000Z', 'fresh'],
    ['2026-01-14T09:00:00.000Z', 'superseded'],
  ])('of %s leaves the decision of the 13th %s', (at, state) => {
    expect(listed(judged(factsWith(newer, older(at)), 'yes')).decisions[0]?.state).toBe(state)
  })

  it('replaces no decision that was said again after it', () => {
    const again = { ...newer, at: '2026-01-10T09:00:00.000Z', lastAt: '2026-01-13T09:00:00.000Z' }

    expect(listed(judged(factsWith(again, older('2026-01-12T09:00:00.000Z')), 'yes')).decisions[0]?.state).toBe('fresh')
  })

  it('settles no newer issue', () => {
    const issue = fact({ id: 'i001', kind: 'issue', text: 'The export fails.', at: '2026-01-13T09:00:00.000Z' })
    const closing = { session: 'bbbbbbbb', entry: 7, how: 'It is repaired.', quote: '', by: 'headless' as const }
    const isSettled = (at: string): boolean =>
      listed(withClosing(factsWith(issue), 'i001', { ...closing, at })).issues[0]?.closing !== undefined

    expect([isSettled('2026-01-12T09:00:00.000Z'), isSettled('2026-01-14T09:00:00.000Z')]).toEqual([false, true])
  })
})

describe('what a person decided about a fact that waits', () => {
  const decided: [string, Partial<Fact>][] = [
    ['pinned', { pinned: true }],
    ['said himself', { by: 'user' }],
    ['rejected', { state: 'rejected', judged: judgedBy('user') }],
  ]

  it.each(decided)('is not asked about once it is %s', (_, more) => {
    expect(questionsIn(factsWith(waiting(more)))).toEqual([])
  })

  it.each(decided)('stays as it is, whatever an audit that had begun says: %s', (_, more) => {
    const [question] = questionsIn(factsWith(waiting()))
    const after = factsWith(waiting(more))

    for (const verdict of ['yes', 'no', 'unclear'] as const)
      expect(withVerdict(after, question ?? expect.fail(), verdict, NOW)).toEqual(after)
  })
})

describe('an issue that a model says is settled', () => {
  const open = fact({ id: 'i001', kind: 'issue', status: 'open', text: 'The export fails.' })
  const closing = {
    session: SESSION,
    entry: 7,
    at: NOW,
    how: 'It skips empty rows.',
    quote: '',
    by: 'headless' as const,
  }

  it.each([
    ['yes', { status: 'resolved', resolution: 'It skips empty rows.', closedBy: { session: SESSION, entry: 7 } }],
    ['no', { status: 'open', resolution: null }],
    ['unclear', { status: 'open', resolution: null }],
  ] as const)('is, with the verdict %s, %o', (verdict, expected) => {
    const before = withClosing(factsWith(open), 'i001', closing)
    const [after] = listed(judged(before, verdict)).issues

    expect(listed(before).issues[0]?.status).toBe('open')
    expect(after).toMatchObject(expected)
    expect(after).not.toHaveProperty('closing')
  })
})

describe('a session with too many facts', () => {
  const at = (day: number): string => `2026-01-0${day}`
  const by = (who: 'user' | 'assistant', id: string, day: number, more: Partial<Fact> = {}): Fact =>
    fact({
      id,
      text: `Thing ${id}.`,
      at: at(day),
      by: 'headless',
      evidence: { entry: day, quote: id, by: who },
      ...more,
    })

  it('loses what structure found before what Claude said before what the user said, the older first', () => {
    const facts = factsWith(
      by('user', 'd001', 1),
      by('assistant', 'd002', 2),
      by('assistant', 'd003', 3),
      by('user', 'd004', 4, { by: 'extractive' }),
    )

    expect([3, 2, 1, 0].map((max) => ids(withinRoom(facts, SESSION, max)))).toEqual([
      ['d001', 'd002', 'd003'],
      ['d001', 'd003'],
      ['d001'],
      [],
    ])
  })

  it('keeps what is pinned, open, of a person, waiting, or named by another', () => {
    const facts = factsWith(
      by('assistant', 'd001', 1, { pinned: true }),
      by('assistant', 'i002', 2, { kind: 'issue', status: 'open' }),
      by('user', 'd003', 3, { by: 'user' }),
      by('assistant', 'd004', 4, { unaudited: true }),
      by('assistant', 'd005', 5),
      fact({ id: 'd006', session: 'aaaaaaaa', state: 'superseded', judged: judgedBy('code', { other: 'd005' }) }),
    )

    expect(ids(withinRoom(facts, SESSION, 0))).toEqual(ids(facts))
  })

  it('has at most its room left, and nothing of another session is touched', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.boolean(), someText)), fc.nat(9), (given, max) => {
        const all = given.map(([isOwn, isUser, text], i) =>
          by(isUser ? 'user' : 'assistant', `d${i + 1}`, 1, { text, session: isOwn ? SESSION : 'bbbbbbbb' }),
        )
        const kept = allFacts(withinRoom(factsWith(...all), SESSION, max))
        const own = all.filter(({ session }) => session === SESSION)

        expect(kept.filter(({ session }) => session === SESSION)).toHaveLength(Math.min(max, own.length))
        expect(kept.filter(({ session }) => session !== SESSION)).toHaveLength(all.length - own.length)
      }),
    )
  })
})
