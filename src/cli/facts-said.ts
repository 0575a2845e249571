/** What is said after a fact was added by hand: what became of it, and what else is said about the same thing. */
import { KeeperError } from '../core/error.ts'
import type { Added } from '../core/fact-own.ts'
import type { Context } from './context.ts'
import { bold, dim, harmless } from './output.ts'

export function saidAdded({ is, fact }: Added, { isDryRun }: Context): string[] {
  const what = `${bold(fact.id)} ${harmless(fact.text)}`
  const would = isDryRun ? 'would be ' : ''
  switch (is) {
    case 'added':
      return [
        what,
        dim(`${would}added; it is ${fact.author === 'user' ? 'your own word' : 'Claude’s word, not yours'}`),
      ]
    case 'known':
      return [
        what,
        dim(`is there already; it ${isDryRun ? 'would count' : 'counts'} as said again. For another one: --anyway`),
      ]
    case 'restored':
      return [what, dim(`was rejected; it ${would === '' ? 'is' : 'would be'} back`)]
    case 'rejected':
      throw new KeeperError(
        'not-yours',
        `${fact.id} was rejected, and only the user brings it back, in a terminal: memory-keeper facts restore ${fact.id}`,
      )
    case 'resolved':
      return [
        what,
        dim(`was open; it ${would === '' ? 'is' : 'would be'} resolved: ${harmless(fact.resolution ?? '')}`),
      ]
  }
}

/** What else is said about it, and the next step where code cannot tell. */
export function saidAgainst({ fact, overruled, near }: Added, { isDryRun }: Context): string[] {
  const by = harmless(fact.id)
  return [
    ...overruled.flatMap(({ id, text, state }) =>
      state === 'superseded'
        ? [
            `${bold(id)} ${harmless(text)}`,
            dim(
              `said otherwise; it ${isDryRun ? 'would be' : 'is'} superseded by ${by}. If both hold: memory-keeper facts restore ${id}`,
            ),
          ]
        : [
            `${bold(id)} ${harmless(text)}`,
            dim(`says otherwise. If ${by} takes its place: memory-keeper facts supersede ${id} --by ${by}`),
          ],
    ),
    ...near.flatMap(({ id, text }) => [
      `${bold(id)} ${harmless(text)}`,
      dim(`is about the same thing. If ${by} takes its place: memory-keeper facts supersede ${id} --by ${by}`),
    ]),
  ]
}

/** The same as ids. */
export function againstIt({ overruled, near }: Added): Record<'superseded' | 'contradicted' | 'near', string[]> {
  const idsOf = (some: Added['near']): string[] => some.map(({ id }) => id)
  return {
    superseded: idsOf(overruled.filter(({ state }) => state === 'superseded')),
    contradicted: idsOf(overruled.filter(({ state }) => state !== 'superseded')),
    near: idsOf(near),
  }
}
