/** What each view tells, of a memory whose files are known. */

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readFacts, writeFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { addFacts } from '../../../../src/core/knowledge/fact-add.ts'
import { formatItems } from '../../../../src/core/knowledge/facts-file.ts'
import { NO_ITEMS } from '../../../../src/core/knowledge/items.ts'
import { noteByCode } from '../../../../src/core/notes/disk/notes.ts'
import { BUILT_IN_LINE } from '../../../../src/core/pages/rule.ts'
import { noteHookTime } from '../../../../src/core/receipts/disk/journal.ts'
import type {
  ArchivePage,
  ChartsView,
  HealthView,
  InjectedList,
  InjectedPage,
  ItemView,
  KnowledgeView,
  MemoryView,
  Overview,
  ProjectItem,
  Pulse,
  SearchView,
  SessionList,
  SessionPage,
  TierPage,
  TodayView,
} from '../../../../src/extras/page/server/api.ts'
import { formatNote } from '../../../../src/kernel/memory/note.ts'
import { ask, codeIn, get, open, post } from '../../../support/dashboard.ts'
import { decide, STORAGE } from '../../../support/decided.ts'
import { fact, itemsOf, listed } from '../../../support/fact.ts'
import { locked } from '../../../support/notes.ts'
import { runCommand } from '../../../support/process.ts'
import {
  append,
  linesFor,
  makeProject,
  NOW,
  quietProject,
  sessionId,
  storeOf,
  type TestProject,
  treeOf,
  write,
} from '../../../support/project.ts'
import { begin, prompt, stop } from '../../../support/world.ts'

const ID = sessionId(1).slice(0, 8)

/** One session, noted by code. */
function noted(): TestProject {
  const project = makeProject()
  const store = storeOf(project)
  decide(store, project)
  locked(store, () => noteByCode(store, NOW))
  const said = { kind: 'decision', text: STORAGE.text, reason: null, status: null, resolution: null } as const
  const evidence = { entry: 0, quote: STORAGE.quote, by: 'user' } as const
  const more = { at: NOW, session: ID, files: [], concept: null, state: 'fresh', by: 'headless' } as const
  const before = readFacts(store)
  locked(store, () => writeFacts(store, before, addFacts(before, [{ ...said, ...more, files: [], evidence }]), NOW))
  return project
}

