/** The briefing of a memory: gathers its input, and stores what each session was given. */
import path from 'node:path'
import { readForeign } from '../../copies/disk/others.ts'
import { readConcepts, readFacts, rulesAtStart, withoutMark } from '../../knowledge/disk/knowledge.ts'
import { MANY_FACTS_CHARS, type NewestFacts, newestFacts } from '../../knowledge/fact-list.ts'
import { readSettled, settledNames } from '../../memory/disk/settled.ts'
import type { Store } from '../../memory/disk/store.ts'
import { fingerprintOfNote, isToldNote, type Note, writtenIn } from '../../memory/note.ts'
import type { SessionState } from '../../memory/session-state.ts'
import { allSessions, type State, sessionIn } from '../../memory/state.ts'
import { readArchive, readMemory, readSummary } from '../../notes/disk/memory.ts'
import { endOf, structureLines } from '../../notes/structure.ts'
import { readAutoMemory, readPages } from '../../pages/disk/pages.ts'
import { isUntouchedTemplate, pageText } from '../../pages/page.ts'
import { readOwnText, readPart, sizeOf } from '../../platform/disk/files.ts'
import { FACTS_FILE, id8OfFile } from '../../platform/layout.ts'
import { keepReceipt, readReceipt } from '../../receipts/disk/journal.ts'
import type { Briefing } from '../../receipts/receipt.ts'
import { redactorFor } from '../../redact/redact.ts'
import { toTell } from '../../sessions/delta.ts'
import { readSession } from '../../sessions/disk/lineage.ts'
import { entriesOf } from '../../sessions/disk/sessions.ts'
import { compareText } from '../../text/memory-words.ts'
import { once, perKey } from '../../text/once.ts'
import { currentBranch } from '../../trust/disk/git-head.ts'
import { changedSinceIndex } from '../../trust/disk/git-index.ts'
import { type BriefingInput, renderBriefing } from '../briefing.ts'
import type { Digest, RoomLine, SessionEnd } from '../briefing-input.ts'
import { compactedLines } from '../briefing-parts.ts'

const MAX_ARCHIVES = 12
/** With less text in memory.md, a rotation has just emptied it, and the archive contains the recent notes. */
const FEW_NOTE_CHARS = 3_000
/** The briefing has room for a line about at most this many sessions. */
const MAX_SESSIONS = 100
/** A longer session is represented by its notes: a start does not read it again. */
const MOST_ENTRIES = 2_000
/** With fewer entries and no tool use, it was a greeting or one question. */
const SMALL_ENTRIES = 4
/** A larger file of the project is not a small settings file. */
const MOST_BYTES = 4 * 1024 * 1024

export interface Brief {
  /** Null: nothing is injected. */
  text: string | null
  /** Stores the receipt. */
  keep: () => void
}

/** The text for a session that starts. A session that continues gets the same bytes as before. */
export function briefSession(
  store: Store,
  start: { session: string; source: string; compacted?: readonly RoomLine[] | null },
): Brief {
  const state = store.readState()
  const goesOn = start.source === 'resume' || start.source === 'fork'
  const told = goesOn ? earlierBriefing(store, state, start.session) : null
  if (told !== null) return { text: told, keep: () => keepReceipt(store, start.session, { text: told, lines: null }) }
  // It began with us and nothing was injected: everything remembered since is its own. A fork has its parent's briefing.
  if (start.source === 'fork' || (goesOn && sessionIn(state, start.session)?.isLive)) return NOTHING_TOLD
  const { session, compacted = null } = start
  const briefing =
    compacted === null
      ? renderStart(store, state)
      : renderBriefing(gatherBriefing(store, state, { session, compacted }))
  return briefing === null
    ? NOTHING_TOLD
    : { text: briefing.text, keep: () => keepReceipt(store, start.session, briefing) }
}

/** Of any session that starts. */
export function renderStart(store: Store, state: State): Briefing | null {
  return renderBriefing(gatherBriefing(store, state, { session: '', compacted: null }))
}

/** The maximum for what a session did before its compaction. */
const COMPACTED_CHARS = 4_500

/** What a session did before its compaction; null: the session is unknown. */
export function compactedOf(store: Store, id: string): RoomLine[] | null {
  const session = sessionIn(store.readState(), id)
  if (session === undefined) return null
  return compactedLines(toTell(entriesOf(store, session, 0, session.entries)), COMPACTED_CHARS)
}

/** What would be injected into a new session; with a session: what would be injected after its compaction. */
export function previewBriefing(store: Store, session: string | null): Briefing | null {
  const compacted = session === null ? null : compactedOf(store, session)
  return renderBriefing(gatherBriefing(store, store.readState(), { session: session ?? '', compacted }))
}

const NOTHING_TOLD: Brief = { text: null, keep: () => undefined }

