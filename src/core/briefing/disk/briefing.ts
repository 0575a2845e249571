/** The briefing of a memory: gathers its input, and stores what each session was given. */

import path from 'node:path'
import { frameFor } from '../../../kernel/memory/disk/frame-key.ts'
import { newestStored } from '../../../kernel/memory/disk/settled.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { isToldNote, notesIn, type WrittenNote, writtenIn } from '../../../kernel/memory/note.ts'
import type { SessionState } from '../../../kernel/memory/session-state.ts'
import { allSessions, type State, sessionIn } from '../../../kernel/memory/state.ts'
import { readOwnText, readPart, sizeOf } from '../../../kernel/platform/disk/files.ts'
import { archiveStamp, FACTS_FILE, id8OfFile } from '../../../kernel/platform/layout.ts'
import { redactorFor } from '../../../kernel/redact/redact.ts'
import { toTell } from '../../../kernel/sessions/delta.ts'
import { adoptFile } from '../../../kernel/sessions/disk/cursor.ts'
import { allSessionFiles } from '../../../kernel/sessions/disk/session-archive.ts'
import { entriesOf } from '../../../kernel/sessions/disk/sessions.ts'
import type { TailSession } from '../../../kernel/sessions/disk/tails.ts'
import { unpushedNow } from '../../../kernel/sessions/disk/unpushed.ts'
import { compareText } from '../../../kernel/text/memory-words.ts'
import { once } from '../../../kernel/text/once.ts'
import { currentBranch } from '../../../kernel/trust/disk/git-head.ts'
import { changedSinceIndex } from '../../../kernel/trust/disk/git-index.ts'
import { readConcepts, readFacts, rulesAtStart, withoutMark } from '../../knowledge/disk/knowledge.ts'
import { awaitsAudit } from '../../knowledge/item.ts'
import { allFacts, byKind, openIssues } from '../../knowledge/items.ts'
import { auditOutlookIn } from '../../model/disk/model-call.ts'
import { readArchive, readMemory, readSummary } from '../../notes/disk/memory.ts'
import { type OpenWork, openWorkOf } from '../../notes/open-work.ts'
import { readForeign } from '../../others/disk/others.ts'
import { readAutoMemory, readPages } from '../../pages/disk/pages.ts'
import { isUntouchedTemplate, pageText } from '../../pages/page.ts'
import { keepReceipt, readReceipt } from '../../receipts/disk/journal.ts'
import type { Briefing } from '../../receipts/receipt.ts'
import { type BriefingInput, renderBriefing } from '../briefing.ts'
import type { RoomLine } from '../briefing-input.ts'
import { compactedLines } from '../briefing-parts.ts'
import { carriedOutIn, chooseSessions } from '../current-state.ts'
import { earlierState, withoutTaken } from '../earlier-version.ts'
import { laterWords } from '../later-words.ts'
import { MANY_FACTS_CHARS, type NewestFacts, newestFacts } from '../newest-facts.ts'
import { type Standing, whereItStandsNow } from '../standing.ts'
import { readStories } from './stories.ts'

const MAX_ARCHIVES = 12
/** Notes of the last sessions may be in archives: at most so many are read. */
const READ_ARCHIVES = 3
/** Session files that are read where no state names them. */
const READ_LOST = 8
/** The briefing has room for a line about at most this many sessions. */
const MAX_SESSIONS = 100
/** A larger file of the project is not a small settings file. */
const MOST_BYTES = 4 * 1024 * 1024

export interface Brief {
  /** Null: nothing is injected. */
  text: string | null
  /** Stores the receipt. */
  keep: () => void
  /** What the line at the start says; made when it is asked for. */
  standing: () => Standing
}

interface StartOf {
  session: string
  /** Whether another terminal runs a session. */
  isRunning?: (session: SessionState) => boolean
  /** The ends of transcripts that are not captured yet. */
  tails?: readonly TailSession[]
}

/** The text for a session that starts. A session that continues gets the same bytes as before. */
export function briefSession(
  store: Store,
  start: StartOf & { source: string; compacted?: readonly RoomLine[] | null },
): Brief {
  const state = store.readState()
  const goesOn = start.source === 'resume' || start.source === 'fork'
  const earlier = goesOn ? earlierBriefing(store, state, start.session) : null
  const { compacted = null } = start
  const input = once(() => gatherBriefing(store, state, { ...start, compacted }))
  const standing = once(() => standingOf(store, input()))
  const noBriefing = { text: null, keep: () => undefined, standing }
  if (earlier !== null)
    return { text: earlier, keep: () => keepReceipt(store, start.session, { text: earlier, lines: null }), standing }
  // It began with us and nothing was injected: everything remembered since is its own. A fork has its parent's briefing.
  if (start.source === 'fork' || (goesOn && sessionIn(state, start.session)?.isLive)) return noBriefing
  const briefing = renderBriefing(input())
  return briefing === null
    ? noBriefing
    : { text: briefing.text, keep: () => keepReceipt(store, start.session, briefing), standing }
}

/** Of any session that starts. */
export function renderStart(store: Store, state: State): { briefing: Briefing | null; standing: Standing } {
  const input = gatherBriefing(store, state, { session: '', compacted: null })
  return { briefing: renderBriefing(input), standing: standingOf(store, input) }
}

/** What the last session left open. With `openIssues` it is all that is open, for the briefing and every screen. */
export function openWork(store: Store): readonly OpenWork[] {
  return gatherBriefing(store, store.readState(), { session: '', compacted: null }).work
}

