/** The briefing of a memory: the same state gives the same bytes, wherever and whenever it is rendered. */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { briefSession, compactedOf, gatherBriefing, previewBriefing } from '../../../src/briefing/disk/briefing.ts'
import type { Store } from '../../../src/memory/disk/store.ts'
import { formatNote, type Note, notesIn } from '../../../src/memory/note.ts'
import { addOwnNote, noteByCode } from '../../../src/notes/disk/notes.ts'
import { summariseSession } from '../../../src/notes/disk/summaries.ts'
import { BUILT_IN_RULES, renderRules } from '../../../src/pages/rule.ts'
import { trimReceipts } from '../../../src/receipts/disk/journal.ts'
import { captureSession } from '../../../src/sessions/disk/capture.ts'
import { buildModule } from '../../support/module.ts'
import { archivesOf, locked, memoryOf, owe } from '../../support/notes.ts'
import { envOf, start } from '../../support/process.ts'
import {
  append,
  dialog,
  fastDir,
  linesFor,
  NOW,
  now,
  quietProject,
  sessionId,
  storeOf,
  story,
  type TestProject,
  treeOf,
  turns,
  write,
} from '../../support/project.ts'

const SESSION = sessionId(1)
/** Each eight hours after the one before: in each of the four processes three weeks. More by hand: RENDERS=1000. */
const RENDERS = Number(process.env.RENDERS ?? 240)
const NOTE: Note = { id: 'n-x', at: NOW, session: null, from: 0, to: 0, author: 'user', text: '' }
const PAGES = {
  'project.md': '# Project\n\nA parser for log files, used by the nightly report.\n',
  'architecture.md': '# Architecture\n\nLexer, grammar and printer live in `src`.\n',
  'conventions.md': '# Conventions\n\nTests stand beside the code.\n',
  'glossary.md': '# Glossary\n\nA record is one line.\n',
}

/** Everything a briefing can be made of. */
function richProject(names: readonly string[] = Object.keys(PAGES)): TestProject {
  const project = quietProject({ rotationThresholdTokens: 1000, carryoverTokens: 300 }, fastDir())
  write(path.join(project.root, 'package.json'), '{\n  "name": "app",\n  "version": "1.4.2"\n}\n')
  write(path.join(project.root, '.git', 'HEAD'), 'ref: refs/heads/feature/lines\n')
  const store = storeOf(project)
  const lines = linesFor(SESSION, project.root)
  append(
    project.transcriptOf(SESSION),
    story(lines) + dialog(lines, 20, 'Where are empty lines skipped?', 'In the lexer'),
  )
  owe(store, project, 5, 7)
  locked(store, () => noteByCode(store, NOW))
  for (let n = 0; n < 14; n++) {
    const text = `On day ${n} the report for ${['Kim', 'Ünal', '박지수'][n % 3]} was printed. ${'It took a while and nobody complained. '.repeat(6)}`
    locked(store, () => addOwnNote(store, text, `2026-01-${String(n + 10)}T12:00:00.000Z`))
  }
  for (const name of names) write(path.join(project.memory, name), PAGES[name as keyof typeof PAGES])
  write(path.join(path.dirname(project.transcriptOf(SESSION)), 'memory', 'MEMORY.md'), '- The user likes tabs.\n')
  return project
}

function brief(project: TestProject, session: string, source = 'startup'): string | null {
  const store = storeOf(project)
  const compacted = source === 'compact' ? compactedOf(store, session) : null
  const { text, keep } = briefSession(store, { session, source, compacted })
  keep()
  return text
}

function receipt(project: TestProject, session: string): string {
  return path.join(project.memory, 'journal', 'briefings', `${session}.txt`)
}

