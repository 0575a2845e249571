/** Notes, summaries and pages are plain text with a little markdown: shown with some structure, and never as HTML. */
import { type ComponentChildren, createContext, Fragment, type JSX } from 'preact'
import { useContext, useMemo } from 'preact/hooks'

export function Prose({ text }: { text: string }): JSX.Element {
  const words = useContext(WordsContext)
  // The same text is not parsed twice, however often the view around it changes.
  return useMemo(
    () => <div class="prose">{blocksOf(text).map((block, i) => drawn(block, i, words))}</div>,
    [text, words],
  )
}

function drawn(block: ProseBlock, key: number, words: RegExp | null): JSX.Element {
  switch (block.is) {
    case 'heading':
      // The page has its own outline: a heading inside a text is only a highlighted line.
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

/** `code` and **strong**; everything else unchanged. */
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

export type ProseBlock =
  | { is: 'heading'; level: number; text: string }
  | { is: 'list'; items: { text: string; depth: number; mark: string }[] }
  | { is: 'code'; text: string }
  | { is: 'quote'; text: string }
  /** `Asked: …`, `Changed: …`: the lines of notes by code. */
  | { is: 'labelled'; lines: { label: string; text: string }[] }
  | { is: 'text'; text: string }

const FENCE = /^ {0,3}(?:```|~~~)/
const HEADING = /^(#{1,6})\s+(.+)$/
const ITEM = /^(\s*)([-*+]|\d{1,3}[.)])\s+(.*)$/

export function blocksOf(text: string): ProseBlock[] {
  const blocks: ProseBlock[] = []
  const lines = text.split(/\r?\n/)
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? ''
    if (FENCE.test(line)) {
      const end = lines.findIndex((one, n) => n > i && FENCE.test(one))
      blocks.push({ is: 'code', text: lines.slice(i + 1, end < 0 ? lines.length : end).join('\n') })
      i = end < 0 ? lines.length : end
    } else addLine(blocks, line)
  }
  return blocks.filter((block) => block.is !== 'text' || block.text.trim() !== '').map(labelled)
}

const LABEL = /^(\p{Lu}[\p{L} ]{1,15}): (.+)$/u

/** At least two lines with a label; a line without one continues the previous line. */
function labelled(block: ProseBlock): ProseBlock {
  if (block.is !== 'text') return block
  const lines = block.text.split('\n')
  const found = lines.filter((line) => LABEL.test(line)).length
  if (found < 2 || !LABEL.test(lines[0] ?? '')) return block
  const made: { label: string; text: string }[] = []
  for (const line of lines) {
    const [, label, text] = LABEL.exec(line) ?? []
    const last = made.at(-1)
    if (label !== undefined && text !== undefined) made.push({ label, text })
    else if (last !== undefined) last.text += `\n${line}`
  }
  return { is: 'labelled', lines: made }
}

function addLine(blocks: ProseBlock[], line: string): void {
  const last = blocks.at(-1)
  const heading = HEADING.exec(line)
  const item = ITEM.exec(line)
  if (heading !== null) blocks.push({ is: 'heading', level: heading[1]?.length ?? 1, text: heading[2] ?? '' })
  else if (item !== null) {
    const made = {
      text: item[3] ?? '',
      depth: Math.min(2, Math.floor((item[1]?.length ?? 0) / 2)),
      mark: markOf(item[2]),
    }
    if (last?.is === 'list') last.items.push(made)
    else blocks.push({ is: 'list', items: [made] })
  } else if (/^>\s?/.test(line)) {
    const text = line.replace(/^>\s?/, '')
    if (last?.is === 'quote') last.text += `\n${text}`
    else blocks.push({ is: 'quote', text })
  } else if (last?.is === 'text' && line.trim() !== '') last.text += last.text === '' ? line : `\n${line}`
  else if (last?.is === 'list' && /^\s+\S/.test(line)) {
    const open = last.items.at(-1)
    if (open !== undefined) open.text += `\n${line.trim()}`
  } else blocks.push({ is: 'text', text: line })
}

function markOf(mark = '-'): string {
  return /\d/.test(mark) ? mark : '–'
}

/** The searched words: their positions in a text, highlighted in every text that is opened from a search. */

/** Null: no search. */
export const WordsContext = createContext<RegExp | null>(null)

/** Whether a text contains one of the words: a fold with a match is opened. */
export function useHasWord(): (text: string) => boolean {
  const words = useContext(WordsContext)
  return (text) => words !== null && marksIn(text, words).length > 0
}

export function WithWords({ text }: { text: string }): JSX.Element {
  return <>{marked(text, useContext(WordsContext))}</>
}

function marked(text: string, words: RegExp | null): ComponentChildren {
  const marks = marksIn(text, words)
  return marks.length === 0 ? text : <Marked text={text} marks={marks} />
}

/** A snippet with the matching words. */
export function Marked({ text, marks }: { text: string; marks: Marks }): JSX.Element {
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

/** [from, to) in a text. */
type Marks = readonly (readonly [number, number])[]
/** A query has at most this many words. */
const MOST_WORDS = 40

const LETTER = '[\\p{L}\\p{N}]'

/** Ignoring case: the words marked in the hit, or the typed words. */
export function markWords(hit: { snippet: string; marks: Marks } | undefined, typed: string): RegExp | null {
  const found = hit === undefined ? [] : hit.marks.map(([from, to]) => patternOf(hit.snippet, from, to))
  const words = found.length > 0 ? found : typedIn(typed)
  const some = [...new Set(words)].filter((word) => word !== '').slice(0, MOST_WORDS)
  return some.length === 0 ? null : new RegExp(some.toSorted((a, b) => b.length - a.length).join('|'), 'giu')
}

function typedIn(typed: string): string[] {
  return [...typed.matchAll(/[\p{L}\p{N}_]{2,}/gu)].map((match) =>
    patternOf(typed, match.index, match.index + match[0].length),
  )
}

/** A whole word is matched as a word; a part of a word (orderTest, 배포는) as it is. */
function patternOf(text: string, from: number, to: number): string {
  const word = text.slice(from, to).replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
  if (word.trim() === '') return ''
  const isLetter = (at: number): boolean => /[\p{L}\p{N}]/u.test(text.charAt(at))
  return `${from === 0 || !isLetter(from - 1) ? `(?<!${LETTER})` : ''}${word}${isLetter(to) ? '' : `(?!${LETTER})`}`
}

export function marksIn(text: string, words: RegExp | null): [number, number][] {
  if (words === null) return []
  return [...text.matchAll(words)].map((match) => [match.index, match.index + match[0].length])
}
