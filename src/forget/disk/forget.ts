/** Forgetting: everything of ours that says it, in every layer and every copy, and a mark by which it stays away. */
import path from 'node:path'
import { removeKeptBriefing } from '../../briefing/disk/briefing-kept.ts'
import { refreshShare } from '../../copies/disk/share.ts'
import { updateConcepts } from '../../knowledge/disk/concepts.ts'
import { dirsOf, type OurPlace, unreadFiles } from '../../memory/disk/our-files.ts'
import { COMMAND_WAIT_MS, type Store } from '../../memory/disk/store.ts'
import { allSessions } from '../../memory/state.ts'
import { contextOf, type ForgetSurroundings } from '../../outgoing/disk/forget-context.ts'
import { type ForgetWhat, select } from '../../outgoing/disk/forget-select.ts'
import { type FileWork, lookThrough, removeStrays, takeOut } from '../../outgoing/disk/forget-work.ts'
import { mayTouchClaudeMd, syncClaudeMd, whyNotSynced } from '../../pages/disk/claude-md.ts'
import { readRules } from '../../pages/disk/rules.ts'
import { type Disk, disk, statOf } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { id8OfFile } from '../../platform/layout.ts'
import { removeIndex } from '../../search/disk/index/index.ts'
import { removeSessionRows } from '../../sessions/disk/session-rows.ts'
import { keepForgotten } from '../../sessions/disk/tombstones.ts'
import { type ForgetRecord, markOfAsked, marksOfSaid } from '../../sessions/forget-record.ts'
import { isOnlyGits } from '../../trust/disk/trust.ts'
import type { Gone } from '../forget-context.ts'

export type { ForgetWhat }

export interface ForgetItem {
  /** L1:1a2b3c4d#5, d001, n-…, or the name of the file. */
  id: string
  kind: string
  file: string
  /** For people: `facts.json`, `vault: facts.json`. */
  where: string
  /** One line of what goes; empty: it is written anew without it. */
  text: string
}

export interface ForgetPlan {
  what: ForgetWhat
  items: ForgetItem[]
  isEmpty: boolean
  /** Entries that say it and stay: `withSource` takes them as well. */
  stays: string[]
  /** Sentences of rules and pages that say it among other things, and stay; each with its file. */
  also: string[]
  /** Claude Code's own files that hold it; they are never written by us. */
  transcripts: string[]
}

const PREVIEW_CHARS = 160
/** While this goes on somebody may write about it: what came meanwhile goes, too. */
const PASSES = 3

/** What would go; nothing is changed. Throws `not-found` where there is nothing of the kind. */
export function planForget(store: Store, what: ForgetWhat): ForgetPlan {
  const { selection, context } = understood(store, what)
  const items = lookThrough(store, context, selection.sources).flatMap((one) => itemsOf(store, one))
  return {
    what,
    items,
    isEmpty: items.length === 0,
    stays: selection.stays,
    also: context.also,
    transcripts: transcriptsOf(store, context),
  }
}

/**
 * Takes out what `plan.what` means now. Marks first, copies and what was made of it next, what it was made from last: killed
 * anywhere, the same again finishes it. `left`: files that still hold it, and why.
 */
export function performForget(
  store: Store,
  plan: Pick<ForgetPlan, 'what'>,
  now: string,
  to: Disk = disk,
): { removed: ForgetItem[]; left: string[] } {
  const { selection, context } = understood(store, plan.what)
  const first = lookThrough(store, context, selection.sources)
  if (first.length > 0)
    underLock(store, () =>
      keepForgotten(store, recordOf(store, plan.what, { ...context, whole: selection.whole }, first, now), to),
    )
  const removed: ForgetItem[] = []
  const left = new Set<string>()
  let work = first
  for (let pass = 0; pass < PASSES && work.length > 0; pass++) {
    left.clear()
    for (const [i, one] of work.entries()) {
      // With the source goes the way to do it again: whatever else there is must be done by then.
      if (one.isSource && work[i - 1]?.isSource !== true) settle(store, now, left)
      const why = takeOut(store, one, context, to)
      if (why === null) removed.push(...itemsOf(store, one))
      else left.add(why)
    }
    work = lookThrough(store, context, selection.sources)
  }
  for (const { file } of work)
    if (![...left].some((why) => why.startsWith(file))) left.add(`${file}: it is still there`)
  for (const file of unreadFiles(store)) left.add(`${file}: it cannot be read`)
  settle(store, now, left)
  removeStrays(store)
  // It is the user's own, and nothing in it is read or changed until they have looked at what git brought.
  if (store.ownership === 'foreign' && isOnlyGits(store.places))
    left.add(`${store.places.inProject}: git brought files into it (memory-keeper trust shows them)`)
  return { removed: onlyOnce(removed), left: [...left] }
}

function understood(
  store: Store,
  what: ForgetWhat,
): { selection: NonNullable<ReturnType<typeof select>>; context: ForgetSurroundings } {
  const selection = select(store, what)
  if (selection === null) throw notFound(what)
  return { selection, context: contextOf(store, selection) }
}

