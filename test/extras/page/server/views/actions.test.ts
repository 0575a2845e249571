/** What the page changes: the same as the command line does, and seen by the next view. */

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatItems, parseItems } from '../../../../../src/core/knowledge/facts-file.ts'
import type { Items } from '../../../../../src/core/knowledge/items.ts'
import type {
  Acted,
  Action,
  KnowledgeView,
  MemoryView,
  Overview,
  SearchView,
  SessionList,
  TodayView,
} from '../../../../../src/extras/page/server/api.ts'
import type { Dashboard } from '../../../../../src/extras/page/server/server.ts'
import { formatNote, notesIn } from '../../../../../src/kernel/memory/note.ts'
import { LOCK_FILE } from '../../../../../src/kernel/platform/layout.ts'
import { type Answered, codeIn, get, open, post } from '../../../../support/dashboard.ts'
import { decide } from '../../../../support/decided.ts'
import { fact, factsWith, itemsOf, listed } from '../../../../support/fact.ts'
import { makeProject, NOW, storeOf, type TestProject, treeOf } from '../../../../support/project.ts'

function known(facts: Items): TestProject {
  const project = makeProject()
  const note = { id: 'n-1', at: NOW, session: null, from: 0, to: 0, author: 'user', text: 'An own note.' } as const
  storeOf(project).perform([
    { do: 'write', path: 'facts.json', text: formatItems(facts) },
    { do: 'write', path: 'memory.md', text: formatNote(note, 'UTC') },
  ])
  return project
}

const ONE = factsWith(fact(), fact({ id: 'i001', kind: 'issue', text: 'The export is slow.' }))

async function act(dashboard: Dashboard, action: Action): Promise<string[]> {
  const answered: Answered = await post(dashboard, action)
  if (answered.status !== 200) throw new Error(answered.text)
  return (JSON.parse(answered.text) as Acted).said
}

