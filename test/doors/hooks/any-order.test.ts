/** Events in any order, of several sessions, with any settings: nothing fails, and in the end everything is told once. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { allSessions } from '../../../src/kernel/memory/state.ts'
import { allNotesOf } from '../../support/notes.ts'
import {
  append,
  fastDir,
  linesFor,
  quietProject,
  readStateIn,
  sessionId,
  type TestProject,
  turns,
} from '../../support/project.ts'
import { finishHere, type Hooked, hookHere, LATER } from '../../support/world.ts'

/** Before everything that happens: none of it is old history when notes begin. */
const EARLY = { now: () => '2026-01-13T08:59:00.000Z' }
/** Up to 18 events each. More by hand: RUNS=2000 npx vitest run test/doors/hooks/any-order.test.ts */
const RUNS = Number(process.env.RUNS ?? 20)
const SESSIONS = [1, 2].map(sessionId)

type Step =
  | { do: 'work'; who: number; turns: number }
  | { do: 'event'; who: number; payload: { hook_event_name: string; [field: string]: unknown }; isAttended: boolean }
  | { do: 'finish'; who: number; for: 'end' | 'catch-up' }

const payload = fc.constantFrom(
  { hook_event_name: 'SessionStart', source: 'startup' },
  { hook_event_name: 'SessionStart', source: 'resume' },
  { hook_event_name: 'SessionStart', source: 'compact' },
  { hook_event_name: 'UserPromptSubmit', prompt: 'go on' },
  { hook_event_name: 'UserPromptSubmit', prompt: 'go on', permission_mode: 'plan' },
  { hook_event_name: 'UserPromptSubmit', prompt: '<task-notification>done</task-notification>' },
  { hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: 'answer 0' },
  { hook_event_name: 'Stop', stop_hook_active: true },
  { hook_event_name: 'PreCompact', trigger: 'auto' },
  { hook_event_name: 'SessionEnd', reason: 'other' },
  { hook_event_name: 'SubagentStop', agent_id: 'a1' },
)
const who = fc.nat(1)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('work' as const), who, turns: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('event' as const), who, payload, isAttended: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('finish' as const),
      who,
      for: fc.constantFrom('end' as const, 'catch-up' as const),
    }),
  },
)
const settings = fc.record({
  summarizer: fc.constantFrom('auto', 'agent', 'extractive'),
  enforcement: fc.constantFrom('off', 'remind', 'stop', 'block'),
  saveInterval: fc.integer({ min: 1, max: 5 }),
  quietStop: fc.boolean(),
  rules: fc.boolean(),
  rulesInjectionFrequency: fc.integer({ min: 1, max: 3 }),
  firstRunMaxEntries: fc.constant(1000),
})

it('a hook in any order of events never fails, says what it may, asks once per cut, and tells every entry once in the end', async () => {
  await fc.assert(
    fc.asyncProperty(settings, fc.array(step, { minLength: 3, maxLength: 18 }), async (chosen, steps) => {
      const project = quietProject(chosen, fastDir())
      const written = [0, 0]
      const said: Hooked[] = []
      for (const each of steps) await take(project, each, written, said)
      const cuts = fs.existsSync(path.join(project.memory, 'memory-index.json')) ? readStateIn(project.memory).cuts : 0
      await settle(project)

      expect(logsOf(project)).toBe('')
      expect(said.flatMap((each) => wrongIn(each, chosen))).toEqual([])
      const asked = said.filter(({ context }) => context.includes('[MEMORY_KEEPER_DELTA]'))
      expect(asked.length).toBeLessThanOrEqual(
        Math.max(1, cuts) + steps.length * Number(chosen.enforcement !== 'remind'),
      )
      expect(untold(project)).toEqual([])
      fs.rmSync(project.base, { recursive: true, force: true })
    }),
    { numRuns: RUNS },
  )
})

async function take(project: TestProject, each: Step, written: number[], said: Hooked[]): Promise<void> {
  const session = SESSIONS[each.who] ?? ''
  const from = written[each.who] ?? 0
  switch (each.do) {
    case 'work':
      append(project.transcriptOf(session), turns(linesFor(session, project.root), from, from + each.turns))
      written[each.who] = from + each.turns
      return
    case 'event':
      said.push(hookHere(project, { ...each.payload, session_id: session }, { ...EARLY, isAttended: each.isAttended }))
      return
    case 'finish':
      await finishHere(project, each.for === 'end' ? { for: 'end', session } : { for: 'catch-up' }, EARLY)
  }
}

/** All sessions are over, and the next one begins: whoever did not do his work, code does it. */
async function settle(project: TestProject): Promise<void> {
  const late = { now: () => LATER, isAlive: () => false }
  for (let n = 0; n < 2; n++) {
    await finishHere(project, { for: 'catch-up' }, late)
    hookHere(
      project,
      { hook_event_name: 'SessionStart', session_id: sessionId(9), source: 'startup' },
      { ...late, isAttended: false },
    )
  }
}

function logsOf(project: TestProject): string {
  return [project.memory, project.keeper, project.places.atHome]
    .map((dir) => path.join(dir, 'logs', 'memory-keeper.log'))
    .filter((file) => fs.existsSync(file))
    .map((file) => fs.readFileSync(file, 'utf8'))
    .join('')
}

function wrongIn({ out }: Hooked, chosen: { enforcement: string; rules: boolean }): string[] {
  if (out === '') return []
  // Guidance for a compaction is the only plain text.
  if (!out.startsWith('{')) return out.length < 2000 && out.startsWith('Keep file paths') ? [] : [`plain: ${out}`]
  const { decision, hookSpecificOutput } = JSON.parse(out)
  const context: string = hookSpecificOutput?.additionalContext ?? ''
  return [
    ...(decision !== undefined && chosen.enforcement !== 'block' ? [`blocked: ${out}`] : []),
    ...(context.includes('rules for this project') && !chosen.rules ? [`rules: ${out}`] : []),
    ...(context.length > 9_900 ? [`long: ${context.length}`] : []),
  ]
}

/** Entries that no note tells, or several. */
function untold(project: TestProject): string[] {
  if (!fs.existsSync(path.join(project.memory, 'memory-index.json'))) return []
  const notes = allNotesOf(project)
  return allSessions(readStateIn(project.memory)).flatMap(([id, session]) => {
    const own = notes.filter((note) => note.session === id.slice(0, 8))
    const times = Array.from(
      { length: session.entries },
      (_, n) => own.filter(({ from, to }) => from <= n && n < to).length,
    )
    return times.flatMap((count, n) => (count === 1 ? [] : [`${id}#${n} is told ${count} times`]))
  })
}
