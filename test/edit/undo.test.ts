/** Taking back what was changed by hand: exactly that, and never over what somebody else did since. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pinFact } from '../../src/edit/pin.ts'
import { takeBackChange, touchedBetween } from '../../src/edit/undo.ts'
import { formatRecords, parseUndoRecords, type UndoRecord } from '../../src/edit/undo-record.ts'
import { mergeConcepts, NO_CONCEPTS, renameConcept } from '../../src/knowledge/concept.ts'
import { addConcept } from '../../src/knowledge/concept-assign.ts'
import { refreshConcepts } from '../../src/knowledge/concept-refresh.ts'
import { allFacts, type Fact, type Facts } from '../../src/knowledge/fact.ts'
import { editFact, rejectFact, resolveIssue } from '../../src/knowledge/fact-change.ts'
import { addPermanent, judgePermanent } from '../../src/knowledge/permanent-change.ts'
import { formatNote, type Note, notesIn } from '../../src/memory/note.ts'
import { editNoteIn, removeNoteFrom } from '../../src/notes/note-change.ts'
import type { HandMemory } from '../../src/outgoing/undo-things.ts'
import { fact, factsWith, judgedBy, SAID, someFacts } from '../support/fact.ts'

const EMPTY: HandMemory = {
  facts: factsWith(),
  concepts: NO_CONCEPTS,
  standing: { read: {}, standing: [] },
  notes: '',
  files: { 'rules.md': null },
}
const withFacts = (facts: Facts): HandMemory => ({ ...EMPTY, facts })
const note = (n: number, text = `Note ${n}.`): Note => ({
  id: `n-0000000${n}-0-3`,
  at: `2026-01-1${n}T10:00:00.000Z`,
  session: `0000000${n}`,
  from: 0,
  to: 3,
  author: 'agent',
  text,
})
const memoryOf = (...notes: Note[]): string => `# Memory\n\n${notes.map((one) => formatNote(one, 'UTC')).join('')}`
const changedFacts = (done: { is: string; facts?: Facts }): Facts => done.facts ?? factsWith()
const undone = (now: HandMemory, before: HandMemory, after: HandMemory): HandMemory | string[] => {
  const done = takeBackChange(now, touchedBetween(before, after))
  return done.is === 'taken-back' ? done.memory : done.is === 'changed' ? done.changed : []
}

describe('a change of facts', () => {
  const before = withFacts(factsWith(fact(), fact({ type: 'issue', id: 'i002', text: 'The import is slow.' })))
  const rejected = withFacts(changedFacts(rejectFact(before.facts, 'd001', judgedBy('user'))))

  it('names the objects it touched, and no other', () => {
    expect(touchedBetween(before, rejected).map(({ kind, id }) => `${kind} ${id}`)).toEqual(['fact d001'])
    expect(touchedBetween(before, before)).toEqual([])
  })

  it('is taken back, with what stood there before', () => {
    expect(undone(rejected, before, rejected)).toEqual(before)
  })

  it('is taken back as well where somebody changed something else of it since', () => {
    const known = rejected.facts.decisions.map((one) => ({ ...one, concept: 'c009', also: ['ffffffff#1'] }))
    const back = undone(withFacts({ ...rejected.facts, decisions: known }), before, rejected) as HandMemory

    expect(back.facts.decisions).toEqual([{ ...before.facts.decisions[0], concept: 'c009', also: ['ffffffff#1'] }])
  })

  it.each([
    ['its text', (one: Fact) => ({ ...one, text: 'Something else.' }), 'd001 was changed (text)'],
    ['its reason', (one: Fact) => ({ ...one, reason: 'because' }), 'd001 was changed (reason)'],
  ])('stays where somebody changed %s since, too', (_, change, said) => {
    const edited = changedFacts(
      editFact(before.facts, 'd001', { text: 'In cents.', reason: 'rounding' }, judgedBy('user')),
    )
    const now = { ...edited, decisions: edited.decisions.map(change) }

    expect(undone(withFacts(now), before, withFacts(edited))).toEqual([said])
  })

  it('stays as a whole where one object was changed since', () => {
    const both = changedFacts(resolveIssue(rejected.facts, 'i002', 'in batches', judgedBy('user')))
    const now = { ...both, issues: both.issues.map((one) => ({ ...one, resolution: 'by hand' })) }

    expect(undone(withFacts(now), before, withFacts(both))).toEqual(['i002 was changed (resolution)'])
  })

  it('that added one takes it out again, its number stays given', () => {
    const added = fact({ id: 'd003', text: 'We deploy on Tuesdays.' })
    const after = withFacts({
      ...before.facts,
      _meta: { ...before.facts._meta, counter: 3 },
      decisions: [fact(), added],
    })
    const sorted = { ...after.facts, decisions: [fact(), { ...added, concept: 'c001' }] }
    const back = undone(withFacts(sorted), before, after) as HandMemory

    expect(back.facts.decisions).toEqual([fact()])
    expect(back.facts._meta.counter).toBe(3)
  })

  it('that added one stays once another one was replaced by it', () => {
    const added = fact({ id: 'd003', text: 'We deploy on Tuesdays.' })
    const after = withFacts({ ...before.facts, decisions: [fact(), added] })
    const replaced = fact({ state: 'superseded', judged: judgedBy('code', { other: 'd003' }) })

    expect(undone(withFacts({ ...after.facts, decisions: [replaced, added] }), before, after)).toEqual([
      'd001 rests on d003 by now',
    ])
  })

  it('says so when the fact is gone', () => {
    expect(undone(withFacts(factsWith()), before, rejected)).toEqual(['d001 is not there any more'])
  })

  it('that made a concept takes it away with its last fact', () => {
    const named = addConcept(NO_CONCEPTS, 'Deployment')
    const facts = factsWith(fact(), fact({ id: 'd003', text: 'We deploy on Tuesdays.', concept: named.id }))
    const after = { ...EMPTY, facts, concepts: refreshConcepts(named.concepts, facts) }
    const first = withFacts(factsWith(fact()))
    const more = {
      ...after,
      facts: { ...facts, decisions: [{ ...fact(), concept: named.id }, ...facts.decisions.slice(1)] },
    }

    expect((undone(after, first, after) as HandMemory).concepts.concepts).toEqual([])
    expect((undone(more, first, after) as HandMemory).concepts.concepts).toMatchObject([{ name: 'Deployment' }])
  })
})

describe('what holds for good', () => {
  const item = {
    text: 'Use pnpm.',
    at: SAID,
    status: 'proposed',
    by: 'code',
    facts: [],
    evidence: [],
    concept: null,
  } as const
  const before = withFacts(addPermanent(factsWith(), 'rules', { ...item, facts: [], evidence: [], usedAt: SAID }))

  it('goes back to its kind and its verdict, and stays used', () => {
    const to = { kind: 'core_logic' } as const
    const after = withFacts(judgePermanent(before.facts, 'r001', 'active', judgedBy('user'), to))
    const used = after.facts.permanent.core_logic.map((one) => ({ ...one, usedAt: '2026-03-01T00:00:00.000Z' }))
    const now = withFacts({ ...after.facts, permanent: { ...after.facts.permanent, core_logic: used } })

    expect(undone(after, before, after)).toEqual(before)
    expect((undone(now, before, after) as HandMemory).facts.permanent).toMatchObject({
      rules: [{ id: 'r001', status: 'proposed', usedAt: '2026-03-01T00:00:00.000Z' }],
      core_logic: [],
    })
  })
})

describe('a note', () => {
  const three = memoryOf(note(1), note(2), note(3))
  const byHand = three.replace('## 2026-01-13', '## Mine\n\nMy own words.\n\n## 2026-01-13')

  it.each([1, 2, 3])('%i that was removed comes back in its place, byte for byte', (n) => {
    for (const notes of [three, byHand]) {
      const before = { ...EMPTY, notes }
      const after = { ...EMPTY, notes: removeNoteFrom(notes, note(n).id) ?? '' }

      expect(undone(after, before, after)).toEqual(before)
    }
  })

  it('that was removed comes back before what was noted since', () => {
    const before = { ...EMPTY, notes: memoryOf(note(1), note(2)) }
    const after = { ...EMPTY, notes: memoryOf(note(1)) }
    const back = undone({ ...EMPTY, notes: memoryOf(note(1), note(3)) }, before, after) as HandMemory

    expect(notesIn(back.notes).map(({ id }) => id)).toEqual([note(1).id, note(2).id, note(3).id])
  })

  it('that was edited again since, or has left memory.md, stays as it is', () => {
    const before = { ...EMPTY, notes: three }
    const edit = (memory: string, text: string): string =>
      editNoteIn(memory, note(2).id, { text, author: 'user' }, 'UTC')?.memory ?? ''
    const after = { ...EMPTY, notes: edit(three, 'Mine.') }

    expect(undone(after, before, after)).toEqual(before)
    expect(undone({ ...EMPTY, notes: edit(three, 'Theirs.') }, before, after)).toEqual([`${note(2).id} was changed`])
    expect(undone({ ...EMPTY, notes: memoryOf(note(3)) }, before, after)).toEqual([
      `${note(2).id} is not in memory.md any more`,
    ])
  })
})

describe('a file', () => {
  it('is as it was, or gone if it was not there', () => {
    const after = { ...EMPTY, files: { 'rules.md': '- Ask first.\n' } }

    expect(undone(after, EMPTY, after)).toEqual(EMPTY)
    expect(undone({ ...EMPTY, files: { 'rules.md': '- Other.\n' } }, EMPTY, after)).toEqual(['rules.md was changed'])
  })
})

/** Each fact left alone, rejected, edited, or pinned; some added. */
const someChange: fc.Arbitrary<(facts: Facts) => Facts> = fc
  .array(fc.tuple(fc.nat(7), fc.constantFrom('reject', 'edit', 'pin', 'add')), { maxLength: 5 })
  .map((steps) => (facts) => {
    let after = facts
    for (const [n, what] of steps) after = step(after, n, what)
    return after
  })

