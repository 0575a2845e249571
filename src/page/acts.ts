/** What a person may change here, each as a question before it is done: what happens exactly, and whether it can be undone. */
import type { Action, FactItem, NoteItem, PermanentRow } from '../dashboard/api.ts'
import { createSource } from './source.ts'

export interface ActQuestion {
  title: string
  /** The button that does it. */
  verb: string
  /** What will happen, in sentences. */
  explains: readonly string[]
  /** What it is about, word for word. */
  subject: string
  field?: { label: string; value: string; isRequired: boolean; rows: number }
  /** Told by the server before anything is done. */
  preview?: Action
  isFinal?: boolean
  actionOf: (text: string) => Action
  /** Afterwards, where what is shown is gone. */
  done?: () => void
}

export const question = createSource<ActQuestion | null>(null)

export function askForget(id: string, subject: string, done?: () => void): void {
  question.set({
    title: `Forget ${id}?`,
    verb: 'Forget for good',
    explains: ['It is removed from every layer, the search index, the copies and the backups. This cannot be undone.'],
    subject,
    preview: { do: 'forget', id, dryRun: true },
    isFinal: true,
    actionOf: () => ({ do: 'forget', id, dryRun: false }),
    ...(done === undefined ? {} : { done }),
  })
}

export function askEditNote({ id, text, file }: NoteItem): void {
  question.set({
    title: 'Edit this note',
    verb: 'Save',
    explains: [`The note ${id} in ${file} is replaced by your words. What it tells of stays in its session.`],
    subject: '',
    field: { label: 'Note', value: text, isRequired: true, rows: 12 },
    actionOf: (next) => ({ do: 'edit-note', id, text: next }),
  })
}

export function askResolve({ id, text }: FactItem): void {
  question.set({
    title: `Resolve ${id}?`,
    verb: 'Resolve',
    explains: ['The issue counts as resolved and is no longer told as open.'],
    subject: text,
    field: { label: 'What resolved it (optional)', value: '', isRequired: false, rows: 2 },
    actionOf: (resolution) => ({ do: 'resolve', id, resolution }),
  })
}

export function askReject({ id, text }: FactItem): void {
  question.set({
    title: `Reject ${id}?`,
    verb: 'Reject',
    explains: [
      'It is not true, or not worth remembering: it is no longer told to Claude, and does not come back by itself.',
    ],
    subject: text,
    field: { label: 'Why (optional)', value: '', isRequired: false, rows: 2 },
    actionOf: (why) => ({ do: 'reject', id, why }),
  })
}

type Plain = 'reopen' | 'restore' | 'pin' | 'unpin'

const PLAIN: Record<Plain, { title: string; verb: string; explains: string }> = {
  reopen: {
    title: 'Reopen',
    verb: 'Reopen',
    explains: 'The issue counts as open again and is told to Claude as such.',
  },
  restore: { title: 'Restore', verb: 'Restore', explains: 'It holds again and may be told to Claude.' },
  pin: { title: 'Pin', verb: 'Pin', explains: 'It is told first in every briefing from the next session on.' },
  unpin: { title: 'Unpin', verb: 'Unpin', explains: 'It is told only where it matters, like every other fact.' },
}

export function askPlain(what: Plain, { id, text }: FactItem): void {
  const { title, verb, explains } = PLAIN[what]
  question.set({
    title: `${title} ${id}?`,
    verb,
    explains: [explains],
    subject: text,
    actionOf: () => ({ do: what, id }),
  })
}

export function askRule(what: 'accept' | 'decline', { id, text }: PermanentRow): void {
  const isYes = what === 'accept'
  question.set({
    title: isYes ? `Make ${id} active?` : `Decline ${id}?`,
    verb: isYes ? 'Accept' : 'Decline',
    explains: [isYes ? 'It is injected from the next session on, until you retire it.' : 'It is not proposed again.'],
    subject: text,
    actionOf: () => ({ do: what, id }),
  })
}
