/** The keyboard shortcuts of the page, and the dialog that lists them. */
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { currentRoute, formatRoute, go, VIEWS } from './route.ts'
import { createSource, useSource } from './source.ts'

export const keysShown = createSource(false)

const KEYS: readonly (readonly [string, string])[] = [
  ['/', 'search'],
  ['1 – 7', 'overview, timeline, memory, knowledge, search, injected, health'],
  ['↑ ↓', 'walk through a list; Enter opens, Home and End jump'],
  ['← →', 'read the points of a chart'],
  ['Esc', 'close a dialog, leave a field'],
  ['?', 'this list'],
]

export function useKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      if (isStartOfSearch(event)) return event.preventDefault()
      if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return leaveField(event)
      const view = VIEWS[Number(event.key) - 1]
      if (event.key === '/') focusSearch()
      else if (event.key === '?') keysShown.set(true)
      else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        if (!enterList()) return
      } else if (view !== undefined) go(formatRoute(view))
      else return
      event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

function leaveField(event: KeyboardEvent): void {
  if (event.key === 'Escape' && event.target instanceof HTMLInputElement) event.target.blur()
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}

/** The search field is already focused: the shortcut key is not a search term. */
function isStartOfSearch({ key, target }: KeyboardEvent): boolean {
  return key === '/' && target instanceof HTMLInputElement && target.id === 'search-words' && target.value === ''
}

const LISTS = ['.stands a', '.window-rows [tabindex="0"]', '.facts .fact-head', '.hits .hit', '.scroll-pane']

/** After a shortcut opened a view nothing in it is focused yet: arrow keys enter its list. False: something else is focused. */
function enterList(): boolean {
  const { activeElement, body } = document
  const isNowhere = activeElement === null || activeElement === body || activeElement.matches('main, .views a')
  const first = LISTS.map((list) => document.querySelector<HTMLElement>(list)).find((one) => one !== null)
  if (!isNowhere || first === undefined) return false
  first?.focus()
  return true
}

function focusSearch(): void {
  if (currentRoute().view !== 'search') go(formatRoute('search'))
  // The view focuses its field itself when it is drawn.
  const field = document.getElementById('search-words')
  if (field instanceof HTMLInputElement) field.select()
}

/** The row that a key leads to in a list of `n` rows; `steps`: how far each key moves. Null: not such a key. */
export function stepOf(key: string, at: number, n: number, steps: Readonly<Record<string, number>>): number | null {
  if (key === 'Home') return 0
  const to = key === 'End' ? n - 1 : at + (steps[key] ?? Number.NaN)
  return Number.isNaN(to) ? null : Math.min(Math.max(0, to), n - 1)
}

/** Arrow keys move from row to row of a list; `rows` is the focused element in each. Above the first row: `before`. */
export function walkRows(rows: string, before?: string): (event: KeyboardEvent) => void {
  return (event) => {
    const isUp = event.key === 'ArrowUp'
    if ((!isUp && event.key !== 'ArrowDown') || !(event.currentTarget instanceof HTMLElement)) return
    const row = event.currentTarget.closest('li')
    const next = (isUp ? row?.previousElementSibling : row?.nextElementSibling)?.querySelector<HTMLElement>(rows)
    const target = next ?? (isUp && before !== undefined ? document.querySelector<HTMLElement>(before) : null)
    if (target === null) return
    event.preventDefault()
    target.focus()
  }
}

export function KeysHelp(): JSX.Element | null {
  return useSource(keysShown) ? <KeysDialog /> : null
}

function KeysDialog(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class="confirm" aria-labelledby="keys-title" onClose={() => keysShown.set(false)}>
      <h2 id="keys-title">Keys</h2>
      <dl class="keys">
        {KEYS.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <footer>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </footer>
    </dialog>
  )
}