function step(facts: Facts, n: number, what: string): Facts {
  const id = allFacts(facts)[n]?.id ?? ''
  const more = facts.decisions.length
  if (what === 'add') {
    const added = fact({ id: `d${100 + more}`, text: `Another ${more}.` })
    return { ...facts, decisions: [...facts.decisions, added] }
  }
  const judged = judgedBy('user')
  const done =
    what === 'reject'
      ? rejectFact(facts, id, judged)
      : what === 'pin'
        ? pinFact(facts, id)
        : editFact(facts, id, { reason: `because of ${n}` }, judged)
  return done.is === 'changed' ? done.facts : facts
}

describe('taking back', () => {
  it('gives what was there before, from whatever part of the change was made', () => {
    fc.assert(
      fc.property(someFacts, someChange, fc.array(fc.boolean()), (facts, change, isMade) => {
        const [before, after] = [withFacts(facts), withFacts(change(facts))]
        const touched = touchedBetween(before, after)
        const mixed = touched.filter((_, i) => isMade[i] !== true)
        const partly = takeBackChange(after, mixed)
        const now = partly.is === 'taken-back' ? partly.memory : after
        const done = takeBackChange(now, touched)

        if (touched.length === mixed.length) expect(done.is).toBe('nothing')
        else expect((done.is === 'taken-back' ? done.memory : now).facts).toEqual(before.facts)
      }),
    )
  })

  it('gives concepts their names and their facts back, whatever was merged and renamed at once', () => {
    const [a, b, c] = ['c001', 'c002', 'c003'] as const
    const someSteps = fc.array(fc.tuple(fc.constantFrom(a, b, c), fc.constantFrom(a, b, c, null)), { maxLength: 4 })
    fc.assert(
      fc.property(fc.array(fc.constantFrom(a, b, c, null), { maxLength: 6 }), someSteps, (homes, steps) => {
        const facts = factsWith(...homes.map((concept, n) => fact({ id: `d${100 + n}`, text: `Said ${n}.`, concept })))
        const three = ['Money', 'Login', 'Speed'].reduce((made, name) => addConcept(made, name).concepts, NO_CONCEPTS)
        const before = { ...EMPTY, facts, concepts: refreshConcepts(three, facts) }
        let after: HandMemory = before
        for (const [id, into] of steps) {
          const { concepts } = after
          const renamed = { ...after, concepts: renameConcept(concepts, id, `${id} again`) }
          after = into === null ? renamed : { ...after, ...mergeConcepts(concepts, after.facts, id, into) }
        }
        const done = takeBackChange(after, touchedBetween(before, after))

        expect(done.is === 'taken-back' ? done.memory : after).toEqual(before)
      }),
    )
  })

  it('is the same after the journal was written and read', () => {
    fc.assert(
      fc.property(someFacts, someChange, (facts, change) => {
        const touched = touchedBetween(withFacts(facts), withFacts(change(facts)))
        const record: UndoRecord = { version: 1, at: SAID, by: 'user', what: 'some', touched }
        const [read] = parseUndoRecords(formatRecords([record]))

        expect(takeBackChange(withFacts(change(facts)), read?.touched ?? [])).toEqual(
          takeBackChange(withFacts(change(facts)), touched),
        )
      }),
    )
  })
})

