/**
 * What was saved by a command inside Claude Code: it names no entry, so that the session in which the command was given is looked up.
 * Claude's is audited by the entries around it. A shell line of the user (`! memory-keeper remember …`) is the user's own hand.
 */

import path from 'node:path'
import { type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import { isToldNote } from '../../../kernel/memory/note.ts'
import { allSessions } from '../../../kernel/memory/state.ts'
import { readOwnText } from '../../../kernel/platform/disk/files.ts'
import { id8OfFile } from '../../../kernel/platform/layout.ts'
import { formatStamp } from '../../../kernel/platform/time.ts'
import { splitSentences } from '../../../kernel/text/sentences.ts'
import type { Numbered } from '../../../kernel/transcript/session.ts'
import { isOurTool } from '../../../kernel/transcript/tool-line.ts'
import { type AuditClaim, auditLines } from '../../grounding/audit.ts'
import { readFacts, writeFacts } from '../../knowledge/disk/knowledge.ts'
import { sessionsSaidIn } from '../../knowledge/disk/reflection.ts'
import { asUsers, type FactQuestion, questionsIn } from '../../knowledge/fact-audit.ts'
import type { Fact } from '../../knowledge/item.ts'
import { findFact, mapFacts, textKey } from '../../knowledge/items.ts'
import { editNoteIn } from '../note-check.ts'
import { type ListedNote, listNotes } from './note-list.ts'

type ByCommand =
  | { on: { is: 'fact'; question: FactQuestion }; claim: AuditClaim }
  | { on: { is: 'sentence'; note: ListedNote; sentence: string }; claim: AuditClaim }

/** Nothing about an item whose command is not found, or is the user's. */
export function claimsByCommand(store: Store): ByCommand[] {
  const { facts, notes } = waitingOwn(store)
  const entriesOf = sessionsSaidIn(store)
  const ofFacts = facts.flatMap(({ fact, question }): ByCommand[] => {
    const place = placeOfCommand(store, fact, entriesOf)
    if (place === null || place.isUsers) return []
    const { session, command, at, source } = place
    return [{ on: { is: 'fact', question: { ...question, session, command, at } }, claim: { ...question, at, source } }]
  })
  const ofNotes = notes.flatMap((note): ByCommand[] => {
    const place = placeOfCommand(store, note, entriesOf)
    if (place === null || place.isUsers) return []
    const { at, source } = place
    return splitSentences(note.text).map((text) => ({
      on: { is: 'sentence', note, sentence: text },
      claim: { text, quote: '', source, at },
    }))
  })
  return [...ofFacts, ...ofNotes]
}

/** What waits for an audit, and names no entry. */
function waitingOwn(store: Store): { facts: { fact: Fact; question: FactQuestion }[]; notes: ListedNote[] } {
  const all = readFacts(store)
  const facts = questionsIn(all).flatMap((question) => {
    const fact = question.at.length > 0 ? null : findFact(all, question.id)
    return fact === null ? [] : [{ fact, question }]
  })
  return { facts, notes: listNotes(store).notes.filter((note) => !isToldNote(note) && note.session === null) }
}

/** What the user saved by a shell line becomes the user's, and the state names what no session contains. Call it under the lock. */
export function settleOwn(store: Store, now: string): void {
  const { facts, notes } = waitingOwn(store)
  const before = store.readState()
  if (facts.length + notes.length + before.unplaced.length === 0) return
  const entriesOf = sessionsSaidIn(store)
  const own = [...facts.map(({ fact }) => fact), ...notes].map(({ id, text, at }) => {
    const place = placeOfCommand(store, { text, at }, entriesOf)
    // The transcript of a command that was just given may be incomplete.
    const isLost = place === null && Date.parse(now) - Date.parse(at) > LAG_MS
    return { id, isUsers: place?.isUsers === true, isLost }
  })
  const users = new Set(own.flatMap(({ id, isUsers }) => (isUsers ? [id] : [])))
  const known = readFacts(store)
  writeFacts(
    store,
    known,
    mapFacts(known, (fact) => (users.has(fact.id) ? asUsers(fact) : fact)),
    now,
  )
  for (const { id, text, file } of notes.filter((note) => users.has(note.id))) {
    const memory = readOwnText(path.join(store.dir, file)) ?? ''
    const edited = editNoteIn(memory, id, { text, author: 'user' }, store.config.timezone)
    if (edited !== null) store.perform([{ do: 'write', path: file, text: edited.memory }])
  }
  const unplaced = own.flatMap(({ id, isLost }) => (isLost ? [id] : []))
  if (unplaced.join() !== before.unplaced.join()) store.perform([stateEffect({ ...store.readState(), unplaced })])
}

interface CommandPlace extends Pick<AuditClaim, 'source'> {
  /** The session's id8. */
  session: string
  /** The entry of the command. */
  command: number
  /** The user typed it. */
  isUsers: boolean
  /** What the claim rests on: the last words of the user before the command, then the nearest entries. */
  at: number[]
}

/** So does a shell line of the user begin in an entry. */
const SHELL_LINE = '! '

type Entries = readonly Numbered['entry'][]

/** If the command interrupted its session, no entry is newer. */
const LAG_MS = 60 * 60_000
const BEFORE = 40
const AFTER = 10

/** The newest command of ours up to that instant which contains the text. Null: none does, or its session is not captured yet. */
function placeOfCommand(
  store: Store,
  { text, at }: { text: string; at: string },
  entriesOf: (id8: string) => Entries,
): CommandPlace | null {
  const saved = Date.parse(at)
  if (Number.isNaN(saved)) return null
  const since = new Date(saved - LAG_MS).toISOString()
  const stamp = formatStamp(at)
  const words = typedKey(text)
  const calls = allSessions(store.readState()).flatMap(([, { file, refine }]) => {
    const session = id8OfFile(file)
    // A session file is named by its first entry.
    if (session === null || refine.ts < since || file.slice(0, stamp.length) > stamp) return []
    return entriesOf(session).flatMap((entry, command) => {
      const line = isCallOfOurs(entry) ? entry.cmd : usersLine(entry)
      const ts = 'ts' in entry ? entry.ts : ''
      return line !== null && ts <= at && isIn(line, words) ? [{ session, command, ts }] : []
    })
  })
  const newest = calls.toSorted((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0)).at(-1)
  return newest === undefined ? null : placeAround(newest.session, newest.command, entriesOf(newest.session))
}

type Call = Extract<Numbered['entry'], { cmd: string }>

function isCallOfOurs(entry: Numbered['entry']): entry is Call {
  return 'cmd' in entry && isOurTool(entry.name, entry.cmd)
}

/** The command of ours in a shell line that the user typed into a session; null: it is none. */
function usersLine(entry: Numbered['entry']): string | null {
  const isTyped =
    entry.role === 'user' && entry.by === 'user' && entry.sent !== true && entry.text.startsWith(SHELL_LINE)
  const line = isTyped ? entry.text.slice(SHELL_LINE.length) : ''
  return isOurTool('Bash', line) ? line : null
}

function isIn(cmd: string, words: string): boolean {
  return words !== '' && ` ${typedKey(cmd)} `.includes(` ${words} `)
}

/** Without what a shell removes: an apostrophe may be typed as `'\''`. */
function typedKey(text: string): string {
  return textKey(text.replace(/["'`\\]/g, ''))
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
  const isUsers = all[command]?.role === 'user'
  return { session, command, isUsers, at, source: { key: `${session}#${command}`, lines: auditLines(entries) } }
}
