/** `import-bundle`: one's own bundle comes in as it is, a stranger's as a stranger's words; what is there stays, and nothing comes twice. */
import path from 'node:path'
import { allFacts, type Fact, parseFacts } from '../../knowledge/fact.ts'
import { backUp } from '../../memory/disk/migrate-backup.ts'
import { type Store, stateEffect } from '../../memory/disk/store.ts'
import { type Note, notesIn } from '../../memory/note.ts'
import { allSessions, parseState } from '../../memory/state.ts'
import { targetOf } from '../../migrate/disk/migrate.ts'
import { recordEffect, takenOver } from '../../migrate/disk/migrate-files.ts'
import type { LegacyFile } from '../../migrate/legacy.ts'
import { type Migration, planMigration } from '../../migrate/legacy-plan.ts'
import { withoutForgottenFiles } from '../../notes/disk/forgotten.ts'
import { repairMemory } from '../../notes/disk/memory.ts'
import { addRuleTo, parseRules } from '../../pages/rule.ts'
import { readOwnText } from '../../platform/disk/files.ts'
import type { Effect } from '../../platform/effect.ts'
import { FACTS_FILE, FORGOTTEN_FILE, id8OfFile, RULES_FILE } from '../../platform/layout.ts'
import { redactorFor } from '../../redact/redact.ts'
import {
  allSessionFiles,
  pack,
  packedPath,
  readSessionText,
  unpackedName,
} from '../../sessions/disk/session-archive.ts'
import { type BundleFile, type BundleKind, bundleKindOf } from '../bundle.ts'
import { asStrangers, bundlePaths, bundleText, cleaned, type OpenedBundle, portable } from './bundle.ts'
import { rejoin } from './vault-restore.ts'

export interface BundlePlan {
  effects: Effect[]
  /** Sessions with a name that nobody has here: written first, without the lock. */
  sessions: Effect[]
  counts: { sessions: number; notes: number; facts: number; concepts: number; archives: number }
  pages: string[]
  /** Of somebody else's bundle: what would be told at a start, for the user to look at first. */
  theirs: { what: string; text: string }[]
  /** What stays out, and why. */
  left: { path: string; why: string }[]
  /** This very bundle came in before. */
  isKnown: boolean
}

/** Reads everything and changes nothing. */
export function planBundle(store: Store, bundle: OpenedBundle, now: string): BundlePlan {
  return planFiles(store, bundle, prepared(store, bundle), now)
}

/** Without secrets, and without what was forgotten here. */
function prepared(store: Store, { files }: OpenedBundle): BundleFile[] {
  const redact = redactorFor({ ...store.config, redaction: true })
  const clean = files.map((file) => ({ ...file, text: cleaned(file.path, file.text, redact).text }))
  return withoutForgottenFiles(store, clean)
}

function planFiles(store: Store, bundle: OpenedBundle, files: readonly BundleFile[], now: string): BundlePlan {
  if (takenOver(store, sourceOf(bundle)) !== null) return nothing({ isKnown: true })
  if (bundle.isOwn && isPartOf(store, files)) return exactly(store, files)
  return joined(store, files, bundle.isOwn, now)
}

function sourceOf({ sum }: OpenedBundle): string {
  return `bundle ${sum}`
}

function nothing(more: Partial<BundlePlan> = {}): BundlePlan {
  const counts = { sessions: 0, notes: 0, facts: 0, concepts: 0, archives: 0 }
  return { effects: [], sessions: [], counts, pages: [], theirs: [], left: [], isKnown: false, ...more }
}

/** Nothing is here that the bundle has not: an empty memory, or what a killed import of this bundle left. */
function isPartOf(store: Store, files: readonly BundleFile[]): boolean {
  const texts = new Map(files.map((file) => [file.path, file.text]))
  return bundlePaths(store).every(
    (name) => bundleKindOf(name) === 'state' || bundleText(store, name) === texts.get(name),
  )
}

