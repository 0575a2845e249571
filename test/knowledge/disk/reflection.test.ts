/** Reflection on a memory: what the user said in enough sessions holds, the rest is asked; nothing is lost, nothing twice. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeByHand } from '../../../src/edit/disk/by-hand.ts'
import { openCandidates, proposeRule, reflect } from '../../../src/knowledge/disk/reflection.ts'
import type { Fact } from '../../../src/knowledge/fact.ts'
import { allPermanent, type PermanentItem } from '../../../src/knowledge/permanent.ts'
import { lookIn } from '../../../src/outgoing/disk/proofs.ts'
import type { Entry } from '../../../src/transcript/session.ts'
import { bash, claude, user } from '../../fixtures/sessions.ts'
import { fact, factsWith } from '../../support/fact.ts'
import { AFTER, factsIn, learned, reflectOn } from '../../support/learned.ts'
import { fastDir, makeProject, storeOf, type TestProject } from '../../support/project.ts'
import { remember } from '../../support/remembered.ts'

const PNPM = 'We use pnpm, not npm, for installing packages.'
const UTC = 'Always store dates in UTC.'
const LEXER = 'We decided to skip empty lines in the lexer, because the grammar stays smaller.'

const says = (...texts: string[]): Entry[] => [user('Please look at the build.'), claude('Sure.'), ...texts.map(user)]
const times = (n: number, entries: Entry[]): Entry[][] => Array.from({ length: n }, () => entries)
const itemsIn = (project: TestProject): PermanentItem[] => allPermanent(factsIn(project).permanent)
const brief = (project: TestProject): string[] =>
  itemsIn(project).map(({ id, status, text }) => `${id} ${status} ${text}`)

function verdict(project: TestProject, id: string, status: 'active' | 'declined' | 'superseded', at = AFTER): void {
  const act = { active: 'promote', declined: 'decline', superseded: 'demote' } as const
  changeByHand(storeOf(project), { do: act[status], id }, { by: 'user', now: at })
}

/** Facts that so many sessions have in common; none of them is there any more. */
function recurring(n: number): Fact[] {
  return Array.from({ length: n }, (_, i) =>
    fact({ id: `d${String(i + 1).padStart(3, '0')}`, text: `Thing${i} is kept.`, also: ['aaaaaaaa#1', 'bbbbbbbb#2'] }),
  )
}

/** What happened until then, and more sessions behind it. */
function goOn(project: TestProject, before: readonly Entry[][], more: readonly Entry[][]): void {
  const kept = factsIn(project)
  learned([...before, ...more], project)
  const facts = {
    ...factsIn(project),
    permanent: kept.permanent,
    _meta: { ...factsIn(project)._meta, ...reflectedOf(kept) },
  }
  fs.writeFileSync(path.join(project.memory, 'facts.json'), JSON.stringify(facts))
}

const reflectedOf = (facts: ReturnType<typeof factsIn>): object => {
  const { reflected } = facts._meta as { reflected?: object }
  return reflected === undefined ? {} : { reflected }
}