function standingOf(store: Store, input: BriefingInput): Standing {
  // Of thousands of facts a briefing reads only the newest.
  const issues = openIssues(input.tally === null ? input.facts : readFacts(store))
  return { open: issues.length + input.work.length, stands: whereItStandsNow(input) }
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

/** `compacted`: what this session did, which the host is about to drop. */
export function gatherBriefing(
  store: Store,
  state: State,
  { session: id, compacted, isRunning = () => false, tails = [] }: StartOf & { compacted: readonly RoomLine[] | null },
): BriefingInput {
  const { root } = store.places.project
  const newest = readNewest(store)
  // Where nothing waits, nobody asks: the record of background calls changes with each of them.
  const isAuditGone = once(() => !auditOutlookIn(store, null).canCome)
  const isLost = ({ id }: { id: string }): boolean => state.unplaced.includes(id)
  const written = recentNotes(store, state)
  const known = newestSessions(store, state)
  const notes = withoutTaken(written, newest).filter((note) => isToldNote(note) || isLost(note) || isAuditGone())
  const waiting = allFacts(newest.facts).filter((fact) => awaitsAudit(fact))
  const branch = currentBranch(root, redactorFor(store.config))
  const read = readStories(store, known, { running: id, isRunning, branch, notes, tails })
  const inStories = new Set(read.stories.map(({ story }) => story.id8))
  const { main } = chooseSessions(read.stories, branch)
  const own = compacted === null ? undefined : sessionIn(state, id)
  return {
    project: path.basename(root),
    branch,
    version: projectVersion(root),
    rules: rulesAtStart(store),
    facts: newest.facts,
    later: laterWords({ stories: read.stories, facts: newest.facts }),
    unaudited: waiting.filter((fact) => isLost(fact) || isAuditGone()),
    changed: changedSinceIndex(root, [...new Set(byKind(newest.facts).decisions.flatMap(({ files }) => files))]),
    concepts: readConcepts(store).concepts,
    tally: newest.tally,
    ...(newest.isLeftOut === undefined ? {} : { isLeftOut: newest.isLeftOut }),
    ...read,
    stateBefore: earlierState(written),
    // What runs in another terminal is not left.
    work: openWorkOf(
      main === null || main.isRunning ? null : main.story,
      main !== null && carriedOutIn(main, read.stories) !== '',
      unpushedNow(store),
    ),
    notes: notes.filter(
      ({ session, author }) => session === null || (!inStories.has(session) && author !== 'extractive'),
    ),
    pages: readPages(store)
      .filter(({ name, text }) => !isUntouchedTemplate(name, text))
      .map(({ name, text }) => ({ name, text: pageText(text) })),
    // What code writes about an archive counts its notes: that is no memory.
    archives: state.rotatedFiles
      .filter(({ summaryGenerated }) => summaryGenerated)
      .slice(-MAX_ARCHIVES)
      .toReversed()
      .map(({ file, summary }) => ({ file, summary: readSummary(store, summary) }))
      .map(({ file, summary }) => ({ file, summary: summary?.unaudited === true ? null : summary })),
    autoMemory: store.config.autoMemory === 'read' ? readAutoMemory(store) : null,
    ...readForeign(store),
    compacted,
    session: own === undefined ? null : id8OfFile(own.file),
    maxChars: store.config.briefingChars,
    frame: frameFor(store.places),
  }
}

/** Of thousands of facts only those that may be injected are read: a session waits. A broken file is repaired elsewhere. */
function readNewest(store: Store): NewestFacts {
  const file = path.join(store.dir, FACTS_FILE)
  const text = (sizeOf(file) ?? 0) < MANY_FACTS_CHARS ? null : readOwnText(file)
  return (text === null ? null : newestFacts(withoutMark(text))) ?? { facts: readFacts(store), tally: null }
}

/** From memory.md and the newest archives: where memory.md was cut does not matter. Oldest first. */
function recentNotes(store: Store, state: State): WrittenNote[] {
  // By name, which begins with the time: an archive may have been indexed later.
  const archives = state.rotatedFiles
    .map(({ file }) => file)
    .toSorted(compareText)
    .slice(-READ_ARCHIVES)
  const texts = [
    ...archives.map((file) => ({ text: readArchive(store, file) ?? '', at: archiveStamp(file) ?? '' })),
    { text: readMemory(store), at: '' },
  ]
  const notes = new Map<string, WrittenNote>()
  let since = ''
  const written = texts.flatMap(({ text, at }) => {
    const isDated = notesIn(text).length > 0
    // Where nothing else dates an archive, its name does.
    const some = writtenIn(text, since || (isDated ? '' : at))
    since = some.findLast((note) => note.at !== '')?.at ?? since
    return some
  })
  // A rotation carries the newest notes over: the newer copy counts.
  for (const note of written) {
    const key = note.raw !== undefined ? `${note.at} ${note.text}` : note.id
    const known = notes.get(key)
    if (known !== undefined && isToldNote(known) && !isToldNote(note)) continue
    notes.delete(key)
    notes.set(key, note)
  }
  return [...notes.values()]
}

type Named = [id: string, session: SessionState]

/** From the state, and from the newest files of settled sessions. */
function newestSessions(store: Store, state: State): Named[] {
  const known = newestStored(store.dir, state, MAX_SESSIONS)
  // The state is lost or nobody may read it: the files are there.
  if (Object.keys(known).length === 0)
    return allSessionFiles(store.dir)
      .slice(-READ_LOST)
      .map((file): Named => [file, adoptFile(store, file, '')])
      .reverse()
  return allSessions({ sessions: known })
    .toSorted(([, a], [, b]) => compareText(b.refine.ts, a.refine.ts) || compareText(b.file, a.file))
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
