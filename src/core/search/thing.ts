/** What an id names, by its form: as search, show and the lists print it. Whether there is such a thing is another question. */
import { once } from '../../kernel/text/once.ts'

export type ThingKind = 'fact' | 'learned rule' | 'rule' | 'concept' | 'note' | 'page' | 'session'

export interface Thing {
  kind: ThingKind
  /** Of a page its name, of a rule its number in rules.md; else the id. */
  id: string
}

const FORMS: readonly (readonly [ThingKind, () => RegExp])[] = [
  ['learned rule', once(() => /^(r\d{1,9})$/i)],
  ['concept', once(() => /^(c\d{1,9})$/i)],
  ['fact', once(() => /^([a-z]\d{1,9})$/i)],
  ['note', once(() => /^(n-\S+|[0-9a-z]{8}-\d+-\d+)$/i)],
  ['page', once(() => /^page:([^#\s]+)\S*$/i)],
  ['rule', once(() => /^rules\.md#(\d+)$/)],
  ['session', once(() => /^((?:L1:|S:)\S+|[0-9a-f]{8}(?:#\S+)?|[0-9a-f-]{36})$/i)],
]

/** Null: it looks like no id of ours. */
export function thingNamed(given: string): Thing | null {
  const words = given.trim().replace(/^\[(.*)\]$/, '$1')
  for (const [kind, form] of FORMS) {
    const id = form().exec(words)?.[1]
    if (id !== undefined) return { kind, id }
  }
  return null
}