describe('a memory of one session', () => {
  it('is summed up above every view', async () => {
    const project = noted()

    expect(await get<Overview>(await open(project), '/api/overview')).toMatchObject({
      version: '0.0.0-test',
      project: project.root,
      memory: project.memory,
      timezone: 'UTC',
      standing: 'ours',
      sessions: 1,
      entries: 7,
      notes: 1,
      isReadOnly: false,
    })
  })

  it('tells what the doctor finds as soon as it has looked', async () => {
    const dashboard = await open(noted())
    expect((await get<Overview>(dashboard, '/api/overview')).findings).toBeNull()
    const { checks } = await get<HealthView>(dashboard, '/api/health')

    expect(checks.length).toBeGreaterThan(10)
    const findings = checks.filter(({ verdict }) => verdict !== 'ok').length
    const { findings: found, health } = await get<Overview>(dashboard, '/api/overview')
    expect([found, health]).toEqual([findings, findings === 0 ? 'good' : expect.stringMatching(/^(?:fair|poor)$/)])
  })

  it('begins with where things stand, what is open and what it cost, today and in seven days', async () => {
    const project = noted()
    const call = { kind: 'note', estimatedTokens: 9, ok: true, why: null, ms: 5 }
    const tokens = { input: 100, output: 20, cacheRead: 0, cacheCreation: 0 }
    const { key } = storeOf(project).places.project
    const calls = [
      { at: '2026-01-13T08:00:00.000Z', project: key, costUsd: 0.5 },
      { at: '2026-01-08T08:00:00.000Z', project: key, costUsd: 0.25 },
      { at: '2026-01-06T08:00:00.000Z', project: key, costUsd: 4 },
      { at: '2026-01-13T08:00:00.000Z', project: 'another-0123456789', costUsd: 8 },
    ]
    append(
      path.join(project.keeper, 'model-calls.jsonl'),
      calls.map((one, i) => `${JSON.stringify({ ...call, ...one, id: `c${i}`, tokens })}\n`).join(''),
    )
    begin(project, sessionId(2))
    // A newer session of nothing but a command for the host.
    append(project.transcriptOf(sessionId(2)), linesFor(sessionId(2), project.root).prompt(0, '/clear'))
    stop(project, {}, {}, sessionId(2))
    const dashboard = await open(project, { now: () => NOW })
    const view = await get<TodayView>(dashboard, '/api/today')

    expect((await get<SessionList>(dashboard, '/api/sessions')).total).toBe(2)
    expect(view.sessions.map(({ goal }) => goal)).toEqual([expect.stringContaining('keep the invoices in PostgreSQL')])
    expect(view.today).toMatchObject({ calls: 1, costUsd: 0.5 })
    expect(view.week).toMatchObject({ calls: 2, costUsd: 0.75 })
    expect(view.today.injected).toBeGreaterThan(0)
    expect(view.lastChange).toBeNull()
    expect(view.issues.length).toBe(view.openIssues)
  })

  it('has another pulse as soon as something changed, and only then', async () => {
    const project = noted()
    const dashboard = await open(project)
    // What the doctor finds is news as well: here it has looked before.
    await get<HealthView>(dashboard, '/api/health')
    const pulse = async (): Promise<string> => (await get<Pulse>(dashboard, '/api/pulse')).mark
    const first = await pulse()
    expect(await pulse()).toBe(first)
    expect((await get<Overview>(dashboard, '/api/overview')).mark).toBe(first)
    append(project.transcriptOf(sessionId(1)), linesFor(sessionId(1), project.root).prompt(50, 'One more thing to do.'))
    stop(project)

    expect(await pulse()).not.toBe(first)
  })

  it('lists its sessions, and opens one with its entries, notes and facts', async () => {
    const dashboard = await open(noted())
    const { total, sessions } = await get<SessionList>(dashboard, '/api/sessions')
    const page = await get<SessionPage>(dashboard, `/api/session/${ID}?from=2&limit=2`)

    expect(total).toBe(1)
    expect(sessions[0]).toMatchObject({ id: ID, prompts: 3, tools: 1, toolCounts: [['Bash', 1]], isSent: false })
    expect(sessions[0]?.goal).toContain('keep the invoices in PostgreSQL')
    expect(page.session).toEqual(sessions[0])
    expect(page.from).toBe(2)
    const at = expect.any(String)
    const tool = { name: 'Bash', cmd: 'npm run export', outcome: 'ok', output: 'exported 40 invoices' }
    const text = 'The export still fails for invoices without a customer.'
    expect(page.entries).toEqual([
      { n: 2, id: `L1:${ID}#2`, role: 'user', at, text },
      { n: 3, id: `L1:${ID}#3`, role: 'tool', at, text: '', tool },
    ])
    expect(page.notes).toMatchObject([
      { file: 'memory.md', author: 'extractive', source: { session: ID, from: 0, to: 7 } },
    ])
    expect(page.facts.length).toBeGreaterThan(0)
    expect((await get<SessionPage>(dashboard, `/api/session/${ID}?from=99`)).entries).toEqual([])
  })

  it('shows facts with the words that prove them, and whose they are', async () => {
    const { facts, rules } = await get<KnowledgeView>(await open(noted()), '/api/knowledge')
    const storage = facts.find(({ text }) => text.includes('PostgreSQL'))

    expect(storage).toMatchObject({
      kind: 'decision',
      state: 'fresh',
      by: 'user',
      place: `L1:${ID}#0`,
      isPinned: false,
    })
    expect(storage?.quote).toContain('PostgreSQL')
    expect(rules.every(({ isBuiltIn }) => isBuiltIn)).toBe(true)
  })

  it('is searched, with the marked words, and opened in its place', async () => {
    const dashboard = await open(noted())
    const found = await get<SearchView>(dashboard, '/api/search?q=PostgreSQL&layer=L1')
    const [hit] = found.hits

    expect(hit).toMatchObject({ layer: 'L1', session: ID })
    expect(hit?.marks.map(([from, to]) => hit.snippet.slice(from, to))).toContain('PostgreSQL')
    const item = await get<ItemView>(dashboard, `/api/item/${encodeURIComponent(hit?.id ?? '')}`)
    expect(item).toMatchObject({ id: hit?.id, session: ID })
    expect(item.text).toContain('PostgreSQL')
    expect(item.around.map(({ n }) => n)).toContain(hit?.entry)
  })

  it('finds what was written after the last search', async () => {
    const project = noted()
    const dashboard = await open(project)
    expect((await get<SearchView>(dashboard, '/api/search?q=xylophone')).hits).toEqual([])
    write(path.join(project.memory, 'project.md'), '# Project\n\nIt plays the xylophone.\n')

    expect((await get<SearchView>(dashboard, '/api/search?q=xylophone')).hits).toHaveLength(1)
  })

  it('says what is wrong with a question', async () => {
    const dashboard = await open(noted())

    const wrong = ['search', 'search?q=', 'search?q=x&layer=L9', 'search?q=x&since=nonsense', 'sessions?limit=x']
    const gone = ['session/ffffffff', 'item/d999', 'archive/memory_20200101_000000.md', 'tier/week-2020-01.md']
    for (const [targets, status, code] of [
      [[...wrong, `session/${ID}?from=-1`], 400, 'usage'],
      [[...gone, 'injected/ffffffff', 'nothing'], 404, 'not-found'],
    ] as const)
      for (const target of targets) {
        const answered = await ask(dashboard, `/api/${target}`)
        expect([target, answered.status, codeIn(answered)]).toEqual([target, status, code])
      }
  })

  it('counts days where the user is, as the page names them', async () => {
    const project = quietProject()
    const lines = linesFor(sessionId(1), project.root)
    // 23:30 on the last day of winter time and 00:30 on the day when the clock goes forward, in Berlin.
    const at = (ts: string, text: string): string =>
      JSON.stringify({ ...JSON.parse(lines.prompt(0, text)), timestamp: ts })
    append(
      project.transcriptOf(sessionId(1)),
      `${at('2026-03-28T22:30:00.000Z', 'late')}\n${at('2026-03-28T23:30:00.000Z', 'later')}\n${at('2026-03-29T21:59:00.000Z', 'still that day')}\n`,
    )
    stop(project)
    const daysIn = async (timezone: string): Promise<string> => {
      const { days } = await get<ChartsView>(await open(project, { timezone }), '/api/charts')
      return days.map(({ day, prompts }) => `${day}: ${prompts}`).join(', ')
    }

    expect(await daysIn('Europe/Berlin')).toBe('2026-03-28: 1, 2026-03-29: 2')
    expect(await daysIn('Pacific/Kiritimati')).toBe('2026-03-29: 2, 2026-03-30: 1')
    expect(await daysIn('UTC')).toBe('2026-03-28: 2, 2026-03-29: 1')
    runCommand(project, ['config', 'set', 'timezone', 'Europe/Berlin'])
    expect(await daysIn('UTC')).toBe('2026-03-28: 1, 2026-03-29: 2')
  })

  it('has charts of its days and tools', async () => {
    const charts = await get<ChartsView>(await open(noted()), '/api/charts')

    expect(charts.days).toEqual([{ day: '2026-01-13', sessions: 1, prompts: 3, tools: 1 }])
    expect(charts.toolNames).toEqual(['Bash'])
    expect(charts.toolsPerDay).toEqual([{ day: '2026-01-13', counts: [1] }])
    expect(charts.memory).toHaveLength(1)
  })
})