function factIn(project: TestProject, id: string): Partial<ReturnType<typeof fact>> | undefined {
  const facts = parseItems(fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8'))
  return [...(listed(facts)?.decisions ?? []), ...(listed(facts)?.issues ?? [])].find((one) => one.id === id)
}

/** Another process writes, and is alive. */
function writing(project: TestProject): { end: () => void } {
  const file = path.join(project.memory, LOCK_FILE)
  fs.writeFileSync(file, JSON.stringify({ pid: process.ppid, host: os.hostname() }))
  return { end: () => fs.rmSync(file) }
}

describe('while another process writes, an action', () => {
  it.each<[string, Action]>([
    ['pins', { do: 'pin', id: 'd001' }],
    ['takes back', { do: 'undo' }],
    ['forgets', { do: 'forget', id: 'd001', dryRun: false }],
  ])('that %s waits, others are answered meanwhile, and then it is done', async (_, action) => {
    const project = known(ONE)
    const dashboard = await open(project)
    await act(dashboard, { do: 'resolve', id: 'i001', resolution: 'An index.' })
    const { end } = writing(project)
    let isDone = false
    const done = act(dashboard, action).finally(() => {
      isDone = true
    })

    for (let n = 0; n < 3; n++)
      expect((await get<KnowledgeView>(dashboard, '/api/knowledge')).facts.map(({ id }) => id)).toContain('d001')
    expect(isDone).toBe(false)
    end()
    expect((await done).join('')).not.toBe('')
    expect(fs.existsSync(path.join(project.memory, LOCK_FILE))).toBe(false)
  })

  it.each<[string, Action]>([
    ['pins', { do: 'pin', id: 'd001' }],
    ['forgets', { do: 'forget', id: 'd001', dryRun: false }],
  ])('that %s says so after its time, and changes nothing', async (_, action) => {
    const project = known(ONE)
    const dashboard = await open(project, { waitMs: 60 })
    writing(project)
    const before = treeOf(project.memory)
    const answered = await post(dashboard, action)

    expect([answered.status, codeIn(answered)]).toEqual([409, 'busy'])
    expect(answered.text).toContain('nothing was changed')
    expect(treeOf(project.memory)).toEqual(before)
  })
})

describe('an action of the page', () => {
  it('resolves an issue, opens it again, and undo takes back one after the other', async () => {
    const project = known(ONE)
    const dashboard = await open(project)

    expect((await act(dashboard, { do: 'resolve', id: 'i001', resolution: 'An index.' })).join()).toContain('i001')
    expect(factIn(project, 'i001')).toMatchObject({ status: 'resolved', resolution: 'An index.' })
    await act(dashboard, { do: 'reopen', id: 'i001' })
    expect(factIn(project, 'i001')?.status).toBe('open')
    await act(dashboard, { do: 'undo' })
    expect(factIn(project, 'i001')?.status).toBe('resolved')
    await act(dashboard, { do: 'undo' })
    expect(factIn(project, 'i001')?.status).toBe('open')
    expect(codeIn(await post(dashboard, { do: 'undo' }))).toBe('nothing')
  })

  it('rejects, restores, pins and unpins a fact, and the next view shows it', async () => {
    const dashboard = await open(known(ONE))
    const shown = async (): Promise<string> => {
      const { facts } = await get<KnowledgeView>(dashboard, '/api/knowledge')
      const one = facts.find(({ id }) => id === 'd001')
      return `${one?.state}${one?.isPinned ? ', pinned' : ''}${one?.why.includes('not any more') ? ', why' : ''}`
    }

    await act(dashboard, { do: 'pin', id: 'd001' })
    expect(await shown()).toBe('fresh, pinned')
    await act(dashboard, { do: 'unpin', id: 'd001' })
    expect(await shown()).toBe('fresh')
    await act(dashboard, { do: 'reject', id: 'd001', why: 'not any more' })
    expect(await shown()).toBe('rejected, why')
    await act(dashboard, { do: 'restore', id: 'd001' })
    expect(await shown()).toBe('fresh')
  })

  it('edits a note, and takes secrets out of what was typed', async () => {
    const project = known(ONE)
    const dashboard = await open(project)
    const secret = `ghp_${'Zk3vW9qLx2Tn7Rb5Yc8M'.repeat(2).slice(0, 36)}`
    await act(dashboard, { do: 'edit-note', id: 'n-1', text: `A better note with ${secret} in it.` })

    const { notes } = await get<MemoryView>(dashboard, '/api/memory')
    expect(notes[0]?.text).toMatch(/^A better note with \[redacted:[^\]]+\] in it\.$/)
    expect(notesIn(fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8'))).toHaveLength(1)
    expect(JSON.stringify(treeOf(project.base))).not.toContain(secret)
  })

  it('edits a fact and its reason, and undo takes it back byte for byte', async () => {
    const project = known(ONE)
    const dashboard = await open(project)
    const before = fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8')
    await act(dashboard, { do: 'edit-fact', id: 'i001', text: 'The export takes a minute.', reason: 'No index.' })
    expect(factIn(project, 'i001')).toMatchObject({
      text: 'The export takes a minute.',
      reason: 'No index.',
      by: 'user',
    })
    await act(dashboard, { do: 'edit-fact', id: 'i001', text: 'The export takes a minute.', reason: '' })
    expect(factIn(project, 'i001')?.reason).toBeNull()
    await act(dashboard, { do: 'undo' })
    await act(dashboard, { do: 'undo' })
    expect(fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8')).toBe(before)
  })

  it('edits a rule of rules.md at its place, no built-in one, and undo takes it back', async () => {
    const project = known(ONE)
    const dashboard = await open(project)
    const rules = async (): Promise<string[]> =>
      (await get<KnowledgeView>(dashboard, '/api/knowledge')).rules.map(({ text }) => text)
    const builtIn = await rules()
    fs.writeFileSync(path.join(project.memory, 'rules.md'), '- Run tests.\n- Cut none.\n')
    const before = await rules()
    expect(before).toEqual([...builtIn, 'Run tests.', 'Cut none.'])
    await act(dashboard, { do: 'edit-rule', rule: 'Run tests.', text: 'Cut no corners in tests.' })
    expect(await rules()).toEqual(before.with(-2, 'Cut no corners in tests.'))
    expect(codeIn(await post(dashboard, { do: 'edit-rule', rule: builtIn[0] ?? '', text: 'x' }))).toBe('built-in')
    expect(codeIn(await post(dashboard, { do: 'edit-rule', rule: 'Never said.', text: 'x' }))).toBe('no-rule')
    expect((await get<TodayView>(dashboard, '/api/today')).lastChange?.what).toContain('Cut no corners in tests.')
    await act(dashboard, { do: 'undo' })
    expect(await rules()).toEqual(before)
  })

  it('accepts and declines what was proposed', async () => {
    const proposed = { at: NOW, state: 'proposed', by: 'code', concept: null, usedAt: NOW } as const
    const rules = ['Always run the tests.', 'Never push on Fridays.'].map((text, i) => {
      return { ...proposed, id: `r00${i + 1}`, text, facts: ['d001'], evidence: [] }
    })
    const dashboard = await open(
      known(itemsOf({ ...listed(ONE), permanent: { rules, solutions: [], core_logic: [] } })),
    )
    expect((await get<TodayView>(dashboard, '/api/today')).proposed.map(({ id }) => id)).toEqual(['r001', 'r002'])
    await act(dashboard, { do: 'accept', id: 'r001', text: 'Always run all tests.' })
    await act(dashboard, { do: 'decline', id: 'r002' })

    const { permanent: rows } = await get<KnowledgeView>(dashboard, '/api/knowledge')
    expect(rows[0]?.text).toBe('Always run all tests.')
    expect(rows.map(({ id, state }) => [id, state])).toEqual([
      ['r001', 'active'],
      ['r002', 'declined'],
    ])
  })

  it('forgets an entry only when it is confirmed, and says before what would go', async () => {
    const project = makeProject()
    decide(storeOf(project), project)
    const dashboard = await open(project)
    const { sessions } = await get<SessionList>(dashboard, '/api/sessions')
    expect((await get<SearchView>(dashboard, '/api/search?q=PostgreSQL')).hits.length).toBeGreaterThan(0)
    const id = sessions[0]?.id ?? ''
    const before = treeOf(project.memory)
    const said = await act(dashboard, { do: 'forget', id, dryRun: true })

    expect(said[0]).toMatch(/^3 prompts, 3 answers and 1 tool use, in \d+ places?, would be permanently deleted/)
    expect(said.join('\n')).toContain('PostgreSQL')
    expect(said.filter((line) => line.includes(project.base) && !line.startsWith('Claude Code'))).toEqual([])
    const named = said.flatMap((line) => /(L1:\S+|\b[dpi]\d{3}\b)/.exec(line)?.[1] ?? [])
    expect(named.length).toBeGreaterThan(6)
    expect(new Set(named).size).toBe(named.length)
    expect(treeOf(project.memory)).toEqual(before)
    // Afterwards only figures: whoever wanted it forgotten does not want to read it again.
    expect(await act(dashboard, { do: 'forget', id, dryRun: false })).toEqual([
      expect.stringMatching(/^Permanently deleted: 3 prompts, 3 answers and 1 tool use, in \d+ places?\.$/),
    ])
    expect(await get<SessionList>(dashboard, '/api/sessions')).toMatchObject({ total: 0, sessions: [] })
    expect(await get<Overview>(dashboard, '/api/overview')).toMatchObject({ sessions: 0, entries: 0 })
    expect((await get<SearchView>(dashboard, '/api/search?q=PostgreSQL')).hits).toEqual([])
    await get(dashboard, '/api/charts')
    const ours = { ...treeOf(project.memory), ...treeOf(project.keeper), ...treeOf(path.join(project.home, '.cache')) }
    expect(JSON.stringify(ours)).not.toContain('PostgreSQL')
  })

  it('is refused where the page was started inside Claude Code, and nothing is changed', async () => {
    const project = known(ONE)
    const dashboard = await open(project, { isInside: true })
    const before = treeOf(project.memory)
    for (const action of [
      { do: 'pin', id: 'd001' },
      { do: 'forget', id: 'd001', dryRun: false },
      { do: 'forget', id: 'd001', dryRun: true },
      { do: 'undo' },
    ]) {
      const answered = await post(dashboard, action)
      expect([answered.status, codeIn(answered)]).toEqual([403, 'read-only'])
      expect(answered.text).toContain('terminal of your own')
    }
    expect(treeOf(project.memory)).toEqual(before)
    const { isReadOnly, readOnlyWhy } = await get<Overview>(dashboard, '/api/overview')
    expect([isReadOnly, readOnlyWhy]).toEqual([true, expect.stringContaining('inside Claude Code')])
  })

  it('says what it cannot do: no such thing, nothing to change', async () => {
    const dashboard = await open(known(ONE))

    for (const action of [
      { do: 'pin', id: 'd999' },
      { do: 'edit-note', id: 'n-9', text: 'x' },
      { do: 'edit-fact', id: 'd999', text: 'x', reason: '' },
      { do: 'accept', id: 'r999' },
      { do: 'forget', id: 'd999', dryRun: true },
    ]) {
      const answered = await post(dashboard, action)
      expect([action.do, answered.status, codeIn(answered)]).toEqual([action.do, 404, 'not-found'])
    }
  })
})
