/** A snippet with the words that were looked for. */
import type { ComponentChildren, JSX } from 'preact'

interface Props {
  text: string
  /** [from, to) in the text. */
  marks: readonly (readonly [number, number])[]
}

export function Marked({ text, marks }: Props): JSX.Element {
  const parts: ComponentChildren[] = []
  let at = 0
  for (const [from, to] of [...marks].sort(([a], [b]) => a - b)) {
    if (from < at || to <= from) continue
    parts.push(text.slice(at, from), <mark key={from}>{text.slice(from, to)}</mark>)
    at = to
  }
  parts.push(text.slice(at))
  return <>{parts}</>
}
