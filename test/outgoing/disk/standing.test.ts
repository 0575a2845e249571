/** Standing instructions of a memory: collected as sessions grow, told in a briefing, judged, and safe from kills. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/memory/disk/store.ts'
import { readStanding } from '../../../src/outgoing/disk/standing.ts'
import { collectStanding } from '../../../src/outgoing/disk/standing-collect.ts'
import { type Standing, standingToTell } from '../../../src/outgoing/standing-list.ts'
import { locate } from '../../../src/platform/disk/locate.ts'
import { anyKill, Killed, killingDisk } from '../../support/killing-disk.ts'
import {
  append,
  fastDir,
  linesFor,
  now,
  quietProject,
  sessionId,
  storeOf,
  type TestProject,
  write,
} from '../../support/project.ts'
import { begin, finishHere, LATER, stop } from '../../support/world.ts'

const RULE_OF_TABS = 'Always use tabs for indentation in this repo.'

/** One turn in which a person says this, captured. */
function say(project: TestProject, text: string, n: number, session = sessionId(1)): void {
  const lines = linesFor(session, project.root)
  append(project.transcriptOf(session), lines.prompt(n * 10, text) + lines.answer(n * 10 + 1, `Understood ${n}.`))
  stop(project, {}, {}, session)
}

const toldIn = (project: TestProject): Standing[] => standingToTell(readStanding(storeOf(project)))
const collect = (project: TestProject): boolean => collectStanding(storeOf(project), () => false)

describe('collecting', () => {
  it('finds what people said, where they said it, and looks at each entry once', () => {
    const project = quietProject()
    say(project, `Add a footer. ${RULE_OF_TABS}`, 0)
    collect(project)
    expect(toldIn(project)).toMatchObject([
      { id: 't001', kind: 'always', text: RULE_OF_TABS, session: '00000001', entry: 0, times: 1 },
    ])

    const before = fs.statSync(path.join(project.memory, 'standing.json')).mtimeMs
    expect(collect(project)).toBe(true)
    expect(fs.statSync(path.join(project.memory, 'standing.json')).mtimeMs).toBe(before)
  })

  it('goes on where it stopped, also in another session, and counts what is said again', () => {
    const project = quietProject()
    say(project, RULE_OF_TABS, 0)
    collect(project)
    say(project, 'Never push to main.', 1)
    say(project, 'always use tabs for indentation in this repo, please', 0, sessionId(2))
    collect(project)

    expect(toldIn(project).map(({ id, times, session }) => `${id} ${times} ${session}`)).toEqual([
      't001 2 00000002',
      't002 1 00000001',
    ])
    expect(readStanding(storeOf(project)).read).toEqual({ '00000001': 4, '00000002': 2 })
  })

  it('stops when there is no time, and the next one goes on', () => {
    const project = quietProject()
    for (const n of [1, 2, 3]) say(project, `Always use module m${n} for part p${n} of the app.`, 0, sessionId(n))
    let looks = 0
    expect(collectStanding(storeOf(project), () => looks++ >= 2)).toBe(false)
    expect(toldIn(project)).toHaveLength(2)

    expect(collect(project)).toBe(true)
    expect(toldIn(project)).toHaveLength(3)
  })

  it('begins anew with a list that is broken, a link or gone', () => {
    const project = quietProject()
    say(project, RULE_OF_TABS, 0)
    const file = path.join(project.memory, 'standing.json')
    for (const spoil of [
      () => write(file, '{"standing":[{"id'),
      () => {
        write(path.join(project.base, 'planted.json'), '{"standing":[{"id":"t009"}]}')
        fs.rmSync(file, { force: true })
        fs.symlinkSync(path.join(project.base, 'planted.json'), file)
      },
      () => fs.rmSync(file, { force: true }),
    ]) {
      spoil()
      collect(project)
      expect(toldIn(project).map(({ text }) => text)).toEqual([RULE_OF_TABS])
    }
    expect(fs.readFileSync(path.join(project.base, 'planted.json'), 'utf8')).toContain('t009')
  })

  it('ends the same, wherever it is killed', () => {
    const project = quietProject({}, fastDir())
    say(project, RULE_OF_TABS, 0)
    say(project, 'Never push to main.', 1)
    say(project, RULE_OF_TABS, 0, sessionId(2))
    collect(project)
    const expected = readStanding(storeOf(project))

    fc.assert(
      fc.property(fc.array(anyKill, { maxLength: 3 }), fc.array(fc.nat(3), { maxLength: 3 }), (kills, lates) => {
        fs.rmSync(path.join(project.memory, 'standing.json'), { force: true })
        const disk = killingDisk([...kills])
        for (const late of [...lates, 9]) {
          const store = openStore(locate(project.root, project.around), { now, disk })
          let looks = 0
          try {
            collectStanding(store, () => looks++ >= late)
          } catch (error) {
            if (!(error instanceof Killed)) throw error
          }
        }
        collect(project)
        expect(readStanding(storeOf(project))).toEqual(expected)
      }),
      { numRuns: 40 },
    )
  })
})

