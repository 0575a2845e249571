/** The output of `search` and `show`: a hit, an opened item, and why there is nothing. */

import type { Context } from '../../../kernel/memory/commands/context.ts'
import { bold, dim, harmless, oneLine, warning, width } from '../../../kernel/memory/commands/output.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { tokenise } from '../../../kernel/text/words.ts'
import { FACT_KIND_NAMES } from '../../knowledge/item.ts'
import { untrustedPeople } from '../../others/disk/shared.ts'
import type { LookedUp } from '../disk/lookup.ts'
import type { Hit } from '../disk/search.ts'
import { ALL_KINDS, hasNoFilter, type Operators } from '../operators.ts'

const SHOWN_ALSO = 4
const SHOWN_QUERY = 60
const MOST_KINDS = 3
const FACTS: ReadonlySet<string> = new Set([...FACT_KIND_NAMES, 'concept'])

/** For programs: stars mark the matching words in the snippet. */
export function hitJson({ id, layer, kind, session, entry, date, score, snippet, marks, state, also }: Hit): object {
  const starred = marked(snippet, marks, (word) => `**${word}**`)
  return { id, layer, kind, session, entry, date, score: Number(score.toPrecision(6)), snippet: starred, state, also }
}

type Screen = Pick<Context, 'clock' | 'world'>

/** For people: the matching words are bold. */
export function renderHit({ id, kind, date, state, snippet, marks, also }: Hit, { clock, world }: Screen): string[] {
  const when = date === '' ? '' : `  ${harmless(clock.minute(date))}`
  const how = state === '' || state === 'fresh' ? '' : `  ${warning(harmless(state))}`
  const more = also.length - SHOWN_ALSO
  const others = `${also.slice(0, SHOWN_ALSO).map(harmless).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return [
    `${bold(harmless(id))}${dim(`${when}  ${kind}`)}${how}`,
    ...wrappedRanges(snippet, world.columns - INDENT.length).map(([from, to]) => {
      const here = marks.flatMap(([a, b]): [number, number][] =>
        a < to && b > from ? [[Math.max(a, from) - from, Math.min(b, to) - from]] : [],
      )
      return `${INDENT}${marked(snippet.slice(from, to), here, bold)}`
    }),
    ...(also.length === 0 ? [] : [dim(`  also ${others}`)]),
  ]
}

export const INDENT = '  '

function marked(text: string, marks: Hit['marks'], mark: (word: string) => string): string {
  return marks
    .toReversed()
    .reduce((all, [from, to]) => all.slice(0, from) + mark(all.slice(from, to)) + all.slice(to), text)
}

/** A narrower terminal wraps words itself. */
const LEAST_COLUMNS = 20

/** [from, to) of each line, without the space at a break. A word longer than a line is split. */
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

export function renderFound({ title, parts, source }: LookedUp, { clock }: Screen): string[] {
  return [
    dim(harmless(title)),
    ...parts.flatMap(({ id, at, kind, text }) => [
      `${bold(harmless(id))} ${dim(harmless([clock.minute(at), kind].filter((each) => each !== '').join(' ')))}`,
      harmless(text),
      '',
    ]),
    ...(source === null ? [] : [harmless(source)]),
  ]
}

/** A memory that exists but is not trusted, or that teammates share, must not look empty. */
export function nothingYet(store: Store): string {
  const waiting = untrustedPeople(store.places).map(({ who }) => who)
  const share = waiting.length === 1 ? 'shares' : 'share'
  return (
    notTrusted(store) ??
    (waiting.length === 0
      ? 'Nothing is remembered here yet. Sessions are captured as you work; memory-keeper import imports earlier ones.'
      : `Nothing of yours is remembered here yet. ${waiting.slice(0, 5).join(', ')} ${share} a memory that is not read until you have looked at it: memory-keeper trust`)
  )
}

export function notTrusted({ ownership, places }: Store): string | null {
  return ownership === 'foreign'
    ? `${places.inProject} is not trusted and not read: memory-keeper trust shows it.`
    : null
}

/** `asked`: operators and options together. Null: the search's news already say that the query has no usable word. */
export function nothingFound(query: string, asked: Operators): string | null {
  if (hasNoFilter(asked) && tokenise(asked.words).length === 0) return null
  const isOnlyKinds = hasNoFilter({ ...asked, kinds: ALL_KINDS })
  if (asked.words !== '') {
    const other = isOnlyKinds ? 'other words for it or' : 'other words for it, fewer filters, or'
    return `Nothing found for ${oneLine(query, SHOWN_QUERY)}. Try ${other} a part of a name.`
  }
  const { kinds } = asked
  const isFew = kinds.size > 0 && kinds.size <= MOST_KINDS
  const what = isFew ? `No ${[...kinds].join(' or ')} is remembered` : 'Nothing is remembered'
  const why = isOnlyKinds ? ' yet.' : ' that fits these filters: wider or fewer ones find more.'
  return `${what}${why}${isFew && [...kinds].every((kind) => FACTS.has(kind)) ? ' Facts come with notes.' : ''}`
}
