/** Claude's list of tasks as it stood at the end: lists of `TodoWrite`, or `TaskCreate` and `TaskUpdate` folded together. */

import type { TaskItem, TaskState } from '../transcript/session.ts'
import type { Numbered } from './numbered.ts'

export interface Task {
  text: string
  state: TaskState
  /** The entry that last named it. */
  n: number
}

/** Of an empty list the last one before it that had tasks. */
export function tasksIn(entries: readonly Numbered[]): Task[] {
  let written: Task[] = []
  const made = new Map<string, Task>()
  for (const { n, entry } of entries) {
    if (entry.role !== 'tool' || entry.items === undefined || entry.ok === false) continue
    if (entry.name === 'TodoWrite')
      written = entry.items.length === 0 ? written : entry.items.flatMap((one) => listed(one, n))
    else for (const item of entry.items) change(made, item, n)
  }
  return made.size > 0 ? [...made.values()].filter(({ state }) => state !== 'deleted') : written
}

export function isTaskOpen({ state }: Task): boolean {
  return state === 'pending' || state === 'in_progress'
}

function listed({ text, state }: TaskItem, n: number): Task[] {
  return text === undefined || text.trim() === '' ? [] : [{ text, state: state ?? 'pending', n }]
}

/** A task that was made before these entries has no text here and is left out. */
function change(made: Map<string, Task>, { id, text, state }: TaskItem, n: number): void {
  const key = id ?? `new ${made.size + 1}`
  const before = made.get(key)
  const known = text ?? before?.text
  if (known !== undefined) made.set(key, { text: known, state: state ?? before?.state ?? 'pending', n })
}
