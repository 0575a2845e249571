/** The question before a change, in a dialog: Esc and Cancel change nothing. */
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Acted, Action, FactItem, NoteItem } from '../server/api.ts'
import { type AskedAnswer, askAgain, askToAct } from './ask.ts'
import { currentRoute, type Route, useRoute } from './route.ts'
import { createSource, useSource } from './source.ts'

export function Confirm(): JSX.Element | null {
  const asked = useSource(question)
  return asked === null ? null : <ConfirmDialog key={asked.title} asked={asked} />
}

function ConfirmDialog({ asked }: { asked: ActQuestion }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  const [texts, setTexts] = useState(asked.fields?.map(({ value }) => value) ?? [])
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const preview = usePreview(asked)

  useEffect(() => dialog.current?.showModal(), [])
  const close = (): void => dialog.current?.close()
  const isReady = !isBusy && (asked.preview === undefined || preview?.is === 'here') && isFilled(asked, texts)

  const perform = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (!isReady) return
    setBusy(true)
    const answer = await askToAct(asked.actionOf(...texts.map((text) => text.trim())))
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
        {asked.subject ? (
          <blockquote class="subject" dir="auto">
            {asked.subject}
          </blockquote>
        ) : null}
        <p>{asked.explains}</p>
        <Preview answer={preview} isAsked={asked.preview !== undefined} />
        {asked.fields?.map(({ label, rows }, i) => (
          <label class="field is-tall" key={label}>
            <span>{label}</span>
            <textarea
              dir="auto"
              rows={rows}
              value={texts[i]}
              onInput={({ currentTarget }) => setTexts(texts.with(i, currentTarget.value))}
            />
          </label>
        ))}
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

/** Whether required fields have text, and at least one differs from the text before. */
function isFilled({ fields = [] }: ActQuestion, texts: readonly string[]): boolean {
  const isThere = fields.every(({ isRequired }, i) => !isRequired || texts[i]?.trim() !== '')
  return isThere && (!fields.some(({ isRequired }) => isRequired) || fields.some(({ value }, i) => texts[i] !== value))
}

function usePreview(asked: ActQuestion): AskedAnswer<Acted> | null {
  const [answer, setAnswer] = useState<AskedAnswer<Acted> | null>(null)
  useEffect(() => {
    if (asked.preview !== undefined) askToAct(asked.preview).then(setAnswer, () => undefined)
  }, [asked])
  return answer
}

/** The server's list of what would be deleted. */
function Preview({ answer, isAsked }: { answer: AskedAnswer<Acted> | null; isAsked: boolean }): JSX.Element | null {
  if (!isAsked) return null
  if (answer === null) return <p class="muted">Looking up what would be deleted…</p>
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

/** The changes that a person can make here, each with a question that explains the effect and whether it can be undone. */

export interface ActQuestion {
  title: string
  /** The button that does it. */
  verb: string
  /** What will happen, in a sentence. */
  explains: string
  /** The full text of the item. */
  subject?: string
  fields?: { label: string; value: string; isRequired: boolean; rows: number }[]
  /** Requested from the server before anything is done. */
  preview?: Action
  isFinal?: boolean
  /** The request, made of the texts in the fields. */
  actionOf: (...texts: string[]) => Action
  /** Called afterwards, if the shown item was deleted. */
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

type Field = NonNullable<ActQuestion['fields']>[number]

const required = (label: string, value: string, rows: number): Field => ({ label, value, isRequired: true, rows })
const optional = (label: string, value: string): Field => ({ label, value, isRequired: false, rows: 2 })

function askEdit(title: string, explains: string, fields: Field[], actionOf: ActQuestion['actionOf']): void {
  question.set({ title, verb: 'Save', explains, fields, actionOf })
}

export function askEditNote({ id, text: before, file }: NoteItem): void {
  const explains = `The note ${id} in ${file} is replaced by your words. The entries it is about stay in their session.`
  askEdit('Edit this note', explains, [required('Note', before, 12)], (text = '') => ({ do: 'edit-note', id, text }))
}

export function askEditFact({ id, kind, text: before, reason: why }: FactItem): void {
  const explains = `The ${kind} is replaced by your words. Its evidence stays.`
  const fields = [required('Text', before, 4), optional('Because (optional)', why ?? '')]
  askEdit(`Edit ${id}`, explains, fields, (text = '', reason = '') => ({ do: 'edit-fact', id, text, reason }))
}

/** A rule of rules.md. */
export function askEditRule(rule: string): void {
  const explains = 'It is changed in rules.md, and injected with every prompt from the next one on.'
  askEdit('Edit this rule', explains, [required('Rule', rule, 3)], (text = '') => ({ do: 'edit-rule', rule, text }))
}

/** A learned rule, which is active in these words afterwards. */
export function askEditLearned({ id, text: before }: { id: string; text: string }): void {
  const explains =
    'It becomes active in your words: a rule from the next prompt on, anything else from the next session on.'
  askEdit(`Edit ${id}`, explains, [required('Rule', before, 3)], (text = '') => ({ do: 'accept', id, text }))
}

/** The verb, its effect, and the field that belongs to it. */
const ACTS = {
  resolve: [
    'Resolve',
    'The issue counts as resolved and is no longer injected as open.',
    'What resolved it (optional)',
  ],
  reopen: ['Reopen', 'The issue counts as open again and is injected as such.'],
  reject: [
    'Reject',
    'It is not true, or not worth remembering: it is no longer injected, and does not come back by itself.',
    'Why (optional)',
  ],
  restore: ['Restore', 'It is valid again and may be injected.'],
  pin: ['Pin', 'It is injected first, with every briefing from the next session on.'],
  unpin: ['Unpin', 'It is injected only where it matters, like every other fact.'],
  accept: [
    'Accept',
    'A rule is injected from the next prompt on, anything else from the next session on, until you retire it.',
  ],
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
    ...(label === undefined ? {} : { fields: [optional(label, '')] }),
    actionOf: (typed = '') => {
      if (what === 'resolve') return { do: what, id, resolution: typed }
      return what === 'reject' ? { do: what, id, why: typed } : { do: what, id }
    },
  })
}

/** What was just done, with an undo button if possible. */

interface ShownToast {
  lines: readonly string[]
  canUndo: boolean
  isFailure: boolean
  /** The route on which it was shown. */
  at: Route
}

/** Long enough to read it and to reach the button by keyboard. */
const SHOWN_MS = 12_000
const MOST_LINES = 3

const shownToast = createSource<ShownToast | null>(null)

function toast(lines: readonly string[], more: Partial<Omit<ShownToast, 'at'>> = {}): void {
  shownToast.set({ lines, canUndo: false, isFailure: false, ...more, at: currentRoute() })
}

export function Toast(): JSX.Element {
  const last = useSource(shownToast)
  const route = useRoute()
  // On another route, only a message with an undo button is still shown.
  const now = last !== null && (last.canUndo || last.at === route) ? last : null
  useEffect(() => {
    if (now === null || now.isFailure) return
    const timer = setTimeout(() => shownToast.set(null), SHOWN_MS)
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
          <button type="button" class="quiet" aria-label="Close" onClick={() => shownToast.set(null)}>
            ×
          </button>
        </div>
      )}
    </div>
  )
}

export async function undo(): Promise<void> {
  const answer = await askToAct({ do: 'undo' })
  if (answer.is === 'here') toast(answer.value.said.length > 0 ? answer.value.said : ['Undone.'])
  else if (answer.is === 'failed') toast([answer.message], { isFailure: true })
  askAgain()
}
