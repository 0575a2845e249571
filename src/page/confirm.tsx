/** The question before a change, in a dialog: Esc and Cancel leave everything as it is. */
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Acted, Action, NoteItem } from '../dashboard/api.ts'
import { type AskedAnswer, askAgain, askToAct } from './ask.ts'
import { currentRoute, type Route, useRoute } from './route.ts'
import { createSource, useSource } from './source.ts'

export function Confirm(): JSX.Element | null {
  const asked = useSource(question)
  return asked === null ? null : <ConfirmDialog key={asked.title} asked={asked} />
}

function ConfirmDialog({ asked }: { asked: ActQuestion }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState(asked.field?.value ?? '')
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const preview = usePreview(asked)

  useEffect(() => dialog.current?.showModal(), [])
  const close = (): void => dialog.current?.close()
  const isReady = !isBusy && (asked.preview === undefined || preview?.is === 'here') && isFilled(asked, text)

  const perform = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (!isReady) return
    setBusy(true)
    const answer = await askToAct(asked.actionOf(text.trim()))
    setBusy(false)
    if (answer.is === 'failed') return setProblem(answer.message)
    close()
    asked.done?.()
    toast(answer.is === 'here' ? answer.value.said : [], { canUndo: asked.isFinal !== true })
    askAgain()
  }

  return (
    <dialog ref={dialog} class="confirm" aria-labelledby="confirm-title" onClose={() => question.set(null)}>
      <form onSubmit={perform}>
        <h2 id="confirm-title">{asked.title}</h2>
        {asked.subject === '' ? null : (
          <blockquote class="subject" dir="auto">
            {asked.subject}
          </blockquote>
        )}
        <p>{asked.explains}</p>
        <Preview answer={preview} isAsked={asked.preview !== undefined} />
        {asked.field === undefined ? null : (
          <label class="field is-tall">
            <span>{asked.field.label}</span>
            <textarea
              dir="auto"
              rows={asked.field.rows}
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          </label>
        )}
        {problem === '' ? null : (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <footer>
          <span class="muted">{asked.isFinal ? 'This cannot be undone.' : 'You can undo this.'}</span>
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class={asked.isFinal ? 'danger' : 'primary'} disabled={!isReady}>
            {asked.verb}
          </button>
        </footer>
      </form>
    </dialog>
  )
}

function isFilled({ field }: ActQuestion, text: string): boolean {
  if (field === undefined || !field.isRequired) return true
  return text.trim() !== '' && text !== field.value
}

function usePreview(asked: ActQuestion): AskedAnswer<Acted> | null {
  const [answer, setAnswer] = useState<AskedAnswer<Acted> | null>(null)
  useEffect(() => {
    if (asked.preview !== undefined) askToAct(asked.preview).then(setAnswer, () => undefined)
  }, [asked])
  return answer
}

/** What would be done, as the server says it: the list of what goes. */
function Preview({ answer, isAsked }: { answer: AskedAnswer<Acted> | null; isAsked: boolean }): JSX.Element | null {
  if (!isAsked) return null
  if (answer === null) return <p class="muted">Looking what goes…</p>
  if (answer.is !== 'here') return <p class="problem">{answer.is === 'failed' ? answer.message : ''}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section class="preview" tabIndex={0} aria-label="What goes">
      <ul>
        {answer.value.said.map((line, i) => (
          <li key={i} dir="auto">
            {line}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What a person may change here, each as a question before it is done: what happens exactly, and whether it can be undone. */

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

const question = createSource<ActQuestion | null>(null)

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

/** What was just done, with the way back where there is one. */

interface Told {
  lines: readonly string[]
  canUndo: boolean
  isFailure: boolean
  /** Where it was told. */
  at: Route
}

/** Long enough to read it and to reach the button by keyboard. */
const SHOWN_MS = 12_000
const MOST_LINES = 3

const told = createSource<Told | null>(null)

function toast(lines: readonly string[], more: Partial<Omit<Told, 'at'>> = {}): void {
  told.set({ lines, canUndo: false, isFailure: false, ...more, at: currentRoute() })
}

export function Toast(): JSX.Element {
  const last = useSource(told)
  const route = useRoute()
  // Elsewhere only the way back is still worth its room.
  const now = last !== null && (last.canUndo || last.at === route) ? last : null
  useEffect(() => {
    if (now === null || now.isFailure) return
    const timer = setTimeout(() => told.set(null), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [now])

  return (
    <div class="toast-place" role="status">
      {now === null ? null : (
        <div class={now.isFailure ? 'toast is-failure' : 'toast'}>
          <div class="toast-text">
            {now.lines.slice(0, MOST_LINES).map((line, i) => (
              <p key={i} dir="auto">
                {line}
              </p>
            ))}
            {now.lines.length > MOST_LINES ? <p>… and {now.lines.length - MOST_LINES} more</p> : null}
          </div>
          {now.canUndo ? (
            <button type="button" onClick={undo}>
              Undo
            </button>
          ) : null}
          <button type="button" class="quiet" aria-label="Close" onClick={() => told.set(null)}>
            ×
          </button>
        </div>
      )}
    </div>
  )
}

async function undo(): Promise<void> {
  const answer = await askToAct({ do: 'undo' })
  if (answer.is === 'here') toast(answer.value.said.length > 0 ? answer.value.said : ['Undone.'])
  else if (answer.is === 'failed') toast([answer.message], { isFailure: true })
  askAgain()
}