/** All files as they were, the state that knows of archives last. */
function exactly(store: Store, files: readonly BundleFile[]): BundlePlan {
  const of = (kind: BundleKind): BundleFile[] => files.filter((file) => bundleKindOf(file.path) === kind)
  const missing = files.filter((file) => bundleText(store, file.path) !== file.text)
  const isSession = ({ path: one }: BundleFile): boolean => /^(?:session|packed)$/.test(bundleKindOf(one) ?? '')
  const isState = ({ path: one }: BundleFile): boolean => bundleKindOf(one) === 'state'
  const others = missing.filter((file) => !isSession(file) && !isState(file)).map(written)
  const states = of('state').flatMap(({ text }) => {
    const state = parseState(text)
    return state === null || !missing.some((one) => one.text === text) ? [] : [stateEffect(portable(state))]
  })
  return nothing({
    effects: [...others, ...states],
    sessions: missing.filter(isSession).map(written),
    counts: {
      ...countsIn(files),
      sessions: of('session').length + of('packed').length,
      archives: of('archive').length,
    },
    pages: of('page').map((page) => page.path),
  })
}

function written({ path: name, text }: BundleFile): Effect {
  return bundleKindOf(name) === 'packed'
    ? { do: 'writeBytes', path: name, bytes: pack(Buffer.from(text)) }
    : { do: 'write', path: name, text }
}

