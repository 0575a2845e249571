/** The question before a change, in a dialog: Esc and Cancel leave everything as it is. */
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Acted } from '../dashboard/api.ts'
import { type ActQuestion, question } from './acts.ts'
import { type AskedAnswer, askAgain, askToAct } from './ask.ts'
import { useSource } from './source.ts'
import { toast } from './toast.tsx'

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
