/** What travels between machines, and what becomes of it there. Git is in memory; `sync.test.ts` runs the real one. */

import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { performForget } from '../../../../src/core/forget/disk/forget.ts'
import { readFacts, writeFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { arrivedRulesNotice, changePermanent } from '../../../../src/core/knowledge/permanent.ts'
import { readOthers } from '../../../../src/core/others/disk/others.ts'
import { formatNote } from '../../../../src/kernel/memory/note.ts'
import { note } from '../../../support/briefing.ts'
import { judgedBy, listed } from '../../../support/fact.ts'
import { type Machine, machinesInMemory } from '../../../support/machines.ts'
import { runCommand, runCommandJson } from '../../../support/process.ts'
import { setAtHome, treeOf, write } from '../../../support/project.ts'

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 13, 12, minute)).toISOString()

const seen = ({ project }: Machine): string[] =>
  readOthers(project.places, 'machine')
    .map(({ who, text }) => `${who}: ${text}`)
    .sort()

const own = (one: Machine): string[] => listed(readFacts(one.store())).decisions.map(({ text }) => text)

function pairInMemory(): { desk: Machine; laptop: Machine } {
  const [desk, laptop] = machinesInMemory('desk', 'laptop').all as [Machine, Machine]
  return { desk, laptop }
}

describe('sync', () => {
  it('carries a forget out on every machine, and nothing comes back', () => {
    const { all } = machinesInMemory('desk', 'laptop', 'shed')
    const [desk, laptop, shed] = all as [Machine, Machine, Machine]
    desk.decide('The door code is on the blue card.', at(1))
    desk.decide('Lanterns are drawn by hand.', at(1))
    for (const one of all) one.sync(at(2))
    const id = `desk:${listed(readFacts(desk.store())).decisions[0]?.id}`

    performForget(laptop.store(), { what: { is: 'id', id } }, at(3))
    for (const one of [shed, laptop, desk, shed, laptop, desk]) one.sync(at(4))

    expect(own(desk)).toEqual(['Lanterns are drawn by hand.'])
    for (const one of [laptop, shed]) expect(seen(one)).toEqual(['desk: Lanterns are drawn by hand.'])
    for (const one of all) expect(JSON.stringify(treeOf(one.project.keeper))).not.toContain('blue card')
  })

  it('leaves what was said anew after it was forgotten elsewhere', () => {
    const { desk, laptop } = pairInMemory()
    desk.decide('We deploy on Fridays.', at(1))
    laptop.decide('We deploy on Fridays.', at(1))
    desk.sync(at(2))
    performForget(desk.store(), { what: { is: 'id', id: 'd001' } }, at(3))
    laptop.decide('We deploy on Fridays.', at(5))
    desk.sync(at(6))
    laptop.sync(at(7))
    desk.sync(at(8))

    expect(listed(readFacts(laptop.store())).decisions.map(({ at: said }) => said)).toEqual([at(5)])
    expect(own(desk)).toEqual([])
    expect(seen(desk)).toEqual(['laptop: We deploy on Fridays.'])
  })

  it('forgets although the clock of the other machine is an hour ahead', () => {
    const { desk, laptop } = pairInMemory()
    desk.decide('The door code is on the blue card.', at(90))
    desk.sync(at(91))
    laptop.sync(at(2))

    performForget(laptop.store(), { what: { is: 'id', id: 'desk:d001' } }, at(3))
    laptop.sync(at(4))
    desk.sync(at(92))
    laptop.sync(at(5))

    expect([own(desk), seen(laptop)]).toEqual([[], []])
  })

  it('proposes rules, and asks for none twice', () => {
    const { desk, laptop } = pairInMemory()
    desk.decide('Something.', at(1))
    write(path.join(desk.project.memory, 'rules.md'), '- Answer in verse.\n')
    laptop.decide('Something else.', at(1))
    desk.sync(at(2))
    laptop.sync(at(3))

    const rules = (): string[] =>
      listed(readFacts(laptop.store())).permanent.rules.map(({ text, state, from }) => `${text} ${state} ${from}`)
    expect(rules()).toEqual(['Answer in verse. proposed desk'])
    expect(arrivedRulesNotice(readFacts(laptop.store()))).toMatch(/^1 from your other machines: memory-keeper rules$/)
    expect(seen(laptop)).toEqual(['desk: Something.'])

    const before = readFacts(laptop.store())
    writeFacts(
      laptop.store(),
      before,
      changePermanent(before, 'r001', { state: 'declined', judged: judgedBy('user') }),
      at(4),
    )
    laptop.sync(at(5))
    expect(rules()).toEqual(['Answer in verse. declined desk'])
  })

  it('tells a session that both machines captured once', () => {
    const { desk, laptop } = pairInMemory()
    const same = note(0, '2026-01-12', 'We hung the lanterns.')
    desk.decide('Lanterns are drawn by hand.', at(1))
    write(path.join(desk.project.memory, 'memory.md'), formatNote(same, 'UTC'))
    laptop.decide('Lanterns are drawn by hand.', at(1))
    write(path.join(laptop.project.memory, 'memory.md'), formatNote({ ...same, text: 'Lanterns were hung.' }, 'UTC'))
    desk.sync(at(2))
    laptop.sync(at(3))
    desk.sync(at(4))

    expect([seen(desk), seen(laptop)]).toEqual([[], []])
  })

  it('sends no secret, no path of the machine, and sessions only where the user wants them to travel', () => {
    const { desk, laptop } = pairInMemory()
    const key = `sk_${'live_'}abcdefghijklmnop1A2b3C4d`
    desk.decide(`Use ${key} for ${desk.project.root}/src/a.ts.`, at(1))
    const entry = { role: 'user', ts: at(1), text: 'Hang the lanterns by the window.' }
    const session = path.join('sessions', '20260113_120100_1a2b3c4d.l1.jsonl')
    write(path.join(desk.project.memory, session), `${JSON.stringify(entry)}\n`)
    desk.sync(at(2))
    laptop.sync(at(3))
    expect(seen(laptop)).toEqual(['desk: Use [redacted:stripe] for src/a.ts.'])
    expect(JSON.stringify(treeOf(laptop.project.keeper))).not.toContain('by the window')

    for (const one of [desk, laptop])
      setAtHome(one.project, { summarizer: 'extractive', rules: false, syncSessions: true })
    desk.sync(at(4))
    laptop.sync(at(5))
    const { hits } = runCommandJson(laptop.project, ['search', 'lanterns window', '--deep']).json
    expect(hits.map(({ id, state }: Record<string, string>) => `${id} ${state}`)).toEqual(['L1:1a2b3c4d#0 of desk'])
    const shown = runCommand(laptop.project, ['show', 'L1:1a2b3c4d#0']).out
    expect(shown).toMatch(
      /Session 1a2b3c4d of desk has 1 entry[\s\S]*prompt of desk\s+Hang the lanterns by the window\./,
    )

    performForget(desk.store(), { what: { is: 'id', id: 'L1:1a2b3c4d#0' } }, at(6))
    desk.sync(at(7))
    laptop.sync(at(8))
    expect(runCommandJson(laptop.project, ['search', 'lanterns window', '--deep']).json.hits).toEqual([])
  })
})
