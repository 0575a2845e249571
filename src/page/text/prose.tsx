/** Notes, summaries and pages are plain text with a little markdown: shown with some structure, as text and nothing but text. */
import { type ComponentChildren, Fragment, type JSX } from 'preact'
import { useContext, useMemo } from 'preact/hooks'
import { blocksOf, type ProseBlock } from './prose-blocks.ts'
import { marked, WordsContext } from './words.tsx'

export function Prose({ text }: { text: string }): JSX.Element {
  const words = useContext(WordsContext)
  // The same text is not taken apart twice, however often the view around it changes.
  return useMemo(
    () => <div class="prose">{blocksOf(text).map((block, i) => drawn(block, i, words))}</div>,
    [text, words],
  )
}

function drawn(block: ProseBlock, key: number, words: RegExp | null): JSX.Element {
  switch (block.is) {
    case 'heading':
      // The page has its own outline: a heading inside a text is only a line that stands out.
      return (
        <p key={key} class={`prose-heading level-${Math.min(block.level, 3)}`} dir="auto">
          {inline(block.text, words)}
        </p>
      )
    case 'list':
      return (
        <ul key={key}>
          {block.items.map((item, i) => (
            <li key={i} class={`depth-${item.depth}`} data-mark={item.mark} dir="auto">
              {inline(item.text, words)}
            </li>
          ))}
        </ul>
      )
    case 'code':
      return (
        <pre key={key} dir="ltr">
          <code>{marked(block.text, words)}</code>
        </pre>
      )
    case 'quote':
      return (
        <blockquote key={key} dir="auto">
          {inline(block.text, words)}
        </blockquote>
      )
    case 'labelled':
      return (
        <dl key={key} class="labelled">
          {block.lines.map(({ label, text }, i) => (
            <div key={i}>
              <dt>{label}</dt>
              <dd dir="auto">{inline(text, words)}</dd>
            </div>
          ))}
        </dl>
      )
    case 'text':
      return (
        <p key={key} dir="auto">
          {inline(block.text, words)}
        </p>
      )
  }
}

const SPAN = /(`[^`\n]+`|\*\*[^*\n]+\*\*)/

/** `code` and **strong**; everything else as it stands. */
function inline(text: string, words: RegExp | null): ComponentChildren {
  return text.split(SPAN).map((part, i) => {
    if (i % 2 === 0) return <Fragment key={i}>{marked(part, words)}</Fragment>
    return part.startsWith('`') ? (
      <code key={i}>{marked(part.slice(1, -1), words)}</code>
    ) : (
      <strong key={i}>{marked(part.slice(2, -2), words)}</strong>
    )
  })
}