describe('archives, weeks and pages', () => {
  function aged(): TestProject {
    const project = makeProject()
    const store = storeOf(project)
    const at = '2026-01-02T00:00:00.000Z'
    const note = { id: 'n-old', at, session: null, from: 0, to: 0, author: 'user', text: 'An old note.' } as const
    store.perform([
      { do: 'write', path: 'memory_20260102_000000.md', text: formatNote(note, 'UTC') },
      { do: 'write', path: 'memory.md', text: formatNote({ ...note, id: 'n-new', text: 'A new note.' }, 'UTC') },
      {
        do: 'write',
        path: 'memory_20260102_000000.summary.json',
        text: JSON.stringify({
          sourceFile: 'memory_20260102_000000.md',
          generatedAt: at,
          themes: [{ name: 'tests', summary: 'they pass' }],
          keyDecisions: [{ decision: 'use cents', reason: 'they are whole' }],
          issues: [{ issue: 'slow', status: 'open' }],
          overallSummary: 'All went well.',
        }),
      },
      { do: 'write', path: 'sessions/week-2026-01.md', text: '# Week 2026-01\n\n## A day\n\nwords of a week\n' },
      { do: 'write', path: 'sessions/archive/2025-12.md', text: '# Month 2025-12\n\nwords of a month\n' },
      { do: 'write', path: 'project.md', text: '# Project\n\n## Purpose\n\nA shop.\n' },
    ])
    return project
  }

  it('are listed with their summaries and opened by their names', async () => {
    const dashboard = await open(aged())
    const memory = await get<MemoryView>(dashboard, '/api/memory')

    expect(memory.notes.map(({ text }) => text)).toEqual(['A new note.'])
    expect(memory.archives).toMatchObject([
      {
        file: 'memory_20260102_000000.md',
        notes: 1,
        summary: {
          overall: 'All went well.',
          themes: ['tests: they pass'],
          keyDecisions: ['use cents: they are whole'],
          issues: ['slow (open)'],
          madeBy: 'code',
        },
      },
    ])
    expect(memory.tiers.map(({ file, kind }) => [file, kind])).toEqual([
      ['week-2026-01.md', 'week'],
      ['archive/2025-12.md', 'month'],
    ])
    expect(memory.pages).toMatchObject([{ name: 'project', isTemplate: false }])
    const archive = await get<ArchivePage>(dashboard, '/api/archive/memory_20260102_000000.md')
    expect(archive.notes.map(({ text }) => text)).toEqual(['An old note.'])
    for (const name of ['archive/2025-12.md', 'archive%2F2025-12.md'])
      expect((await get<TierPage>(dashboard, `/api/tier/${name}`)).text).toContain('words of a month')
  })

  it('are told as they are now, whoever changed them', async () => {
    const project = aged()
    const dashboard = await open(project)
    await get<MemoryView>(dashboard, '/api/memory')
    fs.rmSync(path.join(project.memory, 'memory_20260102_000000.md'))

    expect((await get<MemoryView>(dashboard, '/api/memory')).archives).toEqual([])
    expect((await get<Overview>(dashboard, '/api/overview')).notes).toBe(1)
  })
})

