/** A project as it is after some weeks of work, lived through by the real hooks and the real finisher, without a model. */
import fs from 'node:fs'
import path from 'node:path'
import { readFacts, writeFacts } from '../../../../../src/core/knowledge/disk/knowledge.ts'
import { itemsOf, listed } from '../../../../support/fact.ts'
import {
  agentPath,
  linesFor,
  makeProject,
  setAtHome,
  storeOf,
  type TestProject,
  write,
} from '../../../../support/project.ts'
import { finishHere, hookHere } from '../../../../support/world.ts'
import { SESSIONS, type Told, type TurnTold } from './sessions.ts'

/** The newest session begins here; the page's own clock is told the same day. */
const TODAY = '2026-11-16'

export const SAMPLE_NOW = `${TODAY}T12:00:00.000Z`

export async function liveThrough(
  sessions: readonly Told[] = SESSIONS,
  settings: object = {},
  project = makeProject('orchard'),
): Promise<TestProject> {
  setAtHome(project, { summarizer: 'extractive', rotationThresholdTokens: 2500, carryoverTokens: 500, ...settings })
  for (const [i, told] of sessions.entries()) await live(project, told, i + 1)
  write(path.join(project.memory, 'project.md'), PROJECT_PAGE)
  nameIssues(project)
  return project
}

/** Tasks that structure found are no open issues: the user has named them. */
function nameIssues(project: TestProject): void {
  const store = storeOf(project)
  const before = readFacts(store)
  const issues = listed(before).issues.map((issue) =>
    issue.status === 'open' ? { ...issue, by: 'user' as const } : issue,
  )
  if (issues.length > 0)
    store.whileLocked(1_000, () => writeFacts(store, before, itemsOf({ ...listed(before), issues }), SAMPLE_NOW))
}

const PROJECT_PAGE = `# Project

## Purpose

A shop for a fruit co-op: offers, orders, invoices.

## Conventions

- Amounts in whole cents, weights in grams.
- The failing test comes first.
`

/** First eight characters that look like any other session's. */
export function sampleId(n: number): string {
  const first = ((n * 2_654_435_761) % 0xffffffff).toString(16).padStart(8, '0')
  return `${first}-0000-4000-8000-000000000000`
}

async function live(project: TestProject, told: Told, n: number): Promise<void> {
  const session = sampleId(n)
  const began = Date.parse(`${TODAY}T00:00:00.000Z`) - told.daysAgo * 86_400_000 + told.hour * 3_600_000
  const written = transcriptOf(project, told, session, began)
  const at =
    (ms: number): (() => string) =>
    () =>
      new Date(began + ms).toISOString()
  const timed = (ms: number): { now: () => string; elapsedMs: () => number; isAlive: () => boolean } => {
    // CPU time: what else the machine does is not seen in the pictures.
    const from = process.cpuUsage()
    const elapsedMs = (): number => {
      const { user, system } = process.cpuUsage(from)
      return (user + system) / 1000
    }
    return { now: at(ms), elapsedMs, isAlive: () => false }
  }
  hookHere(project, { hook_event_name: 'SessionStart', session_id: session, source: 'startup' }, timed(0))
  let text = ''
  for (const turn of written.turns) {
    hookHere(project, { hook_event_name: 'UserPromptSubmit', session_id: session, prompt: turn.prompt }, timed(turn.at))
    text += turn.text
    write(project.transcriptOf(session), text)
    hookHere(project, { hook_event_name: 'Stop', session_id: session, stop_hook_active: false }, timed(turn.end))
  }
  hookHere(project, { hook_event_name: 'SessionEnd', session_id: session, reason: 'exit' }, timed(written.end))
  // As if the host had written it then: the doctor compares this with the last hook.
  const ended = new Date(began + written.end)
  fs.utimesSync(project.transcriptOf(session), ended, ended)
  await finishHere(project, { for: 'end', session }, { now: at(written.end + 1000), isAlive: () => false })
}

interface Turn {
  prompt: string
  at: number
  end: number
  text: string
}

const STEP_MS = 95_000

/** All of it as the host writes it, with the subagent's file beside it. */
function transcriptOf(
  project: TestProject,
  told: Told,
  session: string,
  began: number,
): { turns: Turn[]; end: number } {
  const lines = linesFor(session, project.root, {}, began - Number.parseInt(session.slice(0, 8), 16) * 1000)
  let at = 0
  let uses = 0
  const step = (): number => {
    at += STEP_MS
    return at
  }
  const tool = (name: string, input: object, output: string): string => {
    const id = `t${++uses}`
    const failed = output.startsWith('!')
    return lines.use(step(), id, name, input) + lines.result(step(), id, failed ? output.slice(1) : output, failed)
  }
  const file = (name: string): string => path.join(project.root, name)
  const work = ({ reads, edits, runs }: TurnTold): string =>
    [
      ...reads.map((name) => tool('Read', { file_path: file(name) }, '1\t…')),
      ...edits.map((name) =>
        tool('Edit', { file_path: file(name), old_string: 'a', new_string: 'b' }, 'The file has been updated.'),
      ),
      ...runs.map(([command, output]) => tool('Bash', { command }, output)),
    ].join('')
  /** What the answer calls decided was chosen in a dialog, and what it calls open is on the list of tasks. */
  const settled = ({ prompt, answer }: TurnTold): string => {
    const chosen = /We decided (?:to |against )([^,.]+)/.exec(answer)?.[1]
    const left = /(?:Still open|Known issue): ([^.]+)/.exec(answer)?.[1]
    const question = `${/^[^.:,;?]+/.exec(prompt)?.[0]}: which way?`.replaceAll('"', '')
    const answered = `User has answered your questions: "${question}"="${chosen}". You can now continue with the user's answers in mind.`
    return [
      chosen === undefined ? '' : tool('AskUserQuestion', { questions: [{ question }] }, answered),
      left === undefined ? '' : tool('TodoWrite', { todos: [{ content: left, status: 'pending' }] }, 'ok'),
    ].join('')
  }
  const turn = (one: TurnTold): Turn => {
    const from = at
    const text =
      lines.prompt(step(), one.prompt) +
      (one.agent === undefined ? '' : asked(one.agent)) +
      work(one) +
      settled(one) +
      lines.answer(step(), one.answer)
    return { prompt: one.prompt, at: from, end: at, text }
  }
  const asked = (agent: { asked: string; said: string }): string => {
    const own = linesFor(
      session,
      project.root,
      { isSidechain: true, agentId: 'a1b2c3d' },
      began - Number.parseInt(session.slice(0, 8), 16) * 1000,
    )
    write(
      agentPath(project.transcriptOf(session), 'a1b2c3d'),
      own.prompt(step(), agent.asked) + own.answer(step(), agent.said),
    )
    return tool('Task', { description: agent.asked, prompt: agent.asked, subagent_type: 'Explore' }, agent.said)
  }
  const turns = [turn(told), ...told.more.map(turn)]
  return { turns, end: at + STEP_MS }
}
