/** The copy for the team: the user's own folder below `shared/` in the project, what would be written there, and writing it. */
import path from 'node:path'
import { askGit, type GitWorld } from '../../knowledge/disk/git-history.ts'
import { readBoth } from '../../knowledge/disk/knowledge.ts'
import type { Store } from '../../memory/disk/store.ts'
import { isToldNote } from '../../memory/note.ts'
import { listArchives } from '../../notes/disk/memory.ts'
import { listNotes } from '../../notes/disk/note-list.ts'
import { parseSummary } from '../../notes/summary.ts'
import { disk, list, makeDir, readOwnText, removeTree, statOf } from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import { KeeperError } from '../../platform/error.ts'
import { GITATTRIBUTES_FILE, GITIGNORE_FILE, SHARED_DIR, summaryFileOf } from '../../platform/layout.ts'
import { redactorFor } from '../../redact/redact.ts'
import { repositoryAt } from '../../trust/disk/git-head.ts'
import { IGNORE_ALL, IGNORE_BUT_SHARED, isOurIgnore, SHARED_ATTRIBUTES, whoOf } from '../../trust/share-files.ts'
import { planCopy } from '../plan.ts'
import type { Shareable } from '../share.ts'
import { keepSharing, peopleIn, readSharing } from './shared.ts'

interface SharePlan {
  who: string
  /** `shared/<who>`, below the memory directory of the project. */
  dir: string
  /** By its path below that directory: the text that is to stand there. Nothing where nothing changed. */
  writes: Readonly<Record<string, string>>
  /** Paths that go. */
  removes: readonly string[]
  /** There is no note, no fact and no concept to share. */
  isEmpty: boolean
  /** The user changed the memory's .gitignore: it stays as it is. */
  isIgnoreOwn: boolean
}

/** `as`: the name the user gave. Nothing is written. */
export function planShare(store: Store, as: string | undefined, world: GitWorld): SharePlan {
  const { places } = store
  if (store.ownership === 'foreign')
    throw new KeeperError('foreign', `${places.inProject} is not trusted. Look at it first: memory-keeper trust`)
  const before = readSharing(places).as
  const who = nameFor(places, as, before, world)
  refuseLinks(places, who)
  if (who !== before) refuseTaken(places, who)
  const folder = path.join(SHARED_DIR, who)
  const files = planCopy({ to: 'team', memory: readShareable(store), clean: cleaner(store) })
  const there = (name: string): string | null => readOwnText(path.join(places.inProject, name))
  const ignore = there(GITIGNORE_FILE)
  const isIgnoreOwn = ignore !== null && !isOurIgnore(ignore)
  const wanted = [
    ...files.map(({ path: name, text }) => [path.join(folder, name), text] as const),
    [path.join(SHARED_DIR, GITATTRIBUTES_FILE), SHARED_ATTRIBUTES] as const,
    ...(isIgnoreOwn ? [] : [[GITIGNORE_FILE, IGNORE_BUT_SHARED] as const]),
  ]
  return {
    who,
    dir: folder,
    writes: Object.fromEntries(wanted.filter(([name, text]) => text !== '' && there(name) !== text)),
    removes: [
      ...wanted.flatMap(([name, text]) => (text === '' && there(name) !== null ? [name] : [])),
      ...(before === null || before === who ? [] : filesOf(places, before)),
    ],
    isEmpty: files.every(({ text }) => text === ''),
    isIgnoreOwn,
  }
}

export function performShare(store: Store, plan: SharePlan): void {
  // A memory that is kept in the project is begun first: it must not find a directory that somebody else made.
  store.prepare()
  const { inProject } = store.places
  keepSharing(store.places, { as: plan.who })
  makeDir(path.join(inProject, plan.dir))
  for (const [name, text] of Object.entries(plan.writes)) disk.replace(path.join(inProject, name), text)
  for (const name of plan.removes) disk.remove(path.join(inProject, name))
}

