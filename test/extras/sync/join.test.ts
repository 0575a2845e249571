/** What is kept of other machines' rows. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OtherRow, OtherType } from '../../../src/core/others/others.ts'
import { joinMachines, namesOf } from '../../../src/extras/sync/join.ts'
import { formatRecord, markOfSaid, parseRecords } from '../../../src/kernel/sessions/forget-record.ts'

const NOTHING = parseRecords([])
const NO_MEMORY = { noted: new Set<string>(), standing: new Set<string>(), rows: [] }
const A = 'a'.repeat(24)
const B = 'b'.repeat(24)

const row = (more: Partial<OtherRow> = {}): OtherRow => ({
  ...{ who: 'x', id: 'd001', type: 'decision', at: '2026-01-10T09:00:00.000Z', text: 'Lanterns are red.' },
  ...more,
})

const textsOf = (joined: Map<string, OtherRow[]>): string[] =>
  [...joined].flatMap(([machine, rows]) => rows.map(({ who, text }) => `${machine[0]} ${who} ${text}`))

describe('rows of other machines', () => {
  it('carry the name of their machine, whatever they say', () => {
    const joined = joinMachines(NO_MEMORY, [{ machine: A, who: 'desk', rows: [row()] }], NOTHING)

    expect(textsOf(joined)).toEqual(['a desk Lanterns are red.'])
  })

  it('are no rules, nothing that is known here, and of a session that two machines captured only one machine’s', () => {
    const note = row({ id: 'n-1', type: 'note', text: 'Hung.', about: '1a2b3c4d#0-5' })
    const stands = row({ id: 'stands-1a2b3c4d', type: 'stands', text: 'Done.', about: '1a2b3c4d#0-5' })
    const machines = [
      { machine: B, who: 'shed', rows: [row(), { ...note, text: 'It was hung.' }, stands] },
      { machine: A, who: 'desk', rows: [row({ type: 'rule' }), row({ text: '  lanterns ARE red.' }), note] },
    ]

    expect(textsOf(joinMachines(NO_MEMORY, machines, NOTHING))).toEqual([
      'a desk   lanterns ARE red.',
      'a desk Hung.',
      'b shed Done.',
    ])
    const own = { noted: new Set(['1a2b3c4d']), standing: new Set(['1a2b3c4d']), rows: [row()] }
    expect(textsOf(joinMachines(own, machines, NOTHING))).toEqual([])
  })

  it('stay out where they were forgotten, and stay where they were said later', () => {
    const said = [markOfSaid('Lanterns are red.')]
    const forgotten = parseRecords([formatRecord({ at: '2026-01-11T00:00:00.000Z', said, whole: ['1a2b3c4d'] })])
    const rows = [
      row(),
      row({ id: 'd002', text: 'Of a forgotten session.', about: '1a2b3c4d#2-2' }),
      row({ id: 'd003', text: 'Lanterns are red.', at: '2026-01-12T00:00:00.000Z' }),
    ]

    const [kept] = joinMachines(NO_MEMORY, [{ machine: A, who: 'desk', rows }], forgotten).values()

    expect(kept?.map(({ id }) => id)).toEqual(['d003'])
  })

  it('are each kept once, none lost, in whatever order machines are named', () => {
    const types = fc.constantFrom<OtherType>('decision', 'note', 'concept', 'page')
    const some = fc.array(fc.record({ type: types, text: fc.constantFrom('One.', 'Two.', 'Three.', 'Four.') }))
    fc.assert(
      fc.property(some, some, (first, second) => {
        const rowsOf = (all: typeof first): OtherRow[] => all.map((one, n) => row({ id: `d${n}`, ...one }))
        const machines = [
          { machine: A, who: 'desk', rows: rowsOf(first) },
          { machine: B, who: 'shed', rows: rowsOf(second) },
        ]
        const keyed = (given: typeof machines): string[] =>
          [...joinMachines(NO_MEMORY, given, NOTHING).values()].flat().map(({ type, text }) => `${type} ${text}`)
        const kept = keyed(machines)
        expect(new Set(kept)).toEqual(new Set([...first, ...second].map(({ type, text }) => `${type} ${text}`)))
        expect(keyed(machines.toReversed()).sort()).toEqual(kept.sort())
      }),
    )
  })
})

describe('names of machines', () => {
  it('differ from each other and from this one', () => {
    const all = [A, B].map((machine) => ({ machine, who: 'laptop' }))

    expect([...namesOf(all, 'desk').values()]).toEqual(['laptop', 'laptop-bbbb'])
    expect([...namesOf(all, 'laptop').values()]).toEqual(['laptop-aaaa', 'laptop-bbbb'])
  })
})
