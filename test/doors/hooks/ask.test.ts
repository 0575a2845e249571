/** The user is asked for a yes: one line, one proposal at a start, each of them once, and only where somebody sits. */

import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatItems } from '../../../src/core/knowledge/facts-file.ts'
import type { PermanentItem } from '../../../src/core/knowledge/item.ts'
import { NO_ITEMS } from '../../../src/core/knowledge/items.ts'
import { renderQuestion } from '../../../src/core/knowledge/permanent-question.ts'
import { askForYes } from '../../../src/doors/hooks/notices.ts'
import { itemsOf, listed } from '../../support/fact.ts'
import { factsIn } from '../../support/learned.ts'
import { quietProject, sessionId, storeOf, type TestProject, write } from '../../support/project.ts'
import { remember } from '../../support/remembered.ts'
import { begin, work } from '../../support/world.ts'

const NOW = '2026-02-01T12:00:00.000Z'

function item(id: string, text: string, more: Partial<PermanentItem> = {}): PermanentItem {
  const evidence = [1, 2, 3].map((n) => ({ session: `5e55000${n}`, entry: n, quote: text }))
  return {
    id,
    kind: 'rules',
    text,
    at: NOW,
    state: 'proposed',
    by: 'code',
    facts: [],
    evidence,
    concept: null,
    usedAt: NOW,
    ...more,
  }
}

const waiting = (...rules: PermanentItem[]): TestProject => remember({ facts: itemsOf({ permanent: { rules } }) })
const ask = (project: TestProject, source = 'startup', isAttended = true): string[] =>
  askForYes(storeOf(project), { source, isAttended, way: 'extractive', now: NOW })

describe('what waits, in the line at a start', () => {
  it('is a number with the question behind it once, and then the number', () => {
    const project = quietProject()
    work(project, 0, 1)
    const rules = [item('r001', 'Use pnpm, not npm.')]
    write(path.join(project.memory, 'facts.json'), formatItems(itemsOf({ ...listed(NO_ITEMS), permanent: { rules } })))
    const first = begin(project, sessionId(2), 'startup', { now: () => NOW }).sign
    const next = begin(project, sessionId(3), 'startup', { now: () => NOW }).sign

    expect(first).toMatch(
      /^Memory Keeper: 1 session · (?:.* · )?1 rule to accept: three sessions agree on "Use pnpm, not npm".*accept r001.*$/,
    )
    expect(next).toMatch(/^Memory Keeper: 1 session · (?:.* · )?1 rule to accept$/)
  })
})

describe('asking', () => {
  it('is one line that says what, why, and how to answer', () => {
    expect(ask(waiting(item('r001', 'Use pnpm, not npm.')))).toEqual([
      'three sessions agree on "Use pnpm, not npm". Make it a rule? To answer, type: /memory-keeper:run rules accept r001 (or /memory-keeper:run reject r001)',
    ])
  })

  it('names one at a start, each once, and nothing that is judged', () => {
    const project = waiting(
      item('r001', 'Use pnpm.'),
      item('r002', 'Keep dates in UTC.'),
      item('r003', 'Write tests.', { state: 'active' }),
      item('r004', 'Skip tests.', { state: 'declined' }),
    )

    expect(ask(project)[0]).toContain('r001')
    expect(ask(project)[0]).toContain('r002')
    expect(ask(project)).toEqual([])
    expect(listed(factsIn(project)).permanent.rules.map(({ askedAt }) => askedAt)).toEqual([
      NOW,
      NOW,
      undefined,
      undefined,
    ])
  })

  it('waits for the verdict of a model where one judges, but not for ever', () => {
    const project = waiting(item('r001', 'Use pnpm.'))
    const askIn = (now: string): string[] =>
      askForYes(storeOf(project), { source: 'startup', isAttended: true, way: 'headless', now })

    expect(askIn('2026-02-01T20:00:00.000Z')).toEqual([])
    expect(askIn('2026-02-03T12:00:00.000Z')).toHaveLength(1)
    const judged = { by: 'agent' as const, at: NOW, why: 'it recurs', other: null }
    const other = waiting(item('r001', 'Use pnpm.', { judged }))
    expect(askForYes(storeOf(other), { source: 'startup', isAttended: true, way: 'agent', now: NOW })).toHaveLength(1)
  })

  it('is for a person who begins a session, not in the middle of one', () => {
    const project = waiting(item('r001', 'Use pnpm.'))

    expect([ask(project, 'startup', false), ask(project, 'compact')]).toEqual([[], []])
    expect(ask(project, 'resume')).toHaveLength(1)
  })

  it('waits while somebody else writes', () => {
    const project = waiting(item('r001', 'Use pnpm.'))
    const busy = storeOf(project).whileLocked(1_000, () => ask(project))

    expect(busy?.value).toEqual([])
    expect(ask(project)).toHaveLength(1)
  })

  it('says who proposes it, and fits on a line whatever the text', () => {
    const long = item('r001', `Never "${'x '.repeat(300)}\n\u001b[31m<system-reminder>`, { by: 'agent', evidence: [] })
    const line = renderQuestion({ ...long, kind: 'core_logic' })

    expect(line).toMatch(/^Claude proposes /)
    expect(line).not.toMatch(/[\n\u001b]|<system/)
    expect(line.length).toBeLessThan(320)
  })
})
