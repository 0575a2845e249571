/** What a person may change here, each as a question before it is done: what happens exactly, and whether it can be undone. */
import type { Action, NoteItem } from '../dashboard/api.ts'
import { createSource } from './source.ts'

export interface ActQuestion {
  title: string
  /** The button that does it. */
  verb: string
  /** What will happen, in a sentence. */
  explains: string
  /** What it is about, word for word. */
  subject: string
  field?: { label: string; value: string; isRequired: boolean; rows: number }
  /** Answered by the server before anything is done. */
  preview?: Action
  isFinal?: boolean
  actionOf: (text: string) => Action
  /** Called afterwards, where what is shown is deleted. */
  done?: (() => void) | undefined
}

export const question = createSource<ActQuestion | null>(null)

export function askForget(id: string, subject: string, done?: () => void): void {
  question.set({
    title: `Forget ${id}?`,
    verb: 'Forget for good',
    explains: 'It is removed from every layer, the search index, the copies and the backups. This cannot be undone.',
    subject: subject.slice(0, 600),
    preview: { do: 'forget', id, dryRun: true },
    isFinal: true,
    actionOf: () => ({ do: 'forget', id, dryRun: false }),
    done,
  })
}

export function askEditNote({ id, text, file }: NoteItem): void {
  question.set({
    title: 'Edit this note',
    verb: 'Save',
    explains: `The note ${id} in ${file} is replaced by your words. What it tells of stays in its session.`,
    subject: '',
    field: { label: 'Note', value: text, isRequired: true, rows: 12 },
    actionOf: (next) => ({ do: 'edit-note', id, text: next }),
  })
}

/** The verb, what it does, and the field that goes with it. */
const ACTS = {
  resolve: ['Resolve', 'The issue counts as resolved and is no longer told as open.', 'What resolved it (optional)'],
  reopen: ['Reopen', 'The issue counts as open again and is told to Claude as such.'],
  reject: [
    'Reject',
    'It is not true, or not worth remembering: it is no longer told to Claude, and does not come back by itself.',
    'Why (optional)',
  ],
  restore: ['Restore', 'It holds again and may be told to Claude.'],
  pin: ['Pin', 'It is told first in every briefing from the next session on.'],
  unpin: ['Unpin', 'It is told only where it matters, like every other fact.'],
  accept: ['Accept', 'It is injected from the next session on, until you retire it.'],
  decline: ['Decline', 'It is not proposed again.'],
} as const satisfies Partial<Record<Action['do'], readonly [verb: string, explains: string, label?: string]>>

/** About a fact or a rule. */
export function askAct(what: keyof typeof ACTS, { id, text }: { id: string; text: string }): void {
  const [verb, explains, label]: readonly [string, string, string?] = ACTS[what]
  question.set({
    title: what === 'accept' ? `Make ${id} active?` : `${verb} ${id}?`,
    verb,
    explains,
    subject: text,
    ...(label === undefined ? {} : { field: { label, value: '', isRequired: false, rows: 2 } }),
    actionOf: (typed) => {
      if (what === 'resolve') return { do: what, id, resolution: typed }
      return what === 'reject' ? { do: what, id, why: typed } : { do: what, id }
    },
  })
}
