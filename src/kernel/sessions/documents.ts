/** The documents in a session: one for each entry that says something about the work. */

import { aboutEntries, joinedText, type Kind, type Unit } from '../memory/document.ts'
import { type Entry, entryId, isOurCall, isOurs, type Tombstone, whyNotUsers } from '../transcript/session.ts'

/** Parts of a session that only repeat the memory: the turn of one of our skills, and agents that used our tools. */
export interface Ours {
  isTurn: boolean
  agents: readonly string[]
}

export const NOTHING_OURS: Ours = { isTurn: false, agents: [] }

/** The state after one more entry. */
export function withEntry(ours: Ours, entry: Entry | Tombstone): Ours {
  if (entry.role === 'user' && !isMark(entry)) return { ...ours, isTurn: isOurCall(entry.text) }
  const isNew = entry.role === 'subagent' && isOurs(entry) && !ours.agents.includes(entry.agent)
  return isNew ? { ...ours, agents: [...ours.agents, entry.agent] } : ours
}

export function isRepeated(ours: Ours, entry: Entry | Tombstone): boolean {
  return ours.isTurn || (entry.role === 'subagent' && ours.agents.includes(entry.agent))
}

/** Null: nothing to index. Deleted entries and calls of our own tools say nothing about the work. */
export function entryUnit(entry: Entry | Tombstone, id8: string, n: number): Unit | null {
  if (entry.role === 'tombstone' || isOurs(entry) || isMark(entry)) return null
  const text = 'text' in entry ? spoken(entry) : joinedText([`${entry.name} ${entry.cmd}`, done(entry)])
  return {
    id: entryId(id8, n),
    kind: KIND_OF_ROLE[entry.role],
    n,
    at: entry.ts,
    text,
    // The author of such a prompt is unknown: it must not be shown as the user's.
    state: entry.role === 'user' && entry.by === 'machine' ? whyNotUsers(entry) : '',
    ...(entry.role === 'user' && entry.sent === true ? { by: 'author unknown' as const } : {}),
    about: aboutEntries(id8, n, n),
  }
}

/** Not by its text: units of older sessions stay as they are in the index. */
function isMark(entry: Entry | Tombstone): boolean {
  return entry.role === 'user' && (entry.via === 'interrupt' || entry.via === 'host')
}

/** A message is also found by its sender's name. */
function spoken(entry: Extract<Entry, { text: string }>): string {
  return entry.role === 'teammate' ? `${entry.from}: ${entry.text}` : entry.text
}

function done(entry: Extract<Entry, { name: string }>): string {
  return entry.refused === true ? '(refused)' : (entry.output ?? '')
}

const KIND_OF_ROLE: Readonly<Record<Entry['role'], Kind>> = {
  user: 'prompt',
  assistant: 'answer',
  tool: 'tool',
  subagent: 'subagent',
  teammate: 'subagent',
  summary: 'compaction',
}
