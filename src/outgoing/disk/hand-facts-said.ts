/** What is said after a fact was changed by hand: what became of it, of others about the same thing, and of what grew from it. */

import { about, dimLine, type Hand, type HandLine } from '../../edit/disk/hand-line.ts'
import type { Added } from '../../knowledge/fact-own.ts'
import type { PermanentKind } from '../../knowledge/permanent.ts'
import { KeeperError } from '../../platform/error.ts'
import type { Followed, Touched } from '../permanent-follow.ts'

export function saidAdded({ is, fact }: Added, { isDryRun, by }: Hand): HandLine[] {
  const what = about(fact.id, fact.text)
  const would = isDryRun ? 'would be ' : ''
  switch (is) {
    case 'added':
      return [
        what,
        dimLine(`${would}added; it is ${fact.author === 'user' ? 'your own word' : 'Claude’s word, not yours'}`),
      ]
    case 'known':
      return [
        what,
        dimLine(
          `is there already${by === 'agent' ? '' : `; it ${isDryRun ? 'would count' : 'counts'} as said again`}. For another one: --anyway`,
        ),
      ]
    case 'restored':
      return [what, dimLine(`was rejected; it ${would === '' ? 'is' : 'would be'} back`)]
    case 'rejected':
      throw new KeeperError(
        'not-yours',
        `${fact.id} was rejected, and only the user brings it back. Ask them to type: /memory-keeper:run facts restore ${fact.id}`,
      )
    case 'resolved':
      return [what, dimLine(`was open; it ${would === '' ? 'is' : 'would be'} resolved: ${fact.resolution ?? ''}`)]
  }
}

/** What else is said about it, and the next step where code cannot tell. */
export function saidAgainst({ fact, overruled, near }: Added, { isDryRun }: Hand): HandLine[] {
  const by = fact.id
  return [
    ...overruled.flatMap(({ id, text, state }) =>
      state === 'superseded'
        ? [
            about(id, text),
            dimLine(
              `said otherwise; it ${isDryRun ? 'would be' : 'is'} superseded by ${by}. If both hold: memory-keeper facts restore ${id}`,
            ),
          ]
        : [
            about(id, text),
            dimLine(`says otherwise. If ${by} takes its place: memory-keeper facts supersede ${id} --by ${by}`),
          ],
    ),
    ...near.flatMap(({ id, text }) => [
      about(id, text),
      dimLine(`is about the same thing. If ${by} takes its place: memory-keeper facts supersede ${id} --by ${by}`),
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

export const KIND_NAMES: Readonly<Record<PermanentKind, string>> = {
  rules: 'rule',
  solutions: 'solution',
  core_logic: 'core logic',
}

/** A line for each that a fact has touched, with the next step. */
export function followedLines({ ended, left, back }: Followed, { isDryRun }: Hand): HandLine[] {
  return [
    ...ended.flatMap((one) => [
      { text: endedLine(one, isDryRun === true) },
      next('To have it hold all the same', 'promote', one),
    ]),
    ...left.flatMap((one) => [{ text: leftLine(one) }, next('To take it back', 'demote', one)]),
    ...back.flatMap((one) => [
      { text: `${named(one)} ended with ${one.by}.` },
      next('To have it hold again', 'promote', one),
    ]),
  ]
}

export function followedIds({ ended, left, back }: Followed): Record<'ended' | 'left' | 'back', string[]> {
  const ids = (some: readonly Touched[]): string[] => some.map(({ item }) => item.id)
  return { ended: ids(ended), left: ids(left), back: ids(back) }
}

function endedLine({ item, by, is }: Touched, isDryRun: boolean): string {
  const waited = item.status === 'proposed'
  const would = waited ? 'would wait for your yes no more' : 'would hold no more'
  const does = waited ? 'waits for your yes no more' : 'holds no more'
  const why = is === 'orphan' ? `it grew from ${by}` : `${by} says otherwise`
  return `${named({ item })} ${isDryRun ? would : does}: ${why}`
}

function leftLine({ item, by, is }: Touched): string {
  return is === 'orphan'
    ? `${named({ item })} still ${item.status === 'active' ? 'holds' : 'waits'}, though it grew from ${by}, too.`
    : `${named({ item })} says otherwise than ${by}, and still holds.`
}

function named({ item }: Pick<Touched, 'item'>): string {
  return `${item.id} (${KIND_NAMES[item.kind]}: ${item.text})`
}

function next(what: string, command: string, { item }: Touched): HandLine {
  return dimLine(`${what}: memory-keeper ${command} ${item.id}`)
}
