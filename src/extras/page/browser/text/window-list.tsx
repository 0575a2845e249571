/** A list of any length with rows of one height: only visible rows are drawn; arrow keys move through all of it. */
import type { ComponentChildren, JSX, RefObject } from 'preact'
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Paged } from '../ask.ts'
import { stepOf } from '../keys.tsx'
import { Failure, WaitingView } from '../shown.tsx'

/** Rows drawn beyond the edges, so that fast scrolling shows no gaps. */
const MARGIN_ROWS = 8

export interface WindowListHandle {
  scrollTo(index: number): void
}

interface Props {
  label: string
  total: number
  rowHeight: number
  handle?: RefObject<WindowListHandle | null>
  /** A row contains one link or button with this tab index. */
  row(index: number, tabIndex: number): ComponentChildren
  onLook(from: number, to: number): void
  onTop?(index: number): void
}

interface PagedProps<T> extends Omit<Props, 'label' | 'total' | 'onLook'> {
  list: Paged<T>
  /** Above the rows. */
  head: ComponentChildren
  /** Shown if there is no row. */
  empty: ComponentChildren
}

/** Sessions that the server lists in pages, newest first. */
export function PagedSessions<T>({ list, head, empty, ...rest }: PagedProps<T>): JSX.Element {
  if (list.total === null) return list.failure === null ? <WaitingView /> : <Failure message={list.failure} />
  if (list.total === 0) return <>{empty}</>
  return (
    <>
      {head}
      <WindowList label="Sessions, newest first" total={list.total} onLook={list.need} {...rest} />
    </>
  )
}

function WindowList(props: Props): JSX.Element {
  const { total, rowHeight, onLook, onTop } = props
  const box = useRef<HTMLDivElement>(null)
  const [seen, setSeen] = useState({ top: 0, height: 800 })
  const [active, setActive] = useState(0)
  const wantsFocus = useRef(false)

  const first = Math.min(Math.floor(seen.top / rowHeight), Math.max(0, total - 1))
  const visible = Math.ceil(seen.height / rowHeight)
  const from = Math.max(0, first - MARGIN_ROWS)
  const to = Math.min(total, first + visible + MARGIN_ROWS)

  useBoxSize(box, setSeen)
  useEffect(() => onLook(from, to), [from, to, onLook])
  useEffect(() => onTop?.(first), [first, onTop])
  useImperativeHandle(props.handle ?? null, () => ({ scrollTo: (index) => scrollTo(index) }), [rowHeight])
  useLayoutEffect(() => {
    if (!wantsFocus.current) return
    const target = box.current?.querySelector<HTMLElement>(`[data-index="${active}"] :is(a, button)`)
    if (target === undefined || target === null) return
    wantsFocus.current = false
    target.focus({ preventScroll: true })
  })

  const scrollTo = (index: number): void => {
    box.current?.scrollTo({ top: index * rowHeight })
  }
  const walk = (event: KeyboardEvent): void => {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: visible - 1, PageUp: 1 - visible }
    const next = stepOf(event.key, active, total, steps)
    if (next === null) return
    event.preventDefault()
    wantsFocus.current = true
    setActive(next)
    reveal(box.current, next * rowHeight, rowHeight)
  }
  // The one row that Tab reaches must be drawn.
  const reached = active >= from && active < to ? active : first

  return (
    <div
      class="window"
      ref={box}
      onScroll={({ currentTarget }) => setSeen({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })}
    >
      <ul class="window-rows" aria-label={props.label} style={{ height: `${total * rowHeight}px` }} onKeyDown={walk}>
        {Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i).map((index) => (
          <li
            key={index}
            data-index={index}
            aria-setsize={total}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }}
            onFocusIn={() => setActive(index)}
          >
            {props.row(index, index === reached ? 0 : -1)}
          </li>
        ))}
      </ul>
    </div>
  )
}

function useBoxSize(
  box: RefObject<HTMLDivElement | null>,
  setSeen: (seen: { top: number; height: number }) => void,
): void {
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const measure = (): void => setSeen({ top: element.scrollTop, height: element.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [box, setSeen])
}

function reveal(box: HTMLElement | null, top: number, height: number): void {
  if (box === null) return
  if (top < box.scrollTop) box.scrollTop = top
  else if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight
}