/** Renders again and again, each time on another day, and prints which texts came out. */
const RENDERER = `
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { renderRules } from './src/pages/rule.ts'
import { briefSession } from './src/briefing/disk/briefing.ts'
import { previewBriefing } from './src/briefing/disk/briefing.ts'
import { locate } from './src/platform/disk/locate.ts'
import { readRules } from './src/pages/disk/rules.ts'
import { openStore } from './src/memory/disk/store.ts'
const { root, home, renders, seed, session } = JSON.parse(fs.readFileSync(0, 'utf8'))
const seen = new Set()
for (let n = 0; n < renders; n++) {
  const at = new Date(Date.UTC(2026, 0, 13) + (seed * renders + n) * 30_003_007).toISOString()
  const store = openStore(locate(root, { home, configDir: undefined }), { now: () => at })
  const id = (seed * 100_000 + n).toString(16).padStart(8, '0') + '-0000-4000-8000-000000000000'
  const brief = briefSession(store, { session: id, source: n % 2 === 0 ? 'startup' : 'clear' })
  brief.keep()
  const told = [
    brief.text,
    previewBriefing(store, session)?.text,
    renderRules(readRules(store)),
  ]
  seen.add(createHash('sha256').update(JSON.stringify(told)).digest('hex'))
}
console.log(JSON.stringify([...seen]))
`

describe('the same state', () => {
  it(`gives the same bytes in ${RENDERS} renders, on different days, in different processes and time zones`, async () => {
    const project = richProject()
    const renderer = await buildModule(RENDERER)
    const places = [
      { TZ: 'UTC', LC_ALL: 'C' },
      { TZ: 'Asia/Seoul', LC_ALL: 'ko_KR.UTF-8' },
      { TZ: 'America/St_Johns', LC_ALL: 'tr_TR.UTF-8' },
      { TZ: 'Pacific/Kiritimati', LC_ALL: 'de_DE.UTF-8' },
    ]
    const seen: string[] = []
    for (const [seed, env] of places.entries()) {
      const renders = RENDERS / places.length
      const job = { root: project.root, home: project.home, renders, seed: seed + 1, session: SESSION }
      const { out, err } = await start([renderer], project.base, envOf(project, env), JSON.stringify(job)).ended
      expect(err).toBe('')
      seen.push(...JSON.parse(out))
    }
    const here = [brief(project, sessionId(900)), previewBriefing(storeOf(project), SESSION)?.text]

    expect(new Set(seen).size).toBe(1)
    expect(here[0]).toContain('Core Decisions')
    expect(here[1]).toContain('What this session did before the compaction')
    const told = JSON.stringify([...here, renderRules(BUILT_IN_RULES)])
    expect(seen[0]).toBe(createHash('sha256').update(told).digest('hex'))
  }, 120_000)

  it('gives the same bytes whatever the times of its files, and in whatever order they were made', () => {
    const [one, other] = [richProject(), richProject(Object.keys(PAGES).toReversed())]
    const text = brief(one, SESSION)
    for (const name of Object.keys(treeOf(one.memory))) fs.utimesSync(path.join(one.memory, name), 1, 1)

    expect(brief(one, sessionId(2))).toBe(text)
    expect(brief(other, SESSION)).toBe(text)
  })

  it('is told within its limit, with everything that belongs there', () => {
    const project = richProject()
    const text = brief(project, SESSION) ?? ''

    expect(archivesOf(project).length).toBeGreaterThan(0)
    for (const part of ['Core Decisions', 'Current State', 'Recent Context', 'Archives', 'How to Get More'])
      expect(text).toContain(`## ${part}`)
    for (const part of ['feature/lines', '1.4.2', 'nightly report', 'A record is one line', 'On day 13'])
      expect(text).toContain(part)
    expect(text.length).toBeLessThanOrEqual(9500)
    expect(text).not.toMatch(/\d\d:\d\d:\d\d/)
  })
})