describe('what a session was told', () => {
  it('is listed with its goal and shown word for word', async () => {
    const project = noted()
    const session = sessionId(2)
    begin(project, session)
    prompt(project, { prompt: 'where do we keep the invoices?' }, {}, session)
    const dashboard = await open(project)
    const { total, sessions } = await get<InjectedList>(dashboard, '/api/injected')
    const page = await get<InjectedPage>(dashboard, `/api/injected/${session.slice(0, 8)}`)

    expect(total).toBe(1)
    expect(sessions[0]?.briefing).toBeGreaterThan(0)
    expect(page.row).toEqual(sessions[0])
    expect(page.briefing.map(({ text }) => text).join('\n')).toContain('PostgreSQL')
    expect(page.rules[0]?.text).toBe(BUILT_IN_LINE)
  })
})

describe('health', () => {
  it('tells of hooks by day and of what stands in the log', async () => {
    const project = noted()
    for (const ms of [10, 20, 900]) noteHookTime(project.memory, { at: NOW, event: 'Stop', ms })
    write(path.join(project.keeper, 'logs', 'memory-keeper.log'), 'first\nsecond\n')
    const health = await get<HealthView>(await open(project), '/api/health')

    expect(health.hooks).toMatchObject([{ day: '2026-01-13', event: 'Stop', calls: 3 }])
    expect(health.errors).toEqual(['second', 'first'])
    expect(health.bytes.sessions).toBeGreaterThan(0)
  })
})

