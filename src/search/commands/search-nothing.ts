/** What is said where nothing is found: why, and what would find more. */

import { sharingOf } from '../../copies/disk/shared.ts'
import { bold, dim, harmless, oneLine } from '../../memory/commands/output.ts'
import type { Store } from '../../memory/disk/store.ts'
import { tokenise } from '../../text/words.ts'
import type { LookedUp } from '../disk/lookup.ts'
import { ALL_KINDS, hasNoFilter, type Operators } from '../operators.ts'

const SHOWN_QUERY = 60
const MOST_KINDS = 3
const FACTS: ReadonlySet<string> = new Set(['decision', 'pattern', 'issue', 'concept'])

/** A memory that is there but not ours must not look empty. */
export function nothingYet(store: Store): string {
  return (
    notTrusted(store) ??
    teammatesWait(store) ??
    'Nothing is remembered here yet. Sessions are captured as you work; memory-keeper import takes in earlier ones.'
  )
}

/** What others share here is found only once the user has seen it. */
function teammatesWait(store: Store): string | null {
  const { waiting } = sharingOf(store)
  if (waiting.length === 0) return null
  const share = waiting.length === 1 ? 'shares' : 'share'
  return `Nothing of yours is remembered here yet. ${waiting.slice(0, 5).join(', ')} ${share} a memory that is not read until you have looked at it: memory-keeper trust`
}

export function notTrusted({ ownership, places }: Store): string | null {
  return ownership === 'foreign'
    ? `${places.inProject} is not trusted and not read: memory-keeper trust shows it.`
    : null
}

/** `asked`: operators and options together. Null: it was said already that there is no word to look for. */
export function nothingFound(query: string, asked: Operators): string | null {
  if (hasNoFilter(asked) && tokenise(asked.words).length === 0) return null
  if (asked.words !== '') {
    return `Nothing found for ${oneLine(query, SHOWN_QUERY)}. Try other words for it, fewer filters, or a part of a name.`
  }
  const { kinds } = asked
  const isFew = kinds.size > 0 && kinds.size <= MOST_KINDS
  const what = isFew ? `No ${[...kinds].join(' or ')} is remembered` : 'Nothing is remembered'
  // Whatever else narrows it may be the reason.
  const isOnlyKinds = hasNoFilter({ ...asked, kinds: ALL_KINDS })
  const why = isOnlyKinds ? ' yet.' : ' that fits these filters: wider or fewer ones find more.'
  return `${what}${why}${isFew && [...kinds].every((kind) => FACTS.has(kind)) ? ' Facts come with notes.' : ''}`
}

export function renderFound({ title, parts, source }: LookedUp): string[] {
  return [
    dim(harmless(title)),
    ...parts.flatMap(({ id, at, kind, text }) => [
      `${bold(harmless(id))} ${dim(harmless([at.slice(0, 16).replace('T', ' '), kind].filter((each) => each !== '').join(' ')))}`,
      harmless(text),
      '',
    ]),
    ...(source === null ? [] : [harmless(source)]),
  ]
}