/** `compacted`: what this session did, which the host is about to drop. */
export function gatherBriefing(
  store: Store,
  state: State,
  { session: id, compacted }: { session: string; compacted: readonly RoomLine[] | null },
): BriefingInput {
  const { root } = store.places.project
  const notes = recentNotes(store, state)
  const session = compacted === null ? undefined : sessionIn(state, id)
  const newest = readNewest(store)
  const known = newestSessions(store, state)
  return {
    project: path.basename(root),
    branch: currentBranch(root, redactorFor(store.config)),
    version: projectVersion(root),
    rules: rulesAtStart(store),
    facts: newest.facts,
    changed: changedSinceIndex(root, [...new Set(newest.facts.decisions.flatMap(({ files }) => files))]),
    concepts: readConcepts(store).concepts,
    tally: newest.tally,
    notes,
    digest: digestOf(store, known, notes, id),
    sessions: sessionEnds(known, session?.file ?? ''),
    pages: readPages(store)
      .filter(({ name, text }) => !isUntouchedTemplate(name, text))
      .map(({ name, text }) => ({ name, text: pageText(text) })),
    archives: state.rotatedFiles
      .slice(-MAX_ARCHIVES)
      .toReversed()
      .map(({ file, summary }) => ({ file, summary: readSummary(store, summary) }))
      .map(({ file, summary }) => ({ file, summary: summary?.unaudited === true ? null : summary })),
    autoMemory: store.config.autoMemory === 'read' ? readAutoMemory(store) : null,
    ...readForeign(store),
    compacted,
    session: session === undefined ? null : id8OfFile(session.file),
    maxChars: store.config.briefingChars,
  }
}

/** Of thousands of facts only those that may be injected are read: a session waits. A broken file is repaired elsewhere. */
function readNewest(store: Store): NewestFacts {
  const file = path.join(store.dir, FACTS_FILE)
  const text = (sizeOf(file) ?? 0) < MANY_FACTS_CHARS ? null : readOwnText(file)
  return (text === null ? null : newestFacts(withoutMark(text))) ?? { facts: readFacts(store), tally: null }
}

/** From memory.md; right after a rotation, the notes of the newest archive come before them. */
function recentNotes(store: Store, state: State): Note[] {
  const notes = writtenIn(readMemory(store)).filter(isToldNote)
  // By name, which begins with the time: an archive may have been indexed later.
  const newest = state.rotatedFiles
    .map(({ file }) => file)
    .toSorted(compareText)
    .at(-1)
  if (newest === undefined || notes.reduce((sum, { text }) => sum + text.length, 0) >= FEW_NOTE_CHARS) return notes
  const known = new Set(notes.map(({ id }) => id))
  return [
    ...writtenIn(readArchive(store, newest) ?? '').filter((note) => isToldNote(note) && !known.has(note.id)),
    ...notes,
  ]
}

/** For the newest session with notes. */
function digestOf(store: Store, known: readonly Named[], notes: readonly Note[], running: string): Digest | null {
  const id8 = notes.findLast(({ session }) => session !== null)?.session
  const own = notes.filter(({ session }) => session === id8)
  const [id, session] = known.find(([, { file }]) => id8OfFile(file) === id8) ?? []
  if (!id8 || session === undefined || id === running || session.entries > MOST_ENTRIES) return null
  // Includes open entries: for example an unanswered question.
  const entries = once(() => toTell(readSession(store, session.file).map((entry, n) => ({ n, entry }))))
  return {
    session: id8,
    at: own.at(-1)?.at ?? '',
    // A note that a person edited stays.
    isNote: own.every(
      ({ author, text, fingerprint }) => author === 'extractive' && fingerprint === fingerprintOfNote(text),
    ),
    lines: perKey((chars: number) => structureLines(entries(), chars)),
    end: (chars) => endOf(entries(), chars),
  }
}

type Named = [id: string, session: SessionState]

/** From the state, and from the newest files of settled sessions. */
function newestSessions(store: Store, state: State): Named[] {
  const known = new Map(Object.entries(state.sessions))
  for (const name of settledNames(store.dir).toReversed()) {
    if (known.size >= MAX_SESSIONS) break
    // The state's record is newer than that of a settled file.
    for (const [id, stored] of readSettled(store.dir, name).sessions) if (!known.has(id)) known.set(id, stored)
  }
  return allSessions({ sessions: Object.fromEntries(known) })
}

/** Where the newest sessions stand. `running`: the file of the session that gets the briefing. */
function sessionEnds(known: readonly Named[], running: string): SessionEnd[] {
  return known
    .flatMap(([, { file, goal = '', stands, refine, entries, tools }]): SessionEnd[] => {
      const id = id8OfFile(file)
      if (id === null || file === running || (goal === '' && !stands?.text)) return []
      const isSmall = tools === 0 && entries < SMALL_ENTRIES
      return [{ id, at: refine.ts, goal, stands: stands?.text ?? '', isSmall }]
    })
    .sort((a, b) => compareText(b.at, a.at) || compareText(b.id, a.id))
    .slice(0, MAX_SESSIONS)
}

function projectVersion(root: string): string | null {
  const found =
    /^\s*"version"\s*:\s*"([\w.+-]{1,40})"/m.exec(headOf(root, 'package.json')) ??
    /^version\s*=\s*"([\w.+-]{1,40})"/m.exec(headOf(root, 'Cargo.toml') + headOf(root, 'pyproject.toml'))
  return found?.[1] ?? null
}

function headOf(root: string, name: string): string {
  return `${readPart(path.join(root, name), 0, 16_384, MOST_BYTES)?.toString() ?? ''}\n`
}

/** The briefing of this session, or of the one it was forked from. */
function earlierBriefing(store: Store, state: State, session: string): string | null {
  const parent = sessionIn(state, session)?.forkOf?.session
  return readReceipt(store, session) ?? (parent === undefined ? null : readReceipt(store, parent))
}
