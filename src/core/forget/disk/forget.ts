/** Forgetting: deletes something from every layer and every copy, and records a fingerprint so that it does not come back. */
import path from 'node:path'
import { isDerived } from '../../../kernel/memory/disk/derived.ts'
import { dirsOf, undecodedFiles, unreadFiles } from '../../../kernel/memory/disk/our-files.ts'
import { COMMAND_WAIT_MS, type Store, underLock } from '../../../kernel/memory/disk/store.ts'
import { allSessions } from '../../../kernel/memory/state.ts'
import { type Disk, disk, removeTree, statOf } from '../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { id8OfFile, SESSIONS_DIR, SYNC_DIR, SYNC_REPOSITORY } from '../../../kernel/platform/layout.ts'
import { allSessionFiles } from '../../../kernel/sessions/disk/session-archive.ts'
import { removeSessionRows } from '../../../kernel/sessions/disk/sessions.ts'
import { keepForgotten } from '../../../kernel/sessions/disk/tombstones.ts'
import { type ForgetRecord, markOfAsked, marksOfSaid } from '../../../kernel/sessions/forget-record.ts'
import { isOnlyGits } from '../../../kernel/trust/disk/trust.ts'
import { removeKeptBriefing } from '../../briefing/disk/briefing-kept.ts'
import { fileKinds } from '../../files.ts'
import { updateConcepts } from '../../knowledge/disk/fact-care.ts'
import { standInMissing } from '../../notes/disk/summaries.ts'
import { renderAgain, rendersOf } from '../../notes/disk/tiers.ts'
import { mayTouchClaudeMd, syncClaudeMd, whyNotSynced } from '../../pages/disk/claude-md.ts'
import { readRules } from '../../pages/disk/rules.ts'
import { removeIndex } from '../../search/disk/memory-index.ts'
import { type ForgetSurroundings, surroundingsOf } from './forget-about.ts'
import { type FileWork, lookThrough, removeStrays, takeOut } from './forget-files.ts'
import { type ForgetWhat, type Selection, selectForget } from './forget-select.ts'

export type { ForgetWhat }

export interface ForgetItem {
  /** L1:1a2b3c4d#5, d001, n-…, or the name of the file. */
  id: string
  kind: string
  file: string
  /** For people: `facts.json`, `vault: facts.json`. */
  where: string
  /** One line of the deleted text; empty: the item is rewritten without it. */
  text: string
}

export interface ForgetPlan {
  what: ForgetWhat
  items: ForgetItem[]
  isEmpty: boolean
  /** Entries that contain it and stay. */
  stays: string[]
  /** Prompts that the user typed in other sessions in the same words: they stay. */
  elsewhere: string[]
  /** Claude Code's own files that contain it; we never write them. */
  transcripts: string[]
}

const PREVIEW_CHARS = 160
/** Other processes may write about it meanwhile: further passes delete that too. */
const PASSES = 3

/** What would be deleted; changes nothing. Throws `not-found` if there is no such item. */
export function planForget(store: Store, what: ForgetWhat): ForgetPlan {
  const { selection, around } = understood(store, what)
  const items = lookThrough(store, around, selection.sources).flatMap((one) => itemsOf(store, one))
  const transcripts = allSessions(store.readState()).flatMap(([, { file, transcript }]) =>
    around.about.sessions.has(id8OfFile(file) ?? '') && statOf(path.resolve(transcript)) !== null ? [transcript] : [],
  )
  return { what, items, isEmpty: items.length === 0, stays: selection.stays, elsewhere: around.elsewhere, transcripts }
}

/**
 * Deletes what `plan.what` matches now. Fingerprints first, then copies and derived files, sources last: after a kill anywhere,
 * the same command completes it. `left`: files that still contain it, and why.
 */
export function performForget(
  store: Store,
  plan: Pick<ForgetPlan, 'what'>,
  now: string,
  to: Disk = disk,
): { removed: ForgetItem[]; left: string[] } {
  const { selection, around } = understood(store, plan.what)
  let work = lookThrough(store, around, selection.sources)
  const about = allSessionFiles(store.dir).filter((file) => around.about.sessions.has(id8OfFile(file) ?? ''))
  const renders = new Set(about.flatMap(rendersOf))
  // What another machine forgot is recorded already.
  if (work.length > 0 && plan.what.is !== 'records')
    underLock(store, COMMAND_WAIT_MS, () =>
      keepForgotten(store, recordOf(store, plan.what, selection, around, work, now), to),
    )
  const removed: ForgetItem[] = []
  const left = new Set<string>()
  for (let pass = 0; pass < PASSES && work.length > 0; pass++) {
    left.clear()
    for (const [i, one] of work.entries()) {
      // Once the source is deleted, the same command finds nothing: everything else must be done before.
      if (one.isSource && work[i - 1]?.isSource !== true) settle(store, now, left)
      const why = takeOut(store, one, around, to)
      if (why === null) removed.push(...itemsOf(store, one))
      else left.add(why)
      renders.add(one.name.slice(SESSIONS_DIR.length + 1))
    }
    work = lookThrough(store, around, selection.sources)
  }
  // A summary that another process wrote meanwhile is derived from the remaining entries.
  for (const { file, gone } of work)
    if (gone.some(({ kind }) => kind !== 'summary') && ![...left].some((why) => why.startsWith(file)))
      left.add(`${file}: it is still there`)
  for (const file of unreadFiles(store)) left.add(`${file}: it cannot be read`)
  for (const file of undecodedFiles(store))
    left.add(`${file}: it is not saved in UTF-8, and may still contain it; save it in UTF-8, or delete it`)
  renderAgain(store, renders, now)
  settle(store, now, left)
  removeStrays(store)
  // Its objects contain what this machine has sent; the next sync makes it anew, and runs this itself for what others forgot.
  if (plan.what.is !== 'records') removeTree(path.join(store.places.homeDir, SYNC_DIR, SYNC_REPOSITORY))
  // The directory is the user's own, but nothing in it is read or changed until they have accepted what git brought.
  if (store.ownership === 'foreign' && isOnlyGits(store.places))
    left.add(`${store.places.inProject}: git brought files into it (memory-keeper trust shows them)`)
  const once = new Map(removed.map((item) => [`${item.file} ${item.id} ${item.text}`, item]))
  return { removed: [...once.values()], left: [...left] }
}

