/** Reads the newest sessions as stories: what a briefing tells of them, what was learned in them, and what the last one left open. */

import path from 'node:path'
import { type Store, sessionPath } from '../../../kernel/memory/disk/store.ts'
import { fingerprintOfNote, type Note } from '../../../kernel/memory/note.ts'
import type { SessionState } from '../../../kernel/memory/session-state.ts'
import { sizeOf } from '../../../kernel/platform/disk/files.ts'
import { id8OfFile } from '../../../kernel/platform/layout.ts'
import { entriesAtEnd } from '../../../kernel/sessions/disk/session-end.ts'
import type { TailSession } from '../../../kernel/sessions/disk/tails.ts'
import { shortenTo } from '../../../kernel/text/memory-words.ts'
import { reportsAmong } from '../../../kernel/transcript/agent-report.ts'
import type { Numbered } from '../../../kernel/transcript/session.ts'
import { learnedIn } from '../../notes/learned.ts'
import { outlineOf, usedFiles } from '../../notes/report-outline.ts'
import { storyOf } from '../../notes/story.ts'
import { onOneLine } from '../../notes/structure-text.ts'
import type { BriefingInput, SessionEnd, StoryInput } from '../briefing-input.ts'

/** Learned counts sessions: a task that was refused in two of them. More are not read at a start. */
const MOST_STORIES = 40
const MOST_BYTES = 12 * 1024 * 1024
/** Of a longer session file only the end is read. */
const MOST_STORY_BYTES = 2 * 1024 * 1024
const TITLE_CHARS = 90
/** With the title, day and id a line of 240 characters. */
const OUTLINE_CHARS = 100

type Named = [id: string, session: SessionState]

export interface StoryOptions {
  /** The session that gets the briefing is not told. */
  running: string
  /** Whether another terminal runs it. */
  isRunning: (session: SessionState) => boolean
  /** Reports of agents are told on the branch where they were written. */
  branch: string | null
  /** Of all sessions, oldest first. */
  notes: readonly Note[]
  /** The ends of transcripts that are not captured yet, newest first. */
  tails: readonly TailSession[]
}

interface Read {
  id8: string
  entries: readonly Numbered[]
  /** Null: only the end of its transcript is read. */
  session: SessionState | null
  isNumbered: boolean
}

type Stories = Pick<BriefingInput, 'stories' | 'headless' | 'learned' | 'reports' | 'earlier'>

/** `known`: newest first. */
export function readStories(store: Store, known: readonly Named[], options: StoryOptions): Stories {
  const others = known.filter(([id, { file }]) => id !== options.running && id8OfFile(file) !== null)
  const stored: Read[] = []
  let left = MOST_BYTES
  for (const [, session] of others.slice(0, MOST_STORIES)) {
    const size = Math.min(sizeOf(placeOf(store, session)) ?? 0, MOST_STORY_BYTES)
    if (size > left) break
    left -= size
    stored.push({
      id8: id8OfFile(session.file) ?? '',
      entries: entriesAtEnd(store, session, MOST_STORY_BYTES),
      session,
      isNumbered: true,
    })
  }
  // Of these the memory contains the beginning at most.
  const tails = options.tails.filter(({ isCaptured }) => !isCaptured)
  const ends = tails.map(({ id8, entries, isWhole }): Read => ({ id8, entries, session: null, isNumbered: isWhole }))
  const all = [...ends, ...stored.filter(({ id8 }) => !ends.some((end) => end.id8 === id8))]
  const stories = all.map(({ id8, entries, session, isNumbered }): StoryInput => {
    const { stands } = session ?? {}
    const story = storyOf(id8, entries, isNumbered)
    return {
      // An entry names its branch where that changes: perhaps before the part that is read.
      story: story.branch === '' ? { ...story, branch: session?.refine.branch ?? '' } : story,
      notes: isNumbered ? options.notes.filter((note) => note.session === id8 && isWritten(note)) : [],
      stands: stands === undefined || stands.by === 'extractive' ? '' : stands.text,
      isRunning: session !== null && options.isRunning(session),
      ...(session?.isLive === true ? { isSeen: true as const } : {}),
      ...(isNumbered && (entries[0]?.n ?? 0) === 0 ? {} : { isEnd: true as const }),
    }
  })
  const typed = all.filter(({ isNumbered }, i) => isNumbered && stories[i]?.story.isHeadless === false)
  return {
    stories: stories.toSorted((a, b) => (a.story.to < b.story.to ? 1 : a.story.to > b.story.to ? -1 : 0)),
    headless: stories.filter(({ story }) => story.isHeadless).length,
    learned: learnedIn(typed.toReversed()),
    reports: typed
      .filter(({ id8 }) => stories.find(({ story }) => story.id8 === id8)?.story.branch === (options.branch ?? ''))
      .flatMap(({ id8, entries }) => reportsIn(id8, entries)),
    earlier: others.slice(stored.length).map(([, session]) => endOf(session)),
  }
}

/** Not by code, or a person has changed what code wrote. */
function isWritten({ author, text, fingerprint }: Note): boolean {
  return author !== 'extractive' || fingerprint !== fingerprintOfNote(text)
}

function placeOf(store: Store, { file }: SessionState): string {
  return path.join(store.dir, sessionPath(file))
}

/** Newest first. The description is what the agent was started with. */
function reportsIn(id8: string, entries: readonly Numbered[]): BriefingInput['reports'] {
  const reports = reportsAmong(entries)
  const used = usedFiles(entries)
  return entries.toReversed().flatMap(({ n, entry }) => {
    const report = reports.get(n)
    if (entry.role !== 'tool' || report === undefined) return []
    const title = shortenTo(onOneLine(entry.title ?? entry.cmd), TITLE_CHARS)
    if (title === null || title === '') return []
    return [{ at: entry.ts, source: `${id8}#${n}`, text: title, about: outlineOf(report, used, OUTLINE_CHARS) }]
  })
}

function endOf({ file, goal = '', refine }: SessionState): SessionEnd {
  return { id: id8OfFile(file) ?? '', at: refine.ts, goal }
}
