/** A start that was prepared says and writes what it would have said and written anyway, byte for byte, and never longer than that holds. */

import fs from 'node:fs'
import path from 'node:path'
import timers from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keptFile, removeKeptBriefing } from '../../../src/core/briefing/disk/briefing-kept.ts'
import { formatItems } from '../../../src/core/knowledge/facts-file.ts'
import { addOwnNote } from '../../../src/core/notes/disk/notes.ts'
import { writeOthers } from '../../../src/core/others/disk/others.ts'
import { formatOthers, type OtherRow } from '../../../src/core/others/others.ts'
import { beginPrepared } from '../../../src/doors/hooks/begin.ts'
import { requestFinisher } from '../../../src/kernel/sessions/disk/finisher-queue.ts'
import { pause } from '../../../src/kernel/sessions/disk/pause.ts'
import { fact, facts } from '../../support/briefing.ts'
import { locked } from '../../support/notes.ts'
import { payloadOf } from '../../support/process.ts'
import {
  append,
  fastDir,
  linesFor,
  quietProject,
  sessionId,
  setAtHome,
  storeOf,
  type TestProject,
  turns,
  write,
} from '../../support/project.ts'
import { begin, finishHere, LATER, work } from '../../support/world.ts'

const DECIDED = 'Amounts are kept in cents.'
const OVER = sessionId(1)
const now = (): string => new Date().toISOString()

/** A session that is over, with its note, a decision and a branch; the finisher has prepared the next start. */
async function prepared(settings: object = {}): Promise<TestProject> {
  const project = quietProject({ rules: true, ...settings }, fastDir())
  write(path.join(project.root, '.git', 'HEAD'), 'ref: refs/heads/main\n')
  work(project, 0, 1)
  write(path.join(project.memory, 'facts.json'), formatItems(facts([fact('d001', DECIDED)])))
  const store = storeOf(project)
  locked(store, () => addOwnNote(store, 'The importer reads its input in pieces now.', now()))
  // A session that was told something leaves its receipt, and so the directory for it.
  begin(project, sessionId(7))
  await finished(project)
  return project
}

async function finished(project: TestProject): Promise<void> {
  await finishHere(project, { for: 'end', session: OVER }, { now: () => LATER, wait: () => timers.setTimeout(50) })
}

interface Begun {
  source?: string
  isAttended?: boolean
}

/** Null: it was not prepared. */
function beginHere(project: TestProject, session: string, begun: Begun = {}, at = now) {
  const { source = 'startup', isAttended = true } = begun
  let out = ''
  const payload = { hook_event_name: 'SessionStart', session_id: session, source }
  const isDone = beginPrepared(JSON.stringify(payloadOf(project, payload)), {
    now: at,
    elapsedMs: () => 0,
    isAttended,
    hostPid: 1,
    places: project.places,
    programs: '',
    print: (text) => {
      out = text
    },
  })
  return isDone ? out : null
}

const LAPTOPS: OtherRow = { who: 'laptop', id: 'd001', type: 'decision', at: LATER, text: 'Crates are counted.' }

function old(file: string): void {
  write(file, '{}')
  fs.utimesSync(file, 0, 0)
}

function keptIn(project: TestProject): string {
  return keptFile(storeOf(project)) ?? ''
}

/** What a start leaves of itself, without its name and time. */
function traces(project: TestProject, session: string): unknown[] {
  const journal = path.join(project.memory, 'journal')
  const linesOf = (name: string): string[] =>
    fs.readFileSync(path.join(journal, name), 'utf8').trimEnd().split('\n').slice(-1)
  const texts = ['.txt', '.why.json'].map((end) =>
    fs.readFileSync(path.join(journal, 'briefings', session + end), 'utf8'),
  )
  const lines = ['hooks.jsonl', 'recalls.jsonl'].flatMap(linesOf)
  return [...texts, ...lines.map((line) => ({ ...JSON.parse(line), at: '', by: '', session: '', ms: 0 }))]
}

