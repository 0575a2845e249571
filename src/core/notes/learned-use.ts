/** Uses of tools in which something was learned, and what several of them say as one line. */

import { shorten } from '../../kernel/text/shorten.ts'
import { isOurs, type Numbered } from '../../kernel/transcript/session.ts'
import type { ToolUse } from './story-git.ts'
import { onOneLine } from './structure-text.ts'

export interface Learned {
  /** Two lines about the same thing have the same key. */
  key: string
  text: string
  /** The user's own words about it; empty: none. */
  said: string
  /** Where it was met last: the time, the session's id8 and the entry. */
  at: string
  session: string
  n: number
  /** In how many sessions it was met. */
  sessions: number
  /** The task that the user refuses. */
  refused?: string
}

export interface ToolUseAt {
  session: string
  n: number
  entry: ToolUse
  /** What the user typed when refusing it. */
  said: string
}

export const OUTPUT_CHARS = 140
export const SAID_CHARS = 120
/** Longer output is work that failed, not a word that the program does not know. */
export const SHORT_OUTPUT = 400
/** The right name is found within so many entries, or it was another aim. */
export const NEXT_ENTRIES = 8

export function usesIn(session: string, entries: readonly Numbered[]): ToolUseAt[] {
  return entries.flatMap(({ n, entry }, at): ToolUseAt[] => {
    if (entry.role !== 'tool' || isOurs(entry)) return []
    const next = entries[at + 1]?.entry
    const said = next?.role === 'user' && next.via === entry.name ? onOneLine(next.text) : ''
    return [{ session, n, entry, said }]
  })
}

/** What was met in several uses, as one line; empty: the newest use of the same thing worked. */
export function linesAbout(
  met: readonly ToolUseAt[],
  keyOf: (use: ToolUseAt) => string | null,
  textOf: (use: ToolUseAt, some: readonly ToolUseAt[]) => string,
): Learned[] {
  const byKey = new Map<string, ToolUseAt[]>()
  for (const use of met) {
    const key = keyOf(use)
    if (key !== null) byKey.set(key, [...(byKey.get(key) ?? []), use])
  }
  return [...byKey].flatMap(([key, some]): Learned[] => {
    const last = some.at(-1)
    const text = last === undefined ? '' : textOf(last, some)
    if (last === undefined || text === '') return []
    const said = some.findLast((use) => use.said !== '')?.said ?? ''
    const { session, n, entry } = last
    return [{ key, text, said: shorten(said, SAID_CHARS), at: entry.ts, session, n, sessions: sessionsWith(some) }]
  })
}

/** The first line of what it printed that contains the name as a whole word. */
export function lineNaming(output: string, name: string): string | null {
  const word = new RegExp(`(?<![\\w-])${name.replace(/\W/g, '\\$&')}(?![\\w-])`)
  const line = output.split('\n').find((one, i) => (i > 0 || !one.startsWith('Exit code ')) && word.test(one))
  return line === undefined ? null : onOneLine(line)
}

export function sessionsWith(uses: readonly ToolUseAt[]): number {
  return new Set(uses.map(({ session }) => session)).size
}