describe("the user's own words", () => {
  it('hold once three sessions have them, with the proofs that show opens', () => {
    const project = learned(times(3, says(PNPM)))

    expect(reflectOn(project)).toEqual({ promoted: ['r001'], proposed: [], superseded: [], isComplete: true })
    expect(itemsIn(project)).toMatchObject([
      {
        id: 'r001',
        kind: 'rules',
        text: PNPM,
        status: 'active',
        by: 'code',
        judged: { by: 'code', at: AFTER },
        evidence: [1, 2, 3].map((n) => ({ session: `5e55000${n}`, entry: 2, quote: PNPM })),
      },
    ])
  })

  it('hold as a standing instruction, too, and as one thing with the decision they are', () => {
    const project = learned(times(3, says(UTC)))

    expect(reflectOn(project).promoted).toEqual(['r001'])
    expect(itemsIn(project)[0]?.facts).toEqual(expect.arrayContaining(['t001']))
    expect(itemsIn(project)).toHaveLength(1)
  })

  it('wait while two sessions have them', () => {
    const project = learned(times(2, says(PNPM, UTC)))

    reflectOn(project)
    expect(itemsIn(project)).toEqual([])
  })

  it('are asked about when they correct Claude the second time, and hold the third time', () => {
    const [first, second, third] = [
      says('No, put the tests next to the code.'),
      says('I told you to put the tests next to the code.'),
      says('No! Put the tests next to the code.'),
    ]
    const project = learned([first, second])
    expect(reflectOn(project).proposed).toEqual(['r001'])

    goOn(project, [first, second], [third])
    expect(reflectOn(project)).toMatchObject({ promoted: ['r001'], proposed: [] })
    expect(itemsIn(project)[0]?.text).toBe('Put the tests next to the code.')
  })

  it('stay declined where the user said no, however often they are said again', () => {
    const again = says('No, put the tests next to the code.')
    const project = learned(times(2, again))
    reflectOn(project)
    verdict(project, 'r001', 'declined')
    goOn(project, times(2, again), times(3, again))
    reflectOn(project)

    expect(brief(project)).toEqual([expect.stringMatching(/^r001 declined/)])
  })
})

describe("Claude's words", () => {
  it('are only proposed, as how the project works, and a model may judge them', () => {
    const project = learned(times(3, [user('Make the parser smaller.'), claude(LEXER)]))

    expect(reflectOn(project)).toMatchObject({ promoted: [], proposed: ['r001'] })
    expect(openCandidates(storeOf(project))).toMatchObject([
      { key: 'r001', kind: 'core_logic', sessions: 3, proofs: [{ entry: 1 }, { entry: 1 }, { entry: 1 }] },
    ])
  })

  it('hold after the yes of the user, and never again after a no', () => {
    const sessions = times(3, [user('Make the parser smaller.'), claude(LEXER)])
    const [yes, no] = [learned(sessions), learned(sessions)]
    reflectOn(yes)
    reflectOn(no)
    verdict(yes, 'r001', 'active')
    verdict(no, 'r001', 'declined')
    for (const project of [yes, no]) goOn(project, sessions, times(2, [user('Once more.'), claude(LEXER)]))
    reflectOn(yes)
    reflectOn(no)

    expect(brief(yes)).toMatchObject([expect.stringMatching(/^r001 active/)])
    expect(brief(no)).toMatchObject([expect.stringMatching(/^r001 declined/)])
  })

  it("are judged once: a model's no is remembered, and the user's own words overrule it", () => {
    const sessions = times(3, [user('Which package manager?'), claude(`We decided: ${PNPM}`)])
    const project = learned(sessions)
    reflectOn(project)
    const store = storeOf(project)
    expect(proposeRule(store, { candidate: 'r001', keep: false, why: 'of the moment' }, 'agent', AFTER).isKept).toBe(
      true,
    )
    expect(openCandidates(store)).toEqual([])
    expect(reflectOn(project)).toMatchObject({ promoted: [], proposed: [] })

    goOn(project, sessions, times(3, says(PNPM)))
    expect(reflectOn(project).promoted).toEqual(['r001'])
    expect(itemsIn(project)[0]).toMatchObject({ status: 'active', text: PNPM })
  })
})