describe('a session that begins', () => {
  it('is told no instruction that was said once', () => {
    const project = quietProject()
    say(project, `Add a footer. ${RULE_OF_TABS}`, 0)

    expect(begin(project, sessionId(2), 'startup', { now: () => LATER }).context).not.toContain('Standing Instructions')
    expect(toldIn(project).map(({ text }) => text)).toEqual([RULE_OF_TABS])
  })

  it('says nothing of sessions in which nothing was said for good', () => {
    const project = quietProject()
    say(project, 'Add a footer.', 0)

    expect(begin(project, sessionId(2), 'startup', { now: () => LATER }).context).not.toContain('Standing')
  })
})

describe('the finisher', () => {
  it('collects when a session ends', async () => {
    const project = quietProject()
    say(project, RULE_OF_TABS, 0)
    await finishHere(project, { for: 'end', session: sessionId(1) })

    expect(toldIn(project).map(({ text }) => text)).toEqual([RULE_OF_TABS])
  })
})

describe('a file that cannot be read as a whole', () => {
  const file = (project: TestProject): string => path.join(project.memory, 'standing.json')
  const broken = (project: TestProject): string[] =>
    fs.readdirSync(project.memory).filter((name) => /^standing\.json\.broken-\d+$/.test(name))

  it('is set aside, and what was declined stays declined', () => {
    const project = quietProject()
    say(project, `${RULE_OF_TABS} Never push to main.`, 0)
    collect(project)
    const cut = fs
      .readFileSync(file(project), 'utf8')
      .replace('"status":"candidate"', '"status":"declined"')
      .slice(0, -5)
    write(file(project), cut)
    say(project, 'Add a footer.', 1)
    collect(project)

    expect(readStanding(storeOf(project)).standing.map(({ id, status, times }) => `${id} ${status} ${times}`)).toEqual([
      't001 declined 1',
      't002 candidate 1',
    ])
    expect(broken(project).map((name) => fs.readFileSync(path.join(project.memory, name), 'utf8'))).toEqual([cut])
    collect(project)
    expect(broken(project)).toHaveLength(1)
  })

  it('of the first version is counted again from the sessions, verdicts and all', () => {
    const project = quietProject()
    say(project, RULE_OF_TABS, 0)
    say(project, RULE_OF_TABS, 0, sessionId(2))
    collect(project)
    const now = JSON.parse(fs.readFileSync(file(project), 'utf8'))
    const [{ also: _, ...one }] = now.standing
    write(
      file(project),
      JSON.stringify({ version: 1, read: now.read, standing: [{ ...one, status: 'declined', times: 2 }] }),
    )
    collect(project)

    expect(readStanding(storeOf(project)).standing).toMatchObject([
      { id: 't001', status: 'declined', times: 2, also: ['00000001#0'] },
    ])
  })
})
