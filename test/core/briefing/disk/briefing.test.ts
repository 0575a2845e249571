/** The briefing of a memory: the same state gives the same bytes, wherever and whenever it is rendered. */

import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  briefSession,
  compactedOf,
  gatherBriefing,
  previewBriefing,
} from '../../../../src/core/briefing/disk/briefing.ts'
import { formatItems } from '../../../../src/core/knowledge/facts-file.ts'
import { addOwnNote, noteByCode } from '../../../../src/core/notes/disk/notes.ts'
import { cutSession } from '../../../../src/core/notes/pending.ts'
import { formatSummary } from '../../../../src/core/notes/summary.ts'
import { BUILT_IN_RULES, renderRules } from '../../../../src/core/pages/rule.ts'
import { trimReceipts } from '../../../../src/core/receipts/disk/journal.ts'
import { frameFor } from '../../../../src/kernel/memory/disk/frame-key.ts'
import { type Store, stateEffect } from '../../../../src/kernel/memory/disk/store.ts'
import { notesIn } from '../../../../src/kernel/memory/note.ts'
import { summaryFileOf } from '../../../../src/kernel/platform/layout.ts'
import { captureSession } from '../../../../src/kernel/sessions/disk/capture.ts'
import { fact, facts } from '../../../support/briefing.ts'
import { buildModule } from '../../../support/module.ts'
import { archivesOf, locked, memoryOf, owe } from '../../../support/notes.ts'
import { envOf, start } from '../../../support/process.ts'
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
} from '../../../support/project.ts'

const SESSION = sessionId(1)
/** One that begins. */
const NEW = sessionId(90)
/** Each 25 hours after the one before: in each of the four processes three weeks and nearly every hour of a day. More by hand: RENDERS=1000. */
const RENDERS = Number(process.env.RENDERS ?? 80)
const PAGES = {
  'project.md': '# Project\n\nA parser for log files, used by the nightly report.\n',
  'architecture.md': '# Architecture\n\nLexer, grammar and printer live in `src`.\n',
  'conventions.md': '# Conventions\n\nTests stand beside the code.\n',
  'glossary.md': '# Glossary\n\nA record is one line.\n',
}

describe('a memory with so many facts that only the newest are read', () => {
  const rejected = 'We deploy by hand.'
  const solved = 'The cookie has no domain.'
  const known = (count: number) => {
    const all = Array.from({ length: count }, (_, n) =>
      fact(`d${String(n + 10).padStart(4, '0')}`, `Decision ${n} about ${'the harbour and '.repeat(12)}ships.`, {
        state: 'superseded',
      }),
    )
    const others = [
      fact('d001', rejected, { state: 'rejected' }),
      fact('i002', solved, { status: 'resolved', resolution: 'It has one.' }),
    ]
    return formatItems(facts([...others, ...all]))
  }

  it.each([10, 1_500])('tells of %i facts none that is rejected or resolved from an archive', (count) => {
    const project = quietProject({}, fastDir())
    const store = storeOf(project)
    const file = 'memory_20260101_090000.md'
    const summary = {
      ...{ sourceFile: file, generatedAt: NOW, themes: [], overallSummary: 'Express became Fastify.' },
      keyDecisions: [rejected, 'Sessions live in Redis.'].map((decision) => ({ decision, reason: '' })),
      issues: [solved, 'The port is taken.'].map((issue) => ({ issue, status: 'open' as const })),
    }
    const rotated = { file, rotatedAt: NOW, tokenCount: 9, summary: summaryFileOf(file), summaryGenerated: true }
    locked(store, () => store.perform([stateEffect({ ...store.readState(), rotatedFiles: [rotated] })]))
    write(path.join(store.dir, 'facts.json'), known(count))
    write(path.join(store.dir, file), '# Memory\n')
    write(path.join(store.dir, rotated.summary), formatSummary(summary))
    const { text } = previewBriefing(storeOf(project), null) ?? expect.fail()

    expect(text).toContain('decided then: Sessions live in Redis.')
    expect(text).toContain('open then: The port is taken.')
    expect(text).not.toContain(rejected)
    expect(text).not.toContain(solved)
  })
})

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
  for (const n of [2, 3]) earlier(project, n)
  locked(store, () => noteByCode(store, NOW))
  for (let n = 0; n < 14; n++) {
    const text = `On day ${n} the report for ${['Kim', 'Ünal', '박지수'][n % 3]} was printed. ${'It took a while and nobody complained. '.repeat(6)}`
    locked(store, () => addOwnNote(store, text, `2026-01-${String(n + 10)}T12:00:00.000Z`))
  }
  for (const name of names) write(path.join(project.memory, name), PAGES[name as keyof typeof PAGES])
  write(path.join(path.dirname(project.transcriptOf(SESSION)), 'memory', 'MEMORY.md'), '- The user likes tabs.\n')
  return project
}