function understood(store: Store, what: ForgetWhat): { selection: Selection; around: ForgetSurroundings } {
  const selection = selectForget(store, what)
  if (selection === null) throw notFound(what)
  return { selection, around: surroundingsOf(store, selection) }
}

/** Updates everything derived from the files: concepts, archive summaries, the section in CLAUDE.md, and caches. */
function settle(store: Store, now: string, left: Set<string>): void {
  underLock(store, COMMAND_WAIT_MS, () => {
    updateConcepts(store, now)
    standInMissing(store, now)
  })
  if (mayTouchClaudeMd(store)) {
    const synced = underLock(store, COMMAND_WAIT_MS, () => syncClaudeMd(store, readRules(store)))
    if (synced === 'refused' || synced === 'damaged') left.add(whyNotSynced(store))
  }
  for (const why of renewDerived(store)) left.add(why)
  for (const dir of dirsOf(store)) removeCaches({ ...store, dir })
}

/** They contain words of the memory; the next use rebuilds them. */
export function removeCaches(store: Store): void {
  removeIndex(store, store.places.cacheDir)
  removeSessionRows(store)
  removeKeptBriefing(store)
}

/** Files that are made from the memory are made again. Returns what could not be: a link or a foreign folder in its place does not stop the rest. */
export function renewDerived(store: Store): string[] {
  return fileKinds()
    .filter(isDerived)
    .flatMap(({ name, title, renew, again }) => {
      try {
        renew(store)
        return []
      } catch (error) {
        if (!(error instanceof KeeperError)) throw error
        return [`${title ?? name}: ${error.message} Then: ${again}`]
      }
    })
}

/** Contains fingerprints only. Sentences are those of items that could be written again independently of the entries. */
function recordOf(
  store: Store,
  what: ForgetWhat,
  { whole }: Selection,
  { about, keys, places, open }: ForgetSurroundings,
  work: readonly FileWork[],
  at: string,
): ForgetRecord {
  const known = allSessions(store.readState())
  const idOf = new Map(known.map(([id, session]) => [id8OfFile(session.file) ?? '', id]))
  const waiting = [...open].map(([id8, words]) => ({ session: idOf.get(id8) ?? id8, words: [...words] }))
  const live = known.flatMap(([id, { isLive, isEnded }]) => (isLive && !isEnded ? [id] : []))
  const things = work.flatMap(({ gone }) => gone).filter(({ kind }) => SAID.test(kind))
  const asked = what.is === 'query' ? markOfAsked(what.query) : null
  const said = new Set(things.flatMap(({ text }) => marksOfSaid(text)))
  // Another machine's clock may be ahead: its row was said before it was forgotten.
  const last = [at, ...things.flatMap(({ at: saidAt }) => saidAt ?? [])].toSorted().at(-1) ?? at
  return {
    at: last,
    ...(keys.length === 0 ? {} : { keys }),
    ...(places.length === 0 ? {} : { places }),
    ...(whole.size === 0 ? {} : { whole: [...whole] }),
    ...(waiting.length === 0 ? {} : { open: waiting }),
    ...(said.size === 0 ? {} : { said: [...said] }),
    ...(asked === null ? {} : { asked, live }),
    ...(about.sessions.size === 0 ? {} : { raw: [...about.sessions] }),
  }
}

/** Kinds that are written directly, not derived from entries known by their keys. */
const SAID = /^(?:decision|pattern|issue|permanent|note|text|page|stands|rule)$/

function itemsOf({ dir, places }: Store, { file, gone, place: { root, is }, name }: FileWork): ForgetItem[] {
  const inCopy = is === 'memory' ? (root.startsWith(places.vault) ? 'vault' : 'copy') : is
  const where = root === dir ? name : `${inCopy}: ${name}`
  // The state contains it only until its transcript line comes: it is not shown to people.
  return gone.flatMap(({ id, kind, text }) =>
    kind === 'state' ? [] : [{ id, kind, file, where, text: preview(text) }],
  )
}

function preview(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= PREVIEW_CHARS ? line : `${line.slice(0, PREVIEW_CHARS - 1)}…`
}

function notFound(what: ForgetWhat): KeeperError {
  const is =
    what.is === 'session' ? `There is no session ${what.session}` : `Nothing has the id ${'id' in what ? what.id : ''}`
  const lists = what.is === 'session' ? 'memory-keeper sessions lists them.' : 'memory-keeper search finds ids.'
  return new KeeperError('not-found', `${is}, or it is already forgotten. ${lists}`)
}
