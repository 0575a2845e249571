/** Renders: summaries of sessions, weeks and months. They are made from sessions and notes, and replaced only while nothing else is in them. */

import { nameIn } from '../../kernel/memory/file-kind.ts'
import { handLines } from '../../kernel/text/fingerprint.ts'
import { SESSION_SUMMARY } from './documents.ts'
import { handInTier, partsOf } from './tier.ts'
import { periodOf } from './tier-period.ts'

/** The lines that a person wrote into it. `name`: below `sessions/`. */
export function handIn(name: string, text: string): string[] {
  const period = periodOf(name)
  return period === null ? handLines(text) : handInTier(period, text)
}

/** A file with nothing but a person's lines. */
export function formatHand(name: string, hand: readonly string[]): string {
  // Without marks, no line of a summary counts as a person's.
  const marks = periodOf(name) === null ? ['', '<!-- ours: -->'] : []
  return [...hand, ...marks, ''].join('\n')
}

/** The sessions (id8) that it tells of. */
export function sessionsIn(name: string, text: string): string[] {
  const own = SESSION_SUMMARY.exec(nameIn(name))?.[7]
  return own === undefined ? partsOf(text).parts.map(({ id8 }) => id8) : [own]
}

/** Whether its sessions are here, so that it can be made again. One without its sessions may be all that is left of them. */
export function hasItsSessions(name: string, text: string, isHere: (id8: string) => boolean): boolean {
  const sessions = sessionsIn(name, text)
  return sessions.length > 0 && sessions.every(isHere)
}

/** Whether every line is ours, and its sessions are here. */
export function isRender(name: string, text: string, isHere: (id8: string) => boolean): boolean {
  return handIn(name, text).length === 0 && hasItsSessions(name, text, isHere)
}
