/** One hit as it is printed: for people with its words in bold, for programs with stars around them. */

import { bold, dim, harmless, warning, width } from '../../memory/commands/output.ts'
import type { Hit, Searcher } from '../disk/search.ts'
import { snippetOf } from '../snippet.ts'

const SNIPPET_CHARS = 220
const SHOWN_ALSO = 4

/** As it is printed for programs: marks are stars in the snippet. */
export function hitJson({ id, layer, kind, session, entry, date, score, snippet, marks, state, also }: Hit): object {
  const starred = marked(snippet, marks, (word) => `**${word}**`)
  return { id, layer, kind, session, entry, date, score: Number(score.toPrecision(6)), snippet: starred, state, also }
}

/** `neighbours`: with the hit itself among them, or none. */
export function renderHit(hit: Hit, neighbours: readonly Neighbour[], columns: number): string[] {
  const { id, kind, date, state, snippet, marks, also } = hit
  const when = date === '' ? '' : `  ${harmless(date.slice(0, 16).replace('T', ' '))}`
  const how = state === '' || state === 'fresh' ? '' : `  ${warning(harmless(state))}`
  const hereWith = (lead: string): string[] => indented(snippet, marks, lead, columns)
  const lines =
    neighbours.length <= 1
      ? hereWith(INDENT)
      : neighbours.flatMap(({ isHit, kind: what, text }) =>
          isHit ? hereWith('> ') : indented(`${what}: ${text}`, [], INDENT, columns).map(dim),
        )
  return [
    `${bold(harmless(id))}${dim(`${when}  ${kind}`)}${how}`,
    ...lines,
    ...(also.length === 0 ? [] : [dim(`  also ${alsoNames(also)}`)]),
  ]
}

/** What stands beside a hit in its file; its own text is the snippet. */
export interface Neighbour {
  id: string
  kind: string
  date: string
  text: string
  isHit: boolean
}

export function neighboursOf({ index }: Searcher, { doc }: Hit, around: number): Neighbour[] {
  const { prev, next } = index.columns
  const docs = [doc]
  for (let i = 0, at = prev[doc] ?? -1; i < around && at >= 0; i++, at = prev[at] ?? -1) docs.unshift(at)
  for (let i = 0, at = next[doc] ?? -1; i < around && at >= 0; i++, at = next[at] ?? -1) docs.push(at)
  return docs.flatMap((one) => {
    const unit = index.unitOf(one)
    if (unit === null) return []
    const { id, kind, at: date } = unit
    return [{ id, kind, date, text: snippetOf(unit.text, () => [], SNIPPET_CHARS).snippet, isHit: one === doc }]
  })
}

function marked(text: string, marks: Hit['marks'], mark: (word: string) => string): string {
  return marks
    .toReversed()
    .reduce((all, [from, to]) => all.slice(0, from) + mark(all.slice(from, to)) + all.slice(to), text)
}

const INDENT = '  '

/** On as many lines as the width takes, all of them behind the indent. */
function indented(text: string, marks: Hit['marks'], lead: string, columns: number): string[] {
  return wrappedRanges(text, columns - INDENT.length).map(([from, to], i) => {
    const here = marks.flatMap(([a, b]): [number, number][] =>
      a < to && b > from ? [[Math.max(a, from) - from, Math.min(b, to) - from]] : [],
    )
    return `${i === 0 ? lead : INDENT}${marked(text.slice(from, to), here, bold)}`
  })
}

function alsoNames(ids: readonly string[]): string {
  const more = ids.length - SHOWN_ALSO
  return `${ids.slice(0, SHOWN_ALSO).map(harmless).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Below this a terminal has no room for words, and breaks them itself. */
const LEAST_COLUMNS = 20

/** [from, to) of each line; the space at a break belongs to none. A word that is longer than a line is broken inside. */
export function wrappedRanges(text: string, columns: number): [number, number][] {
  const most = Math.max(LEAST_COLUMNS, columns)
  const lines: [number, number][] = []
  let from = 0
  let taken = 0
  let space = -1
  let at = 0
  for (const character of text) {
    const wide = width(character)
    if (taken + wide > most && character !== ' ') {
      const to = space > from ? space : at
      lines.push([from, to])
      from = to === space ? to + 1 : to
      taken = width(text.slice(from, at))
      space = -1
    }
    if (character === ' ') space = at
    taken += wide
    at += character.length
  }
  if (from < text.length || lines.length === 0) lines.push([from, text.length])
  return lines
}