/** A session of an earlier day, with a decision of its own: `n` days before the last one. */
function earlier(project: TestProject, n: number): void {
  const session = sessionId(n)
  const lines = linesFor(session, project.root, {}, Date.parse('2026-01-13T09:00:00.000Z') - n * 86_400_000)
  append(
    project.transcriptOf(session),
    lines.prompt(0, `Build part ${n} of the report.`) +
      dialog(lines, 10, `Where does part ${n} go?`, `Into column ${n}`) +
      lines.answer(30, `Part ${n} of the report goes into column ${n} now.`),
  )
  const store = storeOf(project)
  captureSession(store, { session, transcript: project.transcriptOf(session), host: 1 }, { waitMs: 1000, now })
  locked(store, () => store.perform([stateEffect(cutSession(store.readState(), session))]))
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
import { renderRules } from './src/core/pages/rule.ts'
import { briefSession } from './src/core/briefing/disk/briefing.ts'
import { previewBriefing } from './src/core/briefing/disk/briefing.ts'
import { locate } from './src/kernel/platform/disk/locate.ts'
import { readRules } from './src/core/pages/disk/rules.ts'
import { openStore } from './src/kernel/memory/disk/store.ts'
const { root, home, renders, seed, session } = JSON.parse(fs.readFileSync(0, 'utf8'))
const seen = new Set()
for (let n = 0; n < renders; n++) {
  const at = new Date(Date.UTC(2026, 0, 13) + (seed * renders + n) * 91_003_007).toISOString()
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
    expect(here[0]).toContain('Recent Context')
    expect(here[1]).toContain('What this session did before the compaction')
    const told = JSON.stringify([...here, renderRules(BUILT_IN_RULES)])
    expect(seen[0]).toBe(createHash('sha256').update(told).digest('hex'))
  }, 120_000)

  it('gives the same bytes whatever the times of its files, and in whatever order they were made', () => {
    const [one, other] = [richProject(), richProject(Object.keys(PAGES).toReversed())]
    const text = brief(one, NEW)
    for (const name of Object.keys(treeOf(one.memory))) fs.utimesSync(path.join(one.memory, name), 1, 1)

    expect(brief(one, sessionId(91))).toBe(text)
    expect(brief(other, NEW)).toBe(text)
  })

  it('is told within its limit, with everything that belongs there', () => {
    const project = richProject()
    const text = brief(project, NEW) ?? ''

    // What code says of an archive counts its notes.
    expect(archivesOf(project).length).toBeGreaterThan(0)
    expect(text).not.toContain('## Archives')
    for (const part of ['Current State', 'Recent Context', 'How to Get More']) expect(text).toContain(`## ${part}`)
    for (const part of ['feature/lines', '1.4.2', 'nightly report', 'A record is one line', 'On day 13'])
      expect(text).toContain(part)
    expect(text).toContain('User, asked "Where are empty lines skipped?": In the lexer')
    expect(text).toContain('User, asked "Where does part 3 go?": Into column 3')
    expect(text.indexOf('[00000001]')).toBeLessThan(text.indexOf('[00000002]'))
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
    expect(brief(project, SESSION)).toContain('Note 2.')
  })

  it('tells what somebody wrote into it by hand like a note', () => {
    const project = quietProject({}, fastDir())
    own(storeOf(project), 'The first note.', 0)
    fs.appendFileSync(path.join(project.memory, 'memory.md'), '## Plans\n\nThe printer moves to the cellar.\n')

    expect(brief(project, SESSION)).toContain(
      '- 01-13 12:00 [by hand] Note (by the user): Plans; The printer moves to the cellar.',
    )
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
    // The key of the frames is made with the first text.
    frameFor(storeOf(project).places)('memory-keeper', [])
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
    const told = brief(project, NEW)
    expect(fs.readFileSync(file, 'utf8')).toBe(before)
    fs.rmSync(file)
    fs.mkdirSync(file)

    expect(brief(project, sessionId(91))).toBe(told)
  })
})