describe('the journal', () => {
  const record = (n: number, size = 1): UndoRecord => ({
    version: 1,
    at: SAID,
    by: 'user',
    what: `change ${n}`,
    touched: [{ kind: 'file', id: 'rules.md', from: 'x'.repeat(size), to: null }],
  })
  const kept = (records: UndoRecord[]): string[] => parseUndoRecords(formatRecords(records)).map(({ what }) => what)

  it('keeps the last fifty, within a megabyte', () => {
    expect(kept(Array.from({ length: 70 }, (_, n) => record(n)))).toHaveLength(50)
    expect(kept(Array.from({ length: 9 }, (_, n) => record(n, 300_000)))).toEqual(['change 6', 'change 7', 'change 8'])
  })

  it('remembers that there was one too large to be kept', () => {
    expect(parseUndoRecords(formatRecords([record(1), record(2, 2_000_000)]))).toMatchObject([
      { what: 'change 2', touched: [] },
    ])
  })

  it('passes over what is no record', () => {
    const text = `{"half": \n${formatRecords([record(1)])}null\n{"version":1,"touched":[{"kind":"evil"}]}\n${formatRecords([record(2)])}`

    expect(parseUndoRecords(text).map(({ what }) => what)).toEqual(['change 1', 'change 2'])
  })
})
