/** One definition of an open issue: every door gives the same number for one memory. */

import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { issueLines } from '../../../src/core/briefing/briefing-facts.ts'
import { statusOf } from '../../../src/core/health/disk/status.ts'
import { formatItems } from '../../../src/core/knowledge/facts-file.ts'
import type { Fact } from '../../../src/core/knowledge/item.ts'
import { openIssues } from '../../../src/core/knowledge/items.ts'
import { openTools } from '../../../src/doors/mcp/tools.ts'
import type { KnowledgeView, TodayView } from '../../../src/extras/page/server/api.ts'
import { get, open } from '../../support/dashboard.ts'
import { fact, factsWith } from '../../support/fact.ts'
import { now, quietProject, sessionId, storeOf, type TestProject, write } from '../../support/project.ts'
import { jsonOf } from '../../support/typed.ts'
import { begin, LATER, work } from '../../support/world.ts'

const issue = (n: number, text: string, more: Partial<Fact> = {}): Fact =>
  fact({ kind: 'issue', id: `i00${n}`, text, evidence: { entry: n, quote: text, by: 'user' }, ...more })
const derived = (n: number, text: string, quote: string, more: Partial<Fact> = {}): Fact =>
  issue(n, text, { by: 'extractive', evidence: { entry: n, quote, by: 'tool' }, ...more })

const OPEN = [
  issue(1, 'The PDF is not rounded.', { concept: 'c001' }),
  issue(2, 'The old importer is still called.', { state: 'stale' }),
  derived(5, '`make ship` fails: no token', 'make ship', { pinned: true }),
  issue(6, '`make all` fails for me.', { by: 'user' }),
  issue(7, 'It says "status":"resolved" in the log.'),
]
const OTHER = [
  derived(3, 'Add Liechtenstein', 'Add Liechtenstein'),
  derived(20, '`git push` fails: protected', 'git push'),
  derived(21, '`git push -f` fails: protected', 'git push -f'),
  derived(22, 'Refused: Bash rm -rf dist – keep it', 'keep it'),
  derived(23, 'Refused: Bash rm -rf build – keep it', 'keep it'),
  issue(24, 'Solved.', { status: 'resolved', resolution: 'done' }),
  issue(25, 'No longer so.', { state: 'superseded' }),
  issue(26, 'Never was so.', { state: 'rejected' }),
  issue(27, 'A claim of a model.', { by: 'headless', unaudited: true }),
  derived(28, 'By the wording of 0.5.', 'x', { legacy: true }),
  issue(29, ' '),
]
const FACTS = factsWith(...OPEN, ...OTHER)

function withIssues(): TestProject {
  const project = quietProject()
  work(project, 0, 1)
  write(path.join(project.memory, 'facts.json'), formatItems(FACTS))
  return project
}

describe('an open issue', () => {
  it('is written by a model or a person, or pinned: what structure derived is none', () => {
    expect(openIssues(FACTS)).toEqual(OPEN)
  })

  it('is counted alike by every door', async () => {
    const project = withIssues()
    const store = storeOf(project)
    const dashboard = await open(project)
    const today = await get<TodayView>(dashboard, '/api/today')
    const { facts } = await get<KnowledgeView>(dashboard, '/api/knowledge')
    const asked = { startDir: project.root, around: project.around, now, embedderKey: '', fetch }
    const { text } = await openTools({ ...asked, build: async () => undefined }).status()
    const { sign } = begin(project, sessionId(2), 'startup', { now: () => LATER })
    const told = issueLines(FACTS, () => false).filter(({ reason }) => reason.startsWith('open issue'))

    expect({
      start: Number(/ · (\d+) open/.exec(sign)?.[1]),
      status: statusOf(store, LATER).facts.openIssues,
      today: today.openIssues,
      page: facts.filter(({ isOpen }) => isOpen).length,
      mcp: Number(/; (\d+) open/.exec(text)?.[1]),
      briefing: told.length,
      list: (jsonOf(project, 'facts list --status open').facts as unknown[]).length,
    }).toEqual({ start: 5, status: 5, today: 5, page: 5, mcp: 5, briefing: 5, list: 5 })
  })
})