/** What follows from the files: concepts, the section in CLAUDE.md, and what is kept for speed. */
function settle(store: Store, now: string, left: Set<string>): void {
  underLock(store, () => updateConcepts(store, now))
  if (mayTouchClaudeMd(store)) {
    const synced = underLock(store, () => syncClaudeMd(store, readRules(store)))
    if (synced === 'refused' || synced === 'damaged') left.add(whyNotSynced(store))
  }
  share(store, left)
  for (const dir of dirsOf(store)) {
    const one: Store = { ...store, dir }
    removeIndex(one, store.places.cacheDir)
    removeSessionRows(one)
    removeKeptBriefing(one)
  }
}

/** A link or a stranger's folder in its place is no reason to leave what was asked for half done. */
function share(store: Store, left: Set<string>): void {
  try {
    refreshShare(store)
  } catch (error) {
    if (!(error instanceof KeeperError)) throw error
    left.add(`what you share: ${error.message} Then: memory-keeper share`)
  }
}

/** By fingerprint only. Sentences: of whatever may be said again by others than the entries themselves. */
function recordOf(
  store: Store,
  what: ForgetWhat,
  { about, keys, places, open, whole }: ForgetSurroundings & { whole: ReadonlySet<string> },
  work: readonly FileWork[],
  at: string,
): ForgetRecord {
  const known = allSessions(store.readState())
  const idOf = new Map(known.map(([id, session]) => [id8OfFile(session.file) ?? '', id]))
  const waiting = [...open].map(([id8, words]) => ({ session: idOf.get(id8) ?? id8, words: [...words] }))
  const live = known.flatMap(([id, { isLive, isEnded }]) => (isLive && !isEnded ? [id] : []))
  const things = work.flatMap(({ gone }) => gone).filter(({ kind }) => SAID.has(kind))
  const asked = what.is === 'query' ? markOfAsked(what.query) : null
  const said = new Set(things.flatMap(({ text }) => marksOfSaid(text)))
  return {
    at,
    ...(keys.length === 0 ? {} : { keys }),
    ...(places.length === 0 ? {} : { places }),
    ...(whole.size === 0 ? {} : { whole: [...whole] }),
    ...(waiting.length === 0 ? {} : { open: waiting }),
    ...(said.size === 0 ? {} : { said: [...said] }),
    ...(asked === null ? {} : { asked, live }),
    ...(about.sessions.size === 0 ? {} : { raw: [...about.sessions] }),
  }
}

/** What is written by itself, not made from entries that are known by their keys. */
const SAID: ReadonlySet<string> = new Set([
  'decision',
  'pattern',
  'issue',
  'permanent',
  'standing',
  'note',
  'text',
  'page',
])

function itemsOf(store: Store, { file, gone, place }: FileWork): ForgetItem[] {
  // The state holds it only until its line comes: nothing that a person knows of.
  const told = gone.filter(({ kind }) => kind !== 'state')
  const where = whereOf(store, place, file)
  return told.map((one: Gone) => ({ id: one.id, kind: one.kind, file, where, text: preview(one.text) }))
}

function whereOf({ dir, places }: Store, { root, is }: OurPlace, file: string): string {
  const name = path.relative(root, file).split(path.sep).join('/')
  if (root === dir) return name
  if (is === 'logs') return `logs: ${name}`
  return `${is === 'backup' ? 'backup' : root.startsWith(places.vault) ? 'vault' : 'copy'}: ${name}`
}

function preview(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= PREVIEW_CHARS ? line : `${line.slice(0, PREVIEW_CHARS - 1)}…`
}

function onlyOnce(items: readonly ForgetItem[]): ForgetItem[] {
  const seen = new Set<string>()
  return items.filter(({ id, file, text }) => {
    const key = `${file} ${id} ${text}`
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}

function transcriptsOf(store: Store, { about }: ForgetSurroundings): string[] {
  return allSessions(store.readState()).flatMap(([, { file, transcript }]) =>
    about.sessions.has(id8OfFile(file) ?? '') && statOf(path.resolve(transcript)) !== null ? [transcript] : [],
  )
}

function underLock<T>(store: Store, work: () => T): T {
  const held = store.whileLocked(COMMAND_WAIT_MS, work)
  if (held === null)
    throw new KeeperError('busy', `${store.dir} is in use by another process. Try again in a moment: nothing is lost.`)
  return held.value
}

function notFound(what: ForgetWhat): KeeperError {
  switch (what.is) {
    case 'id':
      return new KeeperError(
        'not-found',
        `Nothing has the id ${what.id}, or it is forgotten already. memory-keeper search finds ids.`,
      )
    case 'session':
      return new KeeperError(
        'not-found',
        `There is no session ${what.session}, or it is forgotten already. memory-keeper sessions lists them.`,
      )
    case 'before':
      return new KeeperError('not-found', `No session ended before ${what.day}. memory-keeper sessions lists them.`)
    case 'query':
      return new KeeperError('not-found', `Nothing says "${what.query}".`)
  }
}