function countsIn(files: readonly BundleFile[]): Pick<BundlePlan['counts'], 'notes' | 'facts' | 'concepts'> {
  const textOf = (name: string): string => files.find((file) => file.path === name)?.text ?? ''
  return {
    notes: textOf('memory.md').match(/^<!-- note /gm)?.length ?? 0,
    facts: textOf('facts.json').match(/^ {4}\{"id":"/gm)?.length ?? 0,
    concepts: textOf('concepts.json').match(/^ {2}\{"id":"/gm)?.length ?? 0,
  }
}

/** Beside what is there. */
function joined(store: Store, all: readonly BundleFile[], isOwn: boolean, now: string): BundlePlan {
  const { files, left } = isOwn ? { files: all, left: [] } : asStrangers(store, all, now)
  const of = (kind: BundleKind): BundleFile[] => files.filter((file) => bundleKindOf(file.path) === kind)
  const ours = new Map(allSessionFiles(store.dir).map((file) => [id8OfFile(file), file]))
  const sessions = [...of('session'), ...of('packed')].flatMap((file) => sessionEffect(store, file, ours))
  const beside = [...of('session-facts'), ...of('session-summary')].flatMap((file) => ifMissing(store, file))
  const migration = migrationOf(store, files, isOwn, now)
  const own = isOwn
    ? [
        ...rulesEffect(store, of('rules')),
        // Of 0.5.x: the next session takes its rules over.
        ...of('standing').flatMap((file) => ifMissing(store, file)),
        ...forgottenEffect(store, of('forgotten')),
        ...of('config').flatMap((file) => ifMissing(store, file)),
      ]
    : []
  const { concepts, archives } = migration.counts
  const fresh = freshIn(store, migration.effects)
  return nothing({
    effects: [...beside, ...own, ...migration.effects],
    sessions,
    counts: { sessions: sessions.length, notes: fresh.notes.length, facts: fresh.facts.length, concepts, archives },
    pages: of('page').map((page) => page.path),
    theirs: isOwn
      ? []
      : [
          ...fresh.facts.map(({ type, id, text }) => ({ what: `${type} ${id}`, text })),
          ...fresh.notes.map(({ id, text }) => ({ what: `note ${id}`, text })),
          ...of('page').map((page) => ({ what: page.path, text: page.text })),
        ],
    left: [...left, ...migration.left.map((one) => ({ path: one, why: 'could not be read' }))],
  })
}

/** Notes and facts that are not here yet. */
function freshIn(store: Store, effects: readonly Effect[]): { notes: Note[]; facts: Fact[] } {
  const textOf = (name: string): string => readOwnText(path.join(store.dir, name)) ?? ''
  const isMemory = (name: string): boolean => /^(?:memory|archive)$/.test(bundleKindOf(name) ?? '')
  const notes = effects.flatMap((effect) => {
    if (effect.do !== 'write' || !isMemory(effect.path)) return []
    const known = new Set(notesIn(textOf(effect.path)).map(({ id }) => id))
    return notesIn(effect.text).filter(({ id }) => !known.has(id))
  })
  const ours = new Set(factsIn(textOf(FACTS_FILE)).map(({ id }) => id))
  const facts = effects.flatMap((effect) =>
    effect.do === 'write' && effect.path === FACTS_FILE ? factsIn(effect.text).filter(({ id }) => !ours.has(id)) : [],
  )
  return { notes, facts }
}

function factsIn(text: string): Fact[] {
  const facts = parseFacts(text)
  return facts === null ? [] : allFacts(facts)
}

/** Joined as the memory of an earlier version is. */
const AS_MIGRATED: ReadonlySet<BundleKind | null> = new Set([
  'memory',
  'archive',
  'archive-summary',
  'facts',
  'concepts',
  'tier',
  'page',
])

function migrationOf(store: Store, files: readonly BundleFile[], isOwn: boolean, now: string): Migration {
  const given = files.flatMap(({ path: name, text }): LegacyFile[] =>
    AS_MIGRATED.has(bundleKindOf(name)) ? [{ path: name, text, written: now }] : [],
  )
  const origin = { dir: '', isInPlace: false, isOurs: isOwn }
  const options = { timezone: store.config.timezone, work: 'all', now } as const
  return planMigration(given, targetOf(store, origin, options))
}

/** Ours stays, unless it came from elsewhere and theirs goes on where it ends. */
function sessionEffect(
  store: Store,
  { path: name, text }: BundleFile,
  ours: ReadonlyMap<string | null, string>,
): Effect[] {
  const file = unpackedName(path.basename(name)) ?? path.basename(name)
  const there = ours.get(id8OfFile(file))
  if (there === undefined) return [{ do: 'write', path: `sessions/${file}`, text }]
  const before = readSessionText(store.dir, there) ?? ''
  const isTold = allSessions(store.readState()).some(([, session]) => session.file === there)
  if (isTold || !text.startsWith(before) || text.length === before.length) return []
  return [
    { do: 'write', path: `sessions/${there}`, text },
    { do: 'remove', path: packedPath(there) },
  ]
}

function ifMissing(store: Store, { path: name, text }: BundleFile): Effect[] {
  return readOwnText(path.join(store.dir, name)) === null ? [{ do: 'write', path: name, text }] : []
}

function rulesEffect(store: Store, [theirs]: readonly BundleFile[]): Effect[] {
  if (theirs === undefined) return []
  const ours = readOwnText(path.join(store.dir, RULES_FILE))
  if (ours === null) return [{ do: 'write', path: RULES_FILE, text: theirs.text }]
  const known = new Set(parseRules(ours).map((rule) => rule.toLowerCase()))
  const news = parseRules(theirs.text).filter((rule) => !known.has(rule.toLowerCase()))
  const text = news.reduce((rules, rule) => addRuleTo(rules, rule), ours)
  return text === ours ? [] : [{ do: 'write', path: RULES_FILE, text }]
}

/** What was forgotten elsewhere is forgotten here, too. */
function forgottenEffect(store: Store, [theirs]: readonly BundleFile[]): Effect[] {
  const ours = readOwnText(path.join(store.dir, FORGOTTEN_FILE)) ?? ''
  const text = theirs === undefined ? ours : rejoin(FORGOTTEN_FILE, ours, theirs.text)
  return text === ours ? [] : [{ do: 'write', path: FORGOTTEN_FILE, text }]
}

/** `locked` runs its work under the lock. Killed anywhere, it is done again; where the backup is, or null. */
export function performBundle(
  store: Store,
  bundle: OpenedBundle,
  now: string,
  locked: (work: () => string | null) => string | null,
): string | null {
  const files = prepared(store, bundle)
  // A thousand files take their time: nobody waits for those that nobody else can know.
  for (const effect of planFiles(store, bundle, files, now).sessions) store.perform([effect])
  return locked(() => {
    const { effects, sessions } = planFiles(store, bundle, files, now)
    const all = [...sessions, ...effects]
    const touched = [...new Set(all.map((effect) => effect.path))]
    const backup = touched.length === 0 ? null : backUp(store, touched, touched, now)
    for (const effect of all) store.perform([effect])
    repairMemory(store, now)
    store.perform([recordEffect(store, sourceOf(bundle), now)])
    return backup
  })
}
