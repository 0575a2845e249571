/** What was just done, with the way back where there is one. */
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { askAgain, askToAct } from './ask.ts'
import { currentRoute, type Route, useRoute } from './route.ts'
import { createSource, useSource } from './source.ts'

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

export function toast(lines: readonly string[], more: Partial<Omit<Told, 'at'>> = {}): void {
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
