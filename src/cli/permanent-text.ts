/** Permanent memory in words for people: what it is, and what became of it because of a fact. */

import type { PermanentKind } from '../core/permanent.ts'
import type { Followed, Touched } from '../core/permanent-follow.ts'
import { dim, harmless } from './output.ts'

export const KIND_NAMES: Readonly<Record<PermanentKind, string>> = {
  rules: 'rule',
  solutions: 'solution',
  core_logic: 'core logic',
}

/** A line for each that a fact has touched, with the next step. */
export function followedLines({ ended, left, back }: Followed, isDryRun: boolean): string[] {
  return [
    ...ended.flatMap((one) => [endedLine(one, isDryRun), next('To have it hold all the same', 'promote', one)]),
    ...left.flatMap((one) => [leftLine(one), next('To take it back', 'demote', one)]),
    ...back.flatMap((one) => [
      `${named(one)} ended with ${harmless(one.by)}.`,
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
  const why = is === 'orphan' ? `it grew from ${harmless(by)}` : `${harmless(by)} says otherwise`
  return `${named({ item })} ${isDryRun ? would : does}: ${why}`
}

function leftLine({ item, by, is }: Touched): string {
  return is === 'orphan'
    ? `${named({ item })} still ${item.status === 'active' ? 'holds' : 'waits'}, though it grew from ${harmless(by)}, too.`
    : `${named({ item })} says otherwise than ${harmless(by)}, and still holds.`
}

function named({ item }: Pick<Touched, 'item'>): string {
  return `${item.id} (${KIND_NAMES[item.kind]}: ${harmless(item.text)})`
}

function next(what: string, command: string, { item }: Touched): string {
  return dim(`${what}: memory-keeper ${command} ${item.id}`)
}