/** Brings what is shared up to date after something was forgotten or corrected; nothing where nothing is shared. */
export function refreshShare(store: Store): void {
  const { as } = readSharing(store.places)
  if (as === null || store.ownership === 'foreign') return
  performShare(store, planShare(store, as, { env: {}, platform: '' }))
}

/** The user's folder goes; the rest stays as long as others share. Null: nothing was shared. */
export function endShare({ places }: Store, isDryRun: boolean): { who: string; files: string[] } | null {
  const { as: who } = readSharing(places)
  if (who === null) return null
  refuseLinks(places, who)
  const files = filesOf(places, who)
  if (isDryRun) return { who, files }
  const shared = path.join(places.inProject, SHARED_DIR)
  removeTree(path.join(shared, who))
  keepSharing(places, { as: null })
  if (peopleIn(places).length > 0) return { who, files }
  disk.remove(path.join(shared, GITATTRIBUTES_FILE))
  if (list(shared).length === 0) removeTree(shared)
  const ignore = path.join(places.inProject, GITIGNORE_FILE)
  if (readOwnText(ignore) === IGNORE_BUT_SHARED) disk.replace(ignore, IGNORE_ALL)
  return { who, files }
}

/** What was chosen before, what the user says, or what git knows them by. */
function nameFor(places: Places, as: string | undefined, before: string | null, world: GitWorld): string {
  if (as === undefined && before !== null) return before
  const repository = as === undefined ? repositoryAt(places.project.root) : null
  const asked = repository === null ? null : askGit(repository, ['config', '--get', 'user.name'], world)
  const who = whoOf(as ?? asked ?? '')
  if (who !== null) return who
  throw new KeeperError(
    'no-name',
    `${as === undefined ? 'Git knows no user.name here' : `"${as}" cannot be the name of a folder`}. Give one of letters, digits, dots and hyphens: memory-keeper share --as alice`,
  )
}

function refuseTaken({ inProject }: Places, who: string): void {
  if (statOf(path.join(inProject, SHARED_DIR, who)) === null) return
  throw new KeeperError(
    'taken',
    `${path.join(SHARED_DIR, who)} is there already and was not written here: somebody else of that name, or you on another machine. Take another one: memory-keeper share --as ${who}-2`,
  )
}

/** Git can put a link anywhere, and it would lead the writing elsewhere. */
function refuseLinks({ inProject }: Places, who: string): void {
  const shared = path.join(inProject, SHARED_DIR)
  for (const dir of [inProject, shared, path.join(shared, who)]) {
    const kind = statOf(dir)?.kind
    if (kind !== undefined && kind !== 'dir')
      throw new KeeperError('link', `${dir} is not a directory and is never used. Remove it first.`)
  }
}

function filesOf({ inProject }: Places, who: string): string[] {
  const folder = path.join(SHARED_DIR, who)
  return list(path.join(inProject, folder)).map((name) => path.join(folder, name))
}

/** Secrets by today's rules, and paths as they are called inside of the project. */
function cleaner({ config, places }: Store): (text: string) => string {
  const redact = redactorFor({ ...config, redaction: true })
  const home = path.basename(places.hostDir) === '.claude' ? path.dirname(places.hostDir) : null
  return (text) => {
    const local = text.replaceAll(places.project.root + path.sep, '')
    return redact(home === null ? local : local.replaceAll(home, '~')).text
  }
}

function readShareable(store: Store): Shareable {
  const { facts, concepts } = readBoth(store)
  const summaries = listArchives(store).flatMap((file) => {
    const text = readOwnText(path.join(store.dir, summaryFileOf(file)))
    const parsed = text === null ? null : parseSummary(text)
    return parsed !== null && 'summary' in parsed ? [{ file, summary: parsed.summary }] : []
  })
  return { notes: listNotes(store).notes.filter(isToldNote), summaries, facts, concepts: concepts.concepts }
}
