/**
 * What Claude saved by a command, to be audited: it names no entry, so that the session in which Claude gave the command is looked up,
 * and the entries around it are shown.
 */

import { type AuditClaim, auditLines } from '../../grounding/audit.ts'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { sessionsSaidIn } from '../../knowledge/disk/reflection.ts'
import { type FactQuestion, questionsIn } from '../../knowledge/fact-audit.ts'
import { findFact, textKey } from '../../knowledge/fact-list.ts'
import type { Store } from '../../memory/disk/store.ts'
import { isToldNote } from '../../memory/note.ts'
import { allSessions } from '../../memory/state.ts'
import { id8OfFile } from '../../platform/layout.ts'
import { formatStamp } from '../../platform/time.ts'
import { splitSentences } from '../../text/sentences.ts'
import type { Numbered } from '../../transcript/session.ts'
import { isOurTool } from '../../transcript/tool-line.ts'
import { type ListedNote, listNotes } from './note-list.ts'

type ByCommand =
  | { on: { is: 'fact'; question: FactQuestion }; claim: AuditClaim }
  | { on: { is: 'sentence'; note: ListedNote; sentence: string }; claim: AuditClaim }

/** Nothing about an item whose command is not found: it stays unaudited. */
export function claimsByCommand(store: Store): ByCommand[] {
  const facts = readFacts(store)
  const entriesOf = sessionsSaidIn(store)
  const ofFacts = questionsIn(facts).flatMap((question): ByCommand[] => {
    const fact = question.at.length > 0 ? null : findFact(facts, question.id)
    const place = fact === null ? null : placeOfCommand(store, fact, entriesOf)
    if (place === null) return []
    const { session, command, at, source } = place
    return [{ on: { is: 'fact', question: { ...question, session, command, at } }, claim: { ...question, at, source } }]
  })
  const own = listNotes(store).notes.filter((note) => !isToldNote(note) && note.session === null)
  const ofNotes = own.flatMap((note): ByCommand[] => {
    const place = placeOfCommand(store, note, entriesOf)
    if (place === null) return []
    const { at, source } = place
    return splitSentences(note.text).map((text) => ({
      on: { is: 'sentence', note, sentence: text },
      claim: { text, quote: '', source, at },
    }))
  })
  return [...ofFacts, ...ofNotes]
}

interface CommandPlace extends Pick<AuditClaim, 'source'> {
  /** The session's id8. */
  session: string
  /** The entry of the command. */
  command: number
  /** What the claim rests on: the last words of the user before the command, then the nearest entries. */
  at: number[]
}

type Entries = readonly Numbered['entry'][]

/** If the command interrupted its session, no entry is newer. */
const LAG_MS = 60 * 60_000
const BEFORE = 40
const AFTER = 10

/** The newest call of ours up to that instant which contains the text. Null: none does, or its session is not captured yet. */
function placeOfCommand(
  store: Store,
  { text, at }: { text: string; at: string },
  entriesOf: (id8: string) => Entries,
): CommandPlace | null {
  const saved = Date.parse(at)
  if (Number.isNaN(saved)) return null
  const since = new Date(saved - LAG_MS).toISOString()
  const stamp = formatStamp(at)
  const words = textKey(text)
  const calls = allSessions(store.readState()).flatMap(([, { file, refine }]) => {
    const session = id8OfFile(file)
    // A session file is named by its first entry.
    if (session === null || refine.ts < since || file.slice(0, stamp.length) > stamp) return []
    return entriesOf(session).flatMap((entry, command) =>
      isCallOfOurs(entry) && entry.ts <= at && isIn(entry.cmd, words) ? [{ session, command, ts: entry.ts }] : [],
    )
  })
  const newest = calls.toSorted((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0)).at(-1)
  return newest === undefined ? null : placeAround(newest.session, newest.command, entriesOf(newest.session))
}

type Call = Extract<Numbered['entry'], { cmd: string }>

function isCallOfOurs(entry: Numbered['entry']): entry is Call {
  return 'cmd' in entry && isOurTool(entry.name, entry.cmd)
}

function isIn(cmd: string, words: string): boolean {
  return words !== '' && ` ${textKey(cmd)} `.includes(` ${words} `)
}

/** Without calls of ours: a command would prove its own words. */
function placeAround(session: string, command: number, all: Entries): CommandPlace {
  const entries = all
    .map((entry, n): Numbered => ({ n, entry }))
    .slice(Math.max(0, command - BEFORE), command + AFTER)
    .filter(({ entry }) => entry.role !== 'tombstone' && !isCallOfOurs(entry))
  const said = entries.findLast(({ n, entry }) => n < command && entry.role === 'user' && entry.by === 'user')
  const near = [entries.findLast(({ n }) => n < command), entries.find(({ n }) => n > command)]
  const at = [...new Set([said, ...near].flatMap((one) => one?.n ?? []))]
  return { session, command, at, source: { key: `${session}#${command}`, lines: auditLines(entries) } }
}