describe('what holds', () => {
  it('is not superseded by what the user said otherwise once', () => {
    const sessions = times(3, says(PNPM))
    const project = learned(sessions)
    reflectOn(project)
    goOn(project, sessions, [says('From now on we use npm instead of pnpm for installing packages.')])

    expect(reflectOn(project).superseded).toEqual([])
    expect(itemsIn(project)[0]).toMatchObject({ status: 'active' })
  })

  const CENTS = 'All amounts are stored in cents, never as floats.'
  const held = (text: string, quote: string, typed: string): TestProject => {
    const rule = fact({
      id: 'd001',
      text: CENTS,
      session: 'aaaaaaaa',
      evidence: { entry: 0, quote: CENTS, by: 'user' },
    })
    const later = fact({
      id: 'd002',
      text,
      at: '2026-01-20T09:00:00.000Z',
      session: 'bbbbbbbb',
      evidence: { entry: 0, quote, by: 'user' },
    })
    const item = { id: 'r001', text: CENTS, at: rule.at, status: 'active', by: 'user', facts: ['d001'], evidence: [] }
    const facts = { ...factsWith(rule, later), permanent: { rules: [item], solutions: [], core_logic: [] } }
    const sessions = { bbbbbbbb: { day: '2026-01-20', entries: [user(typed), claude('Yes.')] } }
    return remember({ facts, sessions })
  }

  it('stays when only what a model made of the user’s words says otherwise', () => {
    const typed = 'As I said: from now on store all amounts in cents, never as floats.'
    const quote = 'store all amounts in cents, never as floats'
    const project = held('All amounts are stored as floats, never in cents.', quote, typed)

    expect(reflectOn(project).superseded).toEqual([])
    expect(brief(project)).toEqual([`r001 active ${CENTS}`])
  })

  it('goes on when the user’s own words say otherwise once', () => {
    const typed = 'All amounts are stored as floats, never in cents.'

    expect(reflectOn(held(typed, typed, typed)).superseded).toEqual([])
  })

  it('ends when the user says otherwise by command, but not when Claude does', () => {
    const by = (author: Fact['author'], speaker: 'user' | 'assistant'): string[] => {
      const project = held('x', 'x', 'nothing of it')
      const facts = factsIn(project)
      const own = fact({
        id: 'd003',
        text: 'All amounts are stored as floats, never in cents.',
        at: '2026-01-21T09:00:00.000Z',
        session: '',
        author,
        evidence: { entry: -1, quote: '', by: speaker },
      })
      const decisions = [...facts.decisions, own]
      fs.writeFileSync(path.join(project.memory, 'facts.json'), JSON.stringify({ ...facts, decisions }))
      return reflectOn(project).superseded
    }

    expect([by('user', 'user'), by('agent', 'assistant'), by('user', 'assistant')]).toEqual([['r001'], [], []])
  })

  it('stays when only Claude says otherwise', () => {
    const sessions = times(3, says(PNPM))
    const project = learned(sessions)
    reflectOn(project)
    goOn(project, sessions, [
      [user('Go on.'), claude('We decided to use npm instead of pnpm for installing packages.')],
    ])

    expect(reflectOn(project).superseded).toEqual([])
    expect(itemsIn(project)[0]?.status).toBe('active')
  })

  it('comes back after it was taken back only when it is said anew in as many sessions', () => {
    const sessions = times(3, says(PNPM))
    const project = learned(sessions)
    reflectOn(project, '2026-01-04T00:00:00.000Z')
    verdict(project, 'r001', 'superseded', '2026-01-04T00:00:00.000Z')
    goOn(project, sessions, times(2, says(PNPM)))
    reflectOn(project)
    expect(brief(project)).toHaveLength(1)

    goOn(project, [...sessions, ...times(2, says(PNPM))], [says(PNPM)])
    expect(reflectOn(project).promoted).toEqual(['r002'])
    expect(itemsIn(project).map(({ status }) => status)).toEqual(['superseded', 'active'])
  })

  it('is used when it is recalled', () => {
    const project = learned(times(3, says(PNPM)))
    reflectOn(project)
    const shown = [{ id: 'r001', from: 0, to: 9, mark: 'x' }]
    const receipt = {
      at: '2026-03-01T00:00:00.000Z',
      session: 's',
      n: 1,
      fired: true,
      tokens: 5,
      verdict: 'told',
      ms: 1,
      shown,
    }
    fs.mkdirSync(path.join(project.memory, 'journal'), { recursive: true })
    fs.writeFileSync(path.join(project.memory, 'journal', 'recalls.jsonl'), `${JSON.stringify(receipt)}\n`)
    reflectOn(project)

    expect(itemsIn(project)[0]?.usedAt).toBe(receipt.at)
  })

  it('may be made to hold by the user from any fact, in words of their own', () => {
    const project = learned([says(PNPM)])
    const hand = { by: 'user', now: AFTER } as const
    changeByHand(storeOf(project), { do: 'promote', id: 'D001', kind: 'core_logic', text: 'pnpm only' }, hand)
    changeByHand(storeOf(project), { do: 'promote', id: 'd001' }, hand)

    expect(itemsIn(project)).toMatchObject([
      { id: 'r001', kind: 'core_logic', text: 'pnpm only', status: 'active', by: 'user', facts: ['d001'] },
    ])
    expect(() => changeByHand(storeOf(project), { do: 'promote', id: 'd999' }, hand)).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    )
  })
})