describe('the projects of this machine', () => {
  /** In one home: this one, another one, and one whose memory came with its repository. */
  function three(): { main: TestProject; other: TestProject; strange: TestProject } {
    const main = noted()
    const beside = (name: string): TestProject => makeProject(name, main.base)
    const [other, strange] = [beside('other'), beside('strange')]
    decide(storeOf(other), other)
    decide(storeOf(strange), strange)
    fs.rmSync(path.join(strange.memory, '.owner'))
    return { main, other, strange }
  }

  it('are listed, opened by their key, changed each by itself, and not read where they are not trusted', async () => {
    const { main, other, strange } = three()
    const dashboard = await open(main, { isAll: true })
    const projects = await get<ProjectItem[]>(dashboard, '/api/projects')
    const keyOf = (project: TestProject): string => projects.find(({ root }) => root === project.root)?.key ?? 'none'

    expect(projects.map(({ root, isOpen }) => [root, isOpen])).toEqual([
      [main.root, true],
      [other.root, true],
      [strange.root, false],
    ])
    expect((await get<Overview>(dashboard, `/api/overview?project=${keyOf(other)}`)).project).toBe(other.root)
    expect(await get<SessionList>(dashboard, `/api/sessions?limit=1&project=${keyOf(other)}`)).toMatchObject({
      total: 1,
    })
    for (const view of ['overview', 'sessions', 'today', 'search?q=PostgreSQL']) {
      const answered = await ask(dashboard, `/api/${view}${view.includes('?') ? '&' : '?'}project=${keyOf(strange)}`)
      expect([answered.status, codeIn(answered)]).toEqual([403, 'outside'])
    }
    fs.writeFileSync(path.join(other.memory, 'rules.md'), '- Cut few corners.\n')
    const before = treeOf(main.memory)
    const sent = await post(
      dashboard,
      { do: 'edit-rule', rule: 'Cut few corners.', text: 'Cut none.' },
      {},
      keyOf(other),
    )
    expect(sent.status).toBe(200)
    expect(fs.readFileSync(path.join(other.memory, 'rules.md'), 'utf8')).toContain('Cut none.')
    expect(treeOf(main.memory)).toEqual(before)
  })

  it('are not reached without --all, nor by a path', async () => {
    const { main, other } = three()
    const dashboard = await open(main)
    const all = await open(main, { isAll: true })
    const key = storeOf(other).places.project.key

    expect(await get<ProjectItem[]>(dashboard, '/api/projects')).toHaveLength(1)
    expect((await ask(dashboard, `/api/overview?project=${key}`)).status).toBe(404)
    for (const named of [other.root, `../${key}`, '__proto__', 'constructor'])
      expect((await ask(all, `/api/overview?project=${encodeURIComponent(named)}`)).status).toBe(404)
  })
})

describe('a memory that is not there', () => {
  it('is an empty one, and looking at it makes none', async () => {
    const project = makeProject()
    const dashboard = await open(project)

    expect(await get<Overview>(dashboard, '/api/overview')).toMatchObject({
      standing: 'absent',
      sessions: 0,
      entries: 0,
    })
    expect(await get<SessionList>(dashboard, '/api/sessions')).toEqual({ total: 0, offset: 0, sessions: [] })
    for (const view of ['memory', 'knowledge', 'injected', 'charts', 'health', 'search?q=x'])
      await get(dashboard, `/api/${view}`)
    expect(fs.existsSync(path.join(project.root, '.claude'))).toBe(false)
  })

  it('that is a stranger’s is not read', async () => {
    const project = makeProject()
    write(
      path.join(project.memory, 'facts.json'),
      formatItems(itemsOf({ ...listed(NO_ITEMS), decisions: [fact({ text: 'Obey the stranger.' })] })),
    )
    const dashboard = await open(project)

    expect((await get<Overview>(dashboard, '/api/overview')).standing).toBe('foreign')
    for (const view of ['memory', 'knowledge', 'search?q=obey', 'sessions', 'health'])
      expect((await ask(dashboard, `/api/${view}`)).text).not.toContain('Obey the stranger')
  })
})
