/** Summaries, weeks and months that the released 0.6.1 wrote, that this version makes again, and that 0.6.1 continues. */
import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { listNotes } from '../../../src/core/notes/disk/note-list.ts'
import { handIn } from '../../../src/core/notes/tier.ts'
import { storeOf, type TestProject } from '../../support/project.ts'
import { RELEASED_NOW, releasedProject } from '../../support/released.ts'
import { type ReleasedProgram, releasedDist, releasedProgram } from '../../support/released-program.ts'
import { finishHere } from '../../support/world.ts'

const dist = releasedDist('0.6.1')
if (dist === null) console.warn('The commit of 0.6.1 is not in this repository: skipped.')

const TYPED = ['week-2026-42.md', 'archive/2026-10.md', '20261109_100020_a4000004.md']

function rendered(project: TestProject): Map<string, string> {
  const dir = path.join(project.memory, 'sessions')
  const names = fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
  return new Map(names.map((name) => [name, fs.readFileSync(path.join(dir, name), 'utf8')]))
}

function handOf(project: TestProject): string[] {
  return [...rendered(project)].flatMap(([name, text]) => handIn(name, text))
}

/** Oldest first. */
function unknownNotes(project: TestProject): string[] {
  const { notes } = listNotes(storeOf(project))
  return notes.flatMap(({ author, text }) => (author === 'unknown' ? [text] : [])).toReversed()
}

const finish = (project: TestProject): Promise<void> =>
  finishHere(project, { for: 'catch-up' }, { now: () => RELEASED_NOW, isAlive: () => false })

describe('summaries, weeks and months of the released 0.6.1', () => {
  it('lose what was typed into them to one note, and tell the same sessions', async () => {
    const project = releasedProject('0.6.1')
    const sessions = [...rendered(project).values()].join('').match(/session a\d{7}/g)
    await finish(project)

    expect(unknownNotes(project)).toHaveLength(1)
    for (const name of TYPED) expect(unknownNotes(project)[0]).toContain(`Typed by hand into ${name}.`)
    expect(handOf(project)).toEqual([])
    expect(new Set([...rendered(project).values()].join('').match(/session a\d{7}/g))).toEqual(
      new Set([...(sessions ?? []), 'session a6000006']),
    )
    await finish(project)
    expect(unknownNotes(project)).toHaveLength(1)
  })
})

describe.skipIf(dist === null)('what this version makes', () => {
  let project: TestProject
  let old: ReleasedProgram
  beforeAll(async () => {
    project = releasedProject('0.6.1')
    old = releasedProgram(dist ?? '', project, RELEASED_NOW)
    await finish(project)
  })

  it('is as it is for 0.6.1: no line counts as written by a person, and no session is told twice', () => {
    const before = rendered(project)
    const { code, err } = old.cli('compress')
    expect([code, err]).toEqual([0, ''])
    expect(rendered(project)).toEqual(before)
  })

  it('keeps what is typed into it while 0.6.1 runs, and this version makes a note of that, too', async () => {
    const typed = path.join(project.memory, 'sessions', 'archive', '2026-10.md')
    fs.appendFileSync(typed, '\nTyped while 0.6.1 was here.\n')
    expect(old.cli('forget', '--query', 'payment reminder', '--yes').code).toBe(0)
    expect(old.cli('compress').code).toBe(0)
    expect(fs.readFileSync(typed, 'utf8')).toContain('Typed while 0.6.1 was here.')
    await finish(project)

    expect(unknownNotes(project).at(-1)).toContain('Typed while 0.6.1 was here.')
    for (const name of TYPED) expect(unknownNotes(project).join('\n').split(`into ${name}.`)).toHaveLength(2)
    expect(handOf(project)).toEqual([])
    expect([...rendered(project).values()].join('\n')).not.toContain('payment reminder')
  })
})
