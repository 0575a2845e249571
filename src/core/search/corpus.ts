/** What a search finds: a document, its layer, and whose words it is. */

import { KINDS, type Kind, type NamedAuthor, UNAUDITED, type Unit } from '../../kernel/memory/document.ts'

/** L1 sessions, L2 memory and its archives, L3 summaries, tiers, facts, pages. */
export type Layer = 'L1' | 'L2' | 'L3'

const AUTHORS: Partial<Record<Kind, NamedAuthor>> = {
  prompt: 'the user',
  rule: 'the user',
  page: 'the user',
  tool: 'from a tool',
  subagent: 'from an agent',
  session: 'code',
  tier: 'code',
}

/** Whose words a document is, as it is told to a model: always one, and never the user's by default. */
export function authorOfUnit({ kind, state, by }: Pick<Unit, 'kind' | 'state' | 'by'>): NamedAuthor {
  if (kind === 'prompt' && state !== '') return 'author unknown'
  // Nothing confirmed what a model made of the words that it quotes.
  if (state === UNAUDITED) return 'Claude'
  return by ?? AUTHORS[kind] ?? 'Claude'
}

export function layerOf(kind: Kind): Layer {
  const at = KINDS.indexOf(kind)
  return at <= KINDS.indexOf('compaction') ? 'L1' : kind === 'note' ? 'L2' : 'L3'
}