describe('a start that was prepared', () => {
  it.each<[string, Begun]>([
    ['somebody sits there', {}],
    ['nobody sits there', { isAttended: false }],
    ['the screen was cleared', { source: 'clear' }],
  ])('says and writes what any other says and writes where %s', async (_, begun) => {
    const project = await prepared()
    const { source = 'startup', isAttended = true } = begun
    const out = beginHere(project, sessionId(2), begun)
    const left = traces(project, sessionId(2))

    expect(out).toContain(DECIDED)
    expect(out?.includes('Memory Keeper: 1 session ·')).toBe(source === 'startup' && isAttended)
    expect(begin(project, sessionId(3), source, { isAttended, now }).out).toBe(out)
    expect(traces(project, sessionId(3))).toEqual(left)
  })

  it('names the day as it is seen when it is printed, whenever it was prepared', async () => {
    const project = await prepared()
    const said = (at: string): string => beginHere(project, sessionId(2), {}, () => at) ?? ''

    expect(said('2026-01-13T20:00:00.000Z')).toContain('1 session · today: answer 0')
    expect(said('2026-01-14T12:00:00.000Z')).toContain('1 session · yesterday: answer 0')
    expect(said('2026-01-17T12:00:00.000Z')).toContain('1 session · Tuesday: answer 0')
    expect(said('2026-02-17T12:00:00.000Z')).toContain('1 session · 01-13: answer 0')
  })

  it('is made anew once a file takes the name of a skill, and says so at every start', async () => {
    const project = await prepared()
    const file = path.join('.claude', 'commands', 'memory-keeper', 'run.md')
    expect(beginHere(project, sessionId(2))).not.toBeNull()
    write(path.join(project.root, file), 'Say yes to $ARGUMENTS')

    expect(beginHere(project, sessionId(2))).toBeNull()
    for (const session of [2, 3]) {
      const { out } = begin(project, sessionId(session), 'startup', { isAttended: true, now })
      expect(out).toContain(`${file} takes the name of the skill /memory-keeper:run`)
      expect(out).toContain('Memory Keeper: 1 session')
    }
    await finished(project)
    expect(beginHere(project, sessionId(4))).toBeNull()
    expect(beginHere(project, sessionId(4), { isAttended: false })).not.toBeNull()
  })

  it('stays prepared for the next one', async () => {
    const project = await prepared()
    const first = beginHere(project, sessionId(2))

    expect(first).not.toBeNull()
    expect(beginHere(project, sessionId(3))).toBe(first)
  })

  it('is for new sessions only', async () => {
    const project = await prepared()

    for (const source of ['resume', 'fork', 'compact', '']) expect(beginHere(project, OVER, { source })).toBeNull()
  })

  it.each<[string, (project: TestProject) => void]>([
    [
      'a fact changed',
      ({ memory }) => write(path.join(memory, 'facts.json'), formatItems(facts([fact('d001', 'In euros.')]))),
    ],
    ['facts are gone', ({ memory }) => fs.rmSync(path.join(memory, 'facts.json'))],
    ['a note was edited', ({ memory }) => append(path.join(memory, 'memory.md'), '\n')],
    ['there are rules', ({ memory }) => write(path.join(memory, 'rules.md'), '- Ask first.\n')],
    ['there is a page', ({ memory }) => write(path.join(memory, 'glossary.md'), 'A record is one line.\n')],
    ['a setting changed', ({ memory }) => write(path.join(memory, 'config.json'), '{"briefingChars": 4000}')],
    ['a setting at home changed', (project) => setAtHome(project, { storage: 'home' })],
    ['the version changed', ({ root }) => write(path.join(root, 'package.json'), '{\n  "version": "2.0.0"\n}\n')],
    ['another branch is checked out', ({ root }) => write(path.join(root, '.git', 'HEAD'), 'ref: refs/heads/other\n')],
    ['trust is gone', ({ places }) => fs.rmSync(places.trustRecord)],
    ['git tracks something else', ({ root }) => write(path.join(root, '.git', 'index'), 'DIRC')],
    ['the project is paused', ({ places }) => void pause(places, null, now())],
    ['a job waits', ({ places }) => requestFinisher(places, { for: 'catch-up' }, () => undefined)],
    ['a session went on', (project) => append(project.transcriptOf(OVER), turns(linesFor(OVER, project.root), 5, 6))],
    [
      'a session was not captured',
      (project) => append(project.transcriptOf(sessionId(5)), turns(linesFor(sessionId(5), project.root), 0, 1)),
    ],
    [
      'background calls are paused',
      ({ keeper }) => write(path.join(keeper, 'headless.json'), '{"pausedUntil":"2027-01-01T00:00:00.000Z"}'),
    ],
    ['the last sync is long ago', ({ keeper }) => old(path.join(keeper, 'sync', 'machine.json'))],
    [
      'the last exchange with the team is long ago',
      ({ keeper, places }) => old(path.join(keeper, 'team', `${places.project.key}.status.json`)),
    ],
    [
      'another machine sent something',
      ({ places }) => writeOthers(places, 'machine', 'laptop', formatOthers([LAPTOPS])),
    ],
    ['the state is gone', ({ memory }) => fs.rmSync(path.join(memory, 'memory-index.json'))],
    ['it was made forgotten', (project) => removeKeptBriefing(storeOf(project))],
  ])('is not used once %s', async (_, change) => {
    const project = await prepared()
    change(project)

    expect(beginHere(project, sessionId(2))).toBeNull()
  })

  it('says what would be said, whatever was changed by whom in which order', async () => {
    const files = ['facts.json', 'memory.md', 'rules.md', 'concepts.json', 'project.md', 'notes.md', 'x.tmp']
    const texts = ['', '{', '# Title\n\nSome words.\n', formatItems(facts([fact('d002', 'Dates are in UTC.')]))]
    const change = fc.record({ name: fc.constantFrom(...files), text: fc.constantFrom(null, ...texts) })
    const project = await prepared()
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 3 }), async (all) => {
        for (const { name, text } of all) {
          const file = path.join(project.memory, name)
          if (text === null) fs.rmSync(file, { force: true })
          else write(file, text)
        }
        await finished(project)
        const out = beginHere(project, sessionId(2))
        if (out !== null) expect(begin(project, sessionId(3)).out).toBe(out)
      }),
      { numRuns: 12 },
    )
  })

  it('is not trusted when it was made in the moment in which its sources were written', async () => {
    const project = await prepared()
    const { mtime } = fs.statSync(path.join(project.memory, 'facts.json'))
    fs.utimesSync(keptIn(project), mtime, mtime)

    expect(beginHere(project, sessionId(2))).toBeNull()
  })

  it('is not used when somebody changed it, or another version or place wrote it', async () => {
    const project = await prepared()
    const whole = JSON.parse(fs.readFileSync(keptIn(project), 'utf8')) as object
    const broken = [
      { version: 1 },
      { places: {} },
      { programs: 'elsewhere' },
      { dir: project.root },
      { seen: [['x']] },
      { seen: 1 },
      { lines: [{ text: 1 }] },
      { lines: null },
      { line: undefined },
      { line: { sessions: '1', open: 0, stands: null, toAccept: 0 } },
      { line: { sessions: 1, open: 0, stands: {}, toAccept: 0 } },
      { timezone: null },
    ]
    for (const text of ['', '[]', '{', ...broken.map((one) => JSON.stringify({ ...whole, ...one }))]) {
      fs.writeFileSync(keptIn(project), text)
      expect(beginHere(project, sessionId(2))).toBeNull()
    }
    fc.assert(
      fc.property(fc.json(), (text) => {
        fs.writeFileSync(keptIn(project), text)
        expect(beginHere(project, sessionId(2))).toBeNull()
      }),
      { numRuns: 30 },
    )
  })

  it('is said although nothing can be written', async () => {
    const project = await prepared()
    const journal = path.join(project.memory, 'journal')
    fs.rmSync(path.join(journal, 'briefings'), { recursive: true })
    for (const name of ['hooks.jsonl', 'recalls.jsonl']) fs.rmSync(path.join(journal, name), { force: true })
    await finished(project)
    write(path.join(journal, 'briefings'), 'in its place')

    expect(beginHere(project, sessionId(2))).toBeNull()
    expect(begin(project, sessionId(2)).context).toContain(DECIDED)
  })

  it('is private, and lies outside of the project', async () => {
    const project = await prepared()

    expect(keptIn(project).startsWith(project.root)).toBe(false)
    if (process.platform !== 'win32') expect(fs.statSync(keptIn(project)).mode & 0o777).toBe(0o600)
  })
})

describe('a start is not prepared', () => {
  it.each<[string, (project: TestProject) => void]>([
    ['the project is paused', ({ places }) => void pause(places, null, now())],
  ])('while %s', async (_, change) => {
    const project = await prepared()
    change(project)
    await finished(project)

    expect(beginHere(project, sessionId(2))).toBeNull()
  })

  it('for a person while a line waits that is told once', async () => {
    const project = await prepared()
    write(path.join(project.memory, 'config.json'), '{"unheardOf": 1}')
    await finished(project)

    expect(beginHere(project, sessionId(2))).toBeNull()
    expect(beginHere(project, sessionId(2), { isAttended: false })).toContain(DECIDED)
  })

  it('while a session goes on', async () => {
    const project = quietProject({}, fastDir())
    work(project, 0, 1)
    await finishHere(project, { for: 'catch-up' }, { wait: () => timers.setTimeout(50) })

    expect(fs.existsSync(keptIn(project))).toBe(false)
  })
})
