/** What a person types about a fact: checked, without secrets, its concept found. */

import type { Concepts } from '../../knowledge/concept.ts'
import { addConcept, findConcept } from '../../knowledge/concept-assign.ts'
import type { Fact, FactType } from '../../knowledge/fact.ts'
import { FACT_TYPES } from '../../knowledge/fact-draft.ts'
import type { Store } from '../../memory/disk/store.ts'
import { KeeperError } from '../../platform/error.ts'
import { redactorFor } from '../../redact/redact.ts'
import { count } from '../../text/figures.ts'
import { shown } from '../../text/shown.ts'
import { dimLine, type HandLine } from './hand-line.ts'

/** It is told to later sessions: longer texts belong on a page. */
const MAX_CHARS = 500

/** What a person types may hold a secret like anything else. */
export function typing({ config }: Pick<Store, 'config'>): {
  typed: (text: string) => string
  redacted: () => HandLine[]
} {
  const redact = redactorFor(config)
  let secrets = 0
  return {
    typed: (text) => {
      const done = redact(text)
      secrets += done.count
      return done.text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
    },
    redacted: () => (secrets > 0 ? [dimLine(`${count(secrets, 'secret')} redacted.`)] : []),
  }
}

/** Of an issue. */
export const STATUSES = ['open', 'resolved'] as const

/** `command`: what takes it, for the example. */
export function sentence(text: string, what: string, command = 'add-decision'): string {
  if (!/\p{L}/u.test(text))
    throw new KeeperError('usage', `${what} needs words: memory-keeper ${command} "We deploy on Tuesdays only."`)
  if (text.length <= MAX_CHARS) return text
  throw new KeeperError(
    'usage',
    `${what} has at most ${MAX_CHARS} characters, this one ${text.length}: it is told to later sessions. Longer texts belong on a page: memory-keeper page set decisions --append --text "…"`,
  )
}

export function optional(text: string): string | null {
  if (text.length > MAX_CHARS) sentence(text, 'A reason or resolution')
  return text === '' ? null : text
}

export function filesOf(given: readonly string[], typed: (text: string) => string): string[] {
  return given.map(typed).filter((one) => one !== '')
}

export function typeOf(given: string): FactType {
  const type = FACT_TYPES.find((one) => one === given.trim().toLowerCase())
  if (type !== undefined) return type
  throw new KeeperError(
    'usage',
    `A fact is a decision, a pattern or an issue: memory-keeper facts add decision "…". "${shown(given)}" is none of them.`,
  )
}

export function statusOf(
  type: FactType,
  status: string | undefined,
  resolution: string | null,
): { status: Fact['status']; resolution: string | null } {
  if (type !== 'issue') {
    if (status === undefined && resolution === null) return { status: null, resolution: null }
    throw new KeeperError(
      'usage',
      `Only issues are open or resolved: --status and --resolution do not go with a ${type}.`,
    )
  }
  const known = STATUSES.find((one) => one === status)
  if (status !== undefined && known === undefined) {
    throw new KeeperError('usage', `--status takes ${STATUSES.join(' or ')}; "${shown(status)}" is neither.`)
  }
  if (known === 'open' && resolution !== null) {
    throw new KeeperError(
      'usage',
      'An open issue has no resolution yet: leave out --resolution, or say --status resolved.',
    )
  }
  return { status: known ?? (resolution === null ? 'open' : 'resolved'), resolution }
}

/** By id, or by name; a new name begins a new one. */
export function conceptFor(
  { config }: Pick<Store, 'config'>,
  concepts: Concepts,
  given: string,
): { concepts: Concepts; id: string } {
  const name = redactorFor(config)(given).text
  const found = findConcept(concepts, conceptGiven(name), config.conceptSimilarity)
  switch (found.is) {
    case 'known':
    case 'similar':
      return { concepts, id: found.id }
    case 'new':
      return addConcept(concepts, found.name)
    case 'unknown':
      throw noConcept(given, found.closest)
    case 'none':
      throw new KeeperError('usage', '--concept takes an id (c001) or a name.')
  }
}

/** `c001`, or a name. */
export function conceptGiven(given: string): { id: string } | { name: string } {
  return /^c\d+$/i.test(given.trim()) ? { id: given.trim().toLowerCase() } : { name: given }
}

export function noConcept(given: string, closest: readonly { id: string; name: string }[]): KeeperError {
  const near =
    closest.length === 0 ? '' : ` Close to it: ${closest.map(({ id, name }) => `${id} ${shown(name)}`).join(', ')}.`
  return new KeeperError(
    'not-found',
    `There is no concept ${shown(given)}.${near} memory-keeper concepts list shows them.`,
  )
}
