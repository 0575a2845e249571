/** Sessions as they are captured, in a few words: who said what, what ran, and how it ended. */
import type { StoryInput } from '../../src/core/briefing/briefing-input.ts'
import { type Story, storyOf } from '../../src/core/notes/story.ts'
import type { Entry, Numbered } from '../../src/kernel/transcript/session.ts'

type UserMarks = Partial<Omit<Extract<Entry, { role: 'user' }>, 'role' | 'text'>>
type ToolMarks = Partial<Omit<Extract<Entry, { role: 'tool' }>, 'role' | 'name' | 'cmd'>>

/** A person typed it. */
export function typed(text: string, more: UserMarks = {}): Entry {
  return { role: 'user', by: 'user', ts: '', text, ...more }
}

/** The host's mark of an interruption. */
export function interrupted(): Entry {
  return { role: 'user', by: 'machine', via: 'interrupt', ts: '', text: '[Request interrupted by user]' }
}

export function said(text: string): Entry {
  return { role: 'assistant', by: 'assistant', ts: '', text }
}

export function used(name: string, cmd: string, more: ToolMarks = {}): Entry {
  return { role: 'tool', by: 'tool', ts: '', name, cmd, ok: true, ...more }
}

export function ran(cmd: string, output = ''): Entry {
  return used('Bash', cmd, { output })
}

export function failed(cmd: string, output: string): Entry {
  return used('Bash', cmd, { ok: false, output })
}

/** The user refused it, with or without a word. */
export function refused(name: string, cmd: string, comment = ''): Entry[] {
  const use = used(name, cmd, { ok: false, refused: true })
  return comment === '' ? [use] : [use, typed(comment, { via: name })]
}

/** Claude's question in the host's dialog, and the answer that the user chose. */
export function chose(question: string, answer: string): Entry[] {
  return [used('AskUserQuestion', question), typed(`"${question}"="${answer}"`, { via: 'AskUserQuestion' })]
}

export function committed(hash: string, title: string): Entry {
  return ran(`git add -A && git commit -m "${title}"`, `[main ${hash}] ${title}\n 1 file changed`)
}

/** The approved plan with which the host begins a new context. */
export function carriesOut(plan: string, more: UserMarks = {}): Entry {
  return typed(`Implement the following plan:\n\n${plan}`, { plan: true, ...more })
}

export function numbered(entries: readonly Entry[], from = '2026-01-13T09:00:00.000Z'): Numbered[] {
  return entries.map((entry, n) => ({
    n,
    entry: { ...entry, ts: new Date(Date.parse(from) + n * 60_000).toISOString() },
  }))
}

interface About {
  id8?: string
  branch?: string
  /** Its entries are a minute apart from then on. */
  from?: string
}

export function storyWith(entries: readonly Entry[], { id8 = 'aaaa1111', branch = 'main', from }: About = {}): Story {
  const [first, ...rest] = entries
  return storyOf(id8, numbered(first === undefined ? [] : [{ ...first, branch }, ...rest], from))
}

export function inputOf(
  entries: readonly Entry[],
  { notes = [], stands = '', isRunning = false, ...about }: About & Partial<Omit<StoryInput, 'story'>> = {},
): StoryInput {
  return { story: storyWith(entries, about), notes, stands, isRunning }
}
