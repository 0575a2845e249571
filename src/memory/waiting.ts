/** The texts in a session's state: what it was about, where it stands, and what waits for its line in the transcript (started tools, queued prompts, an announced answer). */
import type { Cursor, SessionState } from './session-state.ts'

export interface WaitingChange {
  /** Null: it is dropped. `said`: what the entry will say; of a tool its name, too. */
  text: (text: string, said: string) => string | null
  /** The directory it was started in: the next line says it again. */
  base?: (base: string) => string
}

export function changeWaiting(session: SessionState, change: WaitingChange): SessionState {
  const agents = Object.entries(session.agents).map(([agent, cursor]) => [agent, changeCursor(cursor, change)])
  const changed = { ...changeCursor(session, change), agents: Object.fromEntries(agents) }
  return withEnd(withGoal(changed, change), change)
}

function withGoal(session: SessionState, change: WaitingChange): SessionState {
  const { goal, ...rest } = session
  const text = goal === undefined ? null : change.text(goal, goal)
  return goal === undefined ? session : text === null ? rest : { ...session, goal: text }
}

function withEnd(session: SessionState, change: WaitingChange): SessionState {
  const { stands, ...rest } = session
  const text = stands === undefined ? null : change.text(stands.text, stands.text)
  return stands === undefined ? session : text === null ? rest : { ...session, stands: { ...stands, text } }
}

function changeCursor<T extends Cursor>(cursor: T, change: WaitingChange): T {
  const { tools, queue, answer, base } = cursor.refine
  const changed = <One extends object>(one: One, text: string | null, name: 'cmd' | 'text'): One[] =>
    text === null ? [] : [{ ...one, [name]: text }]
  const started = Object.entries(tools).flatMap(([id, tool]) =>
    changed(tool, change.text(tool.cmd, `${tool.name} ${tool.cmd}`), 'cmd').map((one) => [id, one] as const),
  )
  const refine = {
    ...cursor.refine,
    base: change.base?.(base) ?? base,
    tools: Object.fromEntries(started),
    queue: queue.flatMap((prompt) => changed(prompt, change.text(prompt.text, prompt.text), 'text')),
    answer: answer === null ? null : (changed(answer, change.text(answer.text, answer.text), 'text')[0] ?? null),
  }
  return { ...cursor, refine }
}