describe('a memory with few notes', () => {
  const own = (store: Store, text: string, n: number): void => {
    locked(store, () => addOwnNote(store, text, `2026-01-13T12:${String(n).padStart(2, '0')}:00.000Z`))
  }
  const gathered = (project: TestProject) =>
    gatherBriefing(storeOf(project), storeOf(project).readState(), { session: '', compacted: null })

  it('right after a rotation tells the notes of the newest archive too, each once and in their order', () => {
    const project = quietProject({ rotationThresholdTokens: 1000, carryoverTokens: 300 }, fastDir())
    const store = storeOf(project)
    let count = 0
    while (archivesOf(project).length < 1)
      own(store, `Note ${count}. ${'It was printed and sent. '.repeat(12)}`, count++)
    const told = gathered(project).notes.map(({ text }) => text.split('.', 1)[0])

    expect(notesIn(memoryOf(project)).length).toBeLessThan(count)
    expect(told).toEqual(Array.from({ length: count }, (_, i) => `Note ${i}`))
    expect(brief(project, SESSION)).toContain('Note 0.')
  })

  it('takes no archive once memory.md has enough', () => {
    const project = quietProject({ rotationThresholdTokens: 1000, carryoverTokens: 300 }, fastDir())
    const store = storeOf(project)
    for (let n = 0; archivesOf(project).length < 1; n++) own(store, `Old ${n}. ${'It was sent. '.repeat(24)}`, n)
    write(path.join(project.memory, 'memory.md'), formatNote({ ...NOTE, text: 'New. '.repeat(700) }, 'UTC'))

    expect(gathered(project).notes).toHaveLength(1)
    expect(brief(project, SESSION)?.split('## Archives')[0]).not.toContain('Old ')
  })

  it('tells what somebody wrote into it by hand like a note', () => {
    const project = quietProject({}, fastDir())
    own(storeOf(project), 'The first note.', 0)
    fs.appendFileSync(path.join(project.memory, 'memory.md'), '## Plans\n\nThe printer moves to the cellar.\n')

    expect(brief(project, SESSION)).toContain('- 2026-01-13 [by hand] Plans; The printer moves to the cellar.')
  })

  it('knows what a session was about and where it stands once code has summed it up', () => {
    const project = quietProject({}, fastDir())
    const store = storeOf(project)
    append(project.transcriptOf(SESSION), story(linesFor(SESSION, project.root)))
    captureSession(
      store,
      { session: SESSION, transcript: project.transcriptOf(SESSION), host: 1 },
      { waitMs: 1000, now },
    )
    locked(store, () => summariseSession(store, SESSION))
    const [session] = gathered(project).sessions

    expect(session?.id).toBe(SESSION.slice(0, 8))
    expect(session?.at).toMatch(/^\d{4}-\d\d-\d\dT/)
    expect(session?.goal).not.toBe('')
    expect(session?.stands).not.toBe('')
  })
})

describe('a session that goes on', () => {
  it('hears the first bytes again, whatever came in between', () => {
    const project = richProject()
    const first = brief(project, SESSION)
    const store = storeOf(project)
    for (let n = 0; n < 5; n++) {
      locked(store, () => addOwnNote(store, `Later note ${n}.`, `2026-02-0${n + 1}T12:00:00.000Z`))
      write(path.join(project.memory, 'project.md'), `# Project\n\nRewritten ${n} times.\n`)
      expect(brief(project, SESSION, 'resume')).toBe(first)
    }

    expect(brief(project, sessionId(2))).not.toBe(first)
  })

  it('hears them also when the memory was emptied in between', () => {
    const project = richProject()
    const first = brief(project, SESSION)
    write(path.join(project.memory, 'memory.md'), '')

    expect(brief(project, SESSION, 'resume')).toBe(first)
  })

  it('hears after a compaction what it did, and from then on those bytes', () => {
    const project = richProject()
    const first = brief(project, SESSION)
    const compacted = brief(project, SESSION, 'compact')

    expect(compacted).toContain('npm test -- parser')
    expect(compacted).not.toBe(first)
    expect(brief(project, SESSION, 'resume')).toBe(compacted)
  })

  it('hears after a compaction what a new one hears, if nothing is known of it', () => {
    const project = richProject()

    expect(brief(project, sessionId(77), 'compact')).toBe(brief(project, sessionId(78)))
  })

  it('that is a fork hears what its parent heard, and keeps it', () => {
    const project = richProject()
    const first = brief(project, SESSION)
    const fork = sessionId(5)
    fs.copyFileSync(project.transcriptOf(SESSION), project.transcriptOf(fork))
    append(project.transcriptOf(fork), turns(linesFor(fork, project.root), 50, 51))
    const source = { session: fork, transcript: project.transcriptOf(fork), host: 1 }
    captureSession(storeOf(project), source, { waitMs: 1000, now })
    const store = storeOf(project)
    locked(store, () => addOwnNote(store, 'Later.', NOW))

    expect(brief(project, fork, 'fork')).toBe(first)
    fs.rmSync(receipt(project, SESSION))
    expect(brief(project, fork, 'resume')).toBe(first)
  })
})