describe('reflecting', () => {
  it('writes nothing the second time, and reads no session', () => {
    const project = learned([...times(3, says(PNPM)), ...times(3, [bash('cat x', true, LEXER), claude(LEXER)])])
    reflectOn(project)
    const before = fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8')
    fs.rmSync(path.join(project.memory, 'sessions'), { recursive: true })

    expect(reflectOn(project, '2026-02-02T00:00:00.000Z')).toMatchObject({
      promoted: [],
      proposed: [],
      isComplete: true,
    })
    expect(fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8')).toBe(before)
  })

  it('goes on where it stopped when there was no time, and weighs some however late it is', () => {
    const project = remember({ facts: factsWith(...recurring(50)) })
    const store = storeOf(project)
    const late = (): boolean => true

    expect([1, 2, 3].map(() => reflect(store, AFTER, { isLate: late }).isComplete)).toEqual([false, false, true])
    expect(reflect(store, AFTER)).toMatchObject({ promoted: [], isComplete: true })
  })

  it('promotes what it weighed, and the rest the next time', () => {
    const things = 'dates names prices events taxes rates zones users roles files paths hosts'.split(' ')
    const more = 'keys rows lists pages fonts icons links forms menus tests'.split(' ')
    const rules = [...things, ...more].map((thing) => `Always keep all ${thing} sorted.`)
    const project = learned(times(3, says(...rules)))
    const store = storeOf(project)
    const first = reflect(store, AFTER, { isLate: () => true })
    const then = reflect(store, AFTER, { isLate: () => true })

    expect([first.promoted.length, first.isComplete]).toEqual([20, false])
    expect([then.promoted.length, then.isComplete]).toEqual([rules.length - 20, true])
    expect(
      itemsIn(project)
        .map(({ text }) => text)
        .sort(),
    ).toEqual([...rules].sort())
  })

  it('comes to the same items whatever the order of the sessions', () => {
    const pool = [
      says(PNPM),
      says(PNPM),
      says(PNPM),
      says(UTC),
      [user('Hi.'), claude(LEXER)],
      [bash('cat x', true, UTC)],
    ]
    fc.assert(
      fc.property(fc.shuffledSubarray(pool, { minLength: pool.length }), (sessions) => {
        const project = learned(sessions, makeProject('app', fastDir()))
        reflectOn(project)
        reflectOn(project)

        expect(itemsIn(project).map(({ status, text, evidence }) => [status, text, evidence.length])).toEqual([
          ['active', PNPM, 3],
        ])
      }),
      { numRuns: 15 },
    )
  })
})

describe('looking a place up', () => {
  const project = learned([
    [user('Some words.\n\nUse   pnpm for packages. Then go on.'), claude('Fine.'), user('Fine.')],
  ])
  const look = lookIn(storeOf(project))
  const at = (entry: number, quote = ''): ReturnType<typeof look> =>
    look({ session: '5e550001', entry, quote }, 'We use pnpm for packages.')

  it('finds the quote, else the sentence that is about it', () => {
    expect(at(0, 'Then go on.')).toMatchObject({ quote: 'Then go on.', by: 'user' })
    expect(at(0)).toMatchObject({ quote: 'Use   pnpm for packages.', by: 'user', at: '2026-01-01T09:00:00.000Z' })
  })

  it('finds nothing where nothing of it stands, or nothing is', () => {
    expect([at(1), at(2, 'made up'), at(99), look({ session: 'ffffffff', entry: 0, quote: '' }, 'x')]).toEqual([
      null,
      null,
      null,
      null,
    ])
  })
})