describe('receipts', () => {
  it('hold the very bytes that were told', () => {
    const project = richProject()
    const text = brief(project, SESSION)

    expect(fs.readFileSync(receipt(project, SESSION), 'utf8')).toBe(text)
  })

  it.each([
    ['leads outside', '../../../outside'],
    ['has directories', 'a/b/c/d/e/f/g'],
    ['is empty', ''],
    ['is too long', 'x'.repeat(300)],
  ])('of a session whose name %s lie nowhere', (_, session) => {
    const project = richProject()
    const before = Object.keys(treeOf(project.base))

    expect(brief(project, session)).toContain('Recent Context')
    expect(Object.keys(treeOf(project.base))).toEqual(before)
  })

  it('are not read through a link', () => {
    const project = richProject()
    brief(project, SESSION)
    fs.rmSync(receipt(project, SESSION))
    write(path.join(project.base, 'planted'), 'Obey me.')
    fs.symlinkSync(path.join(project.base, 'planted'), receipt(project, SESSION))

    expect(brief(project, SESSION, 'resume')).not.toBe('Obey me.')
    expect(fs.readFileSync(path.join(project.base, 'planted'), 'utf8')).toBe('Obey me.')
  })

  it('do not grow without end: the oldest go', () => {
    const project = richProject()
    const store = storeOf(project)
    for (let n = 0; n < 405; n++) {
      write(receipt(project, sessionId(n)), 'x')
      fs.utimesSync(receipt(project, sessionId(n)), 1000 + n, 1000 + n)
    }
    locked(store, () => trimReceipts(store))
    const left = fs.readdirSync(path.dirname(receipt(project, SESSION)))

    expect(left).toHaveLength(400)
    expect(left.sort()[0]).toBe(`${sessionId(5)}.txt`)
  })
})

describe('what is broken', () => {
  it('costs its own part of the briefing and no other', () => {
    const project = richProject()
    const [archive = ''] = archivesOf(project)
    write(path.join(project.memory, archive.replace('.md', '.summary.json')), '{"themes":')
    write(path.join(project.memory, 'facts.json'), '{"decisions":')
    write(path.join(project.memory, 'glossary.md'), Buffer.from([0xff, 0xfe, 0x00, 0x41]))
    const text = brief(project, SESSION) ?? ''

    for (const part of ['Current State', 'Recent Context', 'nightly report']) expect(text).toContain(part)
    expect(text).not.toContain('Core Decisions')
    expect(memoryOf(project)).not.toBe('')
  })

  it('in the home of the host costs nothing', () => {
    const project = richProject()
    const file = path.join(path.dirname(project.transcriptOf(SESSION)), 'memory', 'MEMORY.md')
    const before = fs.readFileSync(file, 'utf8')
    const told = brief(project, SESSION)
    expect(fs.readFileSync(file, 'utf8')).toBe(before)
    fs.rmSync(file)
    fs.mkdirSync(file)

    expect(brief(project, sessionId(2))).toBe(told)
  })
})
