/** `trust` and `untrust`: whose memory is read. */
import path from 'node:path'
import { type Context, underLock } from '../../memory/commands/context.ts'
import { bold, count, oneLine, warning } from '../../memory/commands/output.ts'
import { backUp } from '../../memory/disk/migrate-backup.ts'
import { COMMAND_WAIT_MS, openStore, type Store } from '../../memory/disk/store.ts'
import { type MigrateOptions, performMigration } from '../../migrate/disk/migrate.ts'
import { isEarlier, layoutIn, pathsIn } from '../../migrate/disk/migrate-files.ts'
import { statOf } from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import { KeeperError } from '../../platform/error.ts'
import { OWNER_FILE } from '../../platform/layout.ts'
import { acceptBrought, type BroughtByGit, broughtByGit } from '../../trust/disk/git-brought.ts'
import { disown, isOnlyGits, linkedDir, takeOver } from '../../trust/disk/trust.ts'
import { linksIn, readSharing, trustPeople, untrustedPeople, untrustPerson } from '../disk/shared.ts'
import { adoptFiles, hasFiles, missingFrom } from '../disk/vault.ts'
import { ownCopy, untrackCommand } from '../disk/vault-restore.ts'
import { showBrought, showFiles, showPerson } from './trust-show.ts'

interface TrustOptions {
  yes?: boolean
}

/** Shows what is there before it counts as the user's own. */
export function runTrust(context: Context, options: TrustOptions): number {
  const { store } = context
  if (store.ownership !== 'foreign') return trustTeammates(context, options)
  refuseLinks(store.places)
  if (options.yes === true && !context.isDryRun) return takeIt(context)
  return show(context, options)
}

function show({ store: { places }, out, isDryRun }: Context, options: TrustOptions): number {
  const { inProject } = places
  const version = earlierVersion(inProject)
  const brought = broughtByGit(places)
  const isGits = isOnlyGits(places)
  const files = pathsIn(inProject)
  out.json({
    trusted: false,
    changed: false,
    dir: inProject,
    files,
    earlierVersion: version,
    git: told(places, brought),
  })
  const why = isGits
    ? `${bold(inProject)} is yours, but git brought files into it that you have not said yes to. Until you do, nothing of it is read:`
    : `${bold(inProject)} is not trusted: it was not made here, an earlier version made it, or you untrusted it. It holds ${count(files.length, 'file')}:`
  out.say(
    why,
    ...(isGits || files.length === 0 ? showBrought(places, brought) : showFiles(inProject)),
    '',
    ...(version === null || isGits
      ? []
      : [`It looks like a memory that an earlier version of Memory Keeper made (${version}).`]),
    ...asked(places, options, { version, brought, isGits }),
  )
  return isDryRun ? 0 : 1
}

function asked(
  places: Places,
  { yes }: TrustOptions,
  { version, brought, isGits }: { version: string | null; brought: BroughtByGit; isGits: boolean },
): string[] {
  if (yes === true)
    return [
      `It would be trusted: read, and its text shown to Claude in your sessions.${version === null || isGits ? '' : ' A backup of it is made first.'}`,
    ]
  const once =
    'Once trusted, its text is shown to Claude in your sessions. If you know where it comes from: memory-keeper trust --yes'
  if (!isGits) return [once]
  const untrack =
    brought.tracked.length === 0 ? 'delete these' : `${untrackCommand(places, brought.tracked)}, commit that`
  return [once, `To keep your own files instead: ${untrack}, then memory-keeper restore`]
}

function told(places: Places, { tracked, left, isUnknown }: BroughtByGit): object {
  const row = ({ path: name, id }: BroughtByGit['tracked'][number]): object => ({
    path: name,
    id,
    inVault: ownCopy(places, name) !== null,
  })
  return { tracked: tracked.map(row), left: left.map(row), isUnknown }
}

/** What an earlier version wrote is copied before anything of this version writes beside it. */
function takeIt(context: Context): number {
  const { store, out, world } = context
  const { places } = store
  const { inProject } = places
  const version = isOnlyGits(places) ? null : earlierVersion(inProject)
  const now = world.now()
  const files = pathsIn(inProject).filter((one) => !one.startsWith('.'))
  const backup = version === null ? null : backUp({ dir: inProject, places }, files, [], now)
  const brought = broughtByGit(places)
  if (!isOnlyGits(places) && !takeOver(places))
    throw new KeeperError('not-writable', `${inProject} cannot be written. Make it writable, then try again.`)
  acceptBrought(places, brought)
  const moved = joinAgain(context)
  const accepted = brought.tracked.length + brought.left.length
  out.json({ trusted: true, changed: true, dir: inProject, joined: moved, earlierVersion: version, backup, accepted })
  out.say(
    `${inProject} is trusted.${accepted > 0 ? ` That holds for the ${count(accepted, 'file')} of git as they are now; should git change them, you are asked again.` : ''}${moved > 0 ? ` ${count(moved, 'file')} kept at home meanwhile joined it.` : ''}`,
    ...(backup === null ? [] : [`Backup: ${backup}`]),
    ...(version === null
      ? []
      : [`An earlier version made it (${version}). Next: memory-keeper migrate --dry-run shows what becomes of it.`]),
    ...waitingLines(places),
  )
  return 0
}

/** What others share is theirs: it is read, searched and named as such, once the user has seen it. */
function trustTeammates(context: Context, { yes }: TrustOptions): number {
  const { store, out, isDryRun } = context
  const { inProject } = store.places
  const waiting = untrustedPeople(store.places)
  const fit = waiting.filter(({ isUnfit }) => !isUnfit)
  const isMissing = store.dir === inProject && missingFrom(store, store.places.atHome).length > 0
  const joined = store.ownership === 'ours' && isMissing && !isDryRun ? joinAgain(context) : 0
  if (waiting.length === 0) {
    if (store.ownership === 'absent') throw nothingThere(inProject)
    out.json({ trusted: true, changed: false, dir: inProject, teammates: [], links: linksIn(store.places), joined })
    out.say(
      ...linkLines(store.places),
      `${inProject} is yours already.${joined > 0 ? ` ${count(joined, 'file')} kept at home meanwhile joined it.` : ''}`,
    )
    return 0
  }
  const isDone = yes === true && !isDryRun
  if (isDone) trustPeople(store.places, fit)
  const teammates = waiting.map(({ who, files, isChanged, isUnfit }) => ({ who, files, isChanged, isUnfit }))
  out.json({ trusted: isDone, changed: isDone, dir: inProject, teammates, joined })
  if (isDone)
    out.say(
      `Trusted as theirs: ${fit.map(({ who }) => who).join(', ') || 'nobody'}. Should git change it, you are asked again.`,
    )
  else
    out.say(
      `${bold('Teammates share their memory')} in ${inProject}. Nothing of it is read yet:`,
      ...waiting.flatMap(showPerson),
      ...linkLines(store.places),
      '',
      'Once trusted it can be found under their names, and a few of their decisions are told to Claude as theirs: never as your words, never as a rule. memory-keeper trust --yes',
    )
  return isDone || isDryRun ? 0 : 1
}

function linkLines(places: Places): string[] {
  return linksIn(places).map((name) =>
    warning(`${path.join(places.inProject, name)} is no folder but a link or a file: it is never read. Remove it.`),
  )
}

function waitingLines(places: Places): string[] {
  const names = untrustedPeople(places).map(({ who }) => who)
  return names.length === 0
    ? []
    : [
        `${names.join(', ')} share${names.length === 1 ? 's' : ''} a memory here, too. To look at it: memory-keeper trust`,
      ]
}

/** Opened anew: it is read again. */
export function joinAgain({ store: { places }, world }: Context): number {
  const own = openStore(places, { now: world.now })
  const isThere = own.ownership === 'ours' && own.dir === places.inProject && hasFiles(places.atHome)
  return isThere ? joinFromHome(own, world.now()) : 0
}

/** What was kept at home meanwhile: sessions first, then notes, facts and concepts, which stand in files that are there already. */
function joinFromHome(own: Store, now: string): number {
  const { atHome } = own.places
  const moved = underLock(own, COMMAND_WAIT_MS, () => adoptFiles(own, atHome))
  const options: MigrateOptions = { timezone: own.config.timezone, now }
  const origin = { dir: atHome, isInPlace: false, isOurs: true }
  underLock(own, COMMAND_WAIT_MS, () => performMigration(own, origin, options))
  return moved
}

/** Null: this version made it, or nobody can tell. */
function earlierVersion(dir: string): string | null {
  // Only this version puts its mark there; without a state, file names alone look like those of an earlier one.
  if (statOf(path.join(dir, OWNER_FILE)) !== null && !isEarlier(dir)) return null
  const layout = layoutIn(dir)
  if (layout !== null && layout !== 'current') return layout
  return isEarlier(dir) ? 'in part' : null
}

function refuseLinks(places: Places): void {
  const { inProject } = places
  // Git tracks files in it that somebody removed.
  if (statOf(inProject) === null && statOf(path.dirname(inProject))?.kind !== 'link') return
  if (statOf(inProject)?.kind !== 'dir' || statOf(path.dirname(inProject))?.kind === 'link')
    throw new KeeperError(
      'link',
      `${inProject} is reached through a link and is never used. Replace it by a real directory first.`,
    )
  const linked = linkedDir(places)
  if (linked !== null)
    throw new KeeperError(
      'link',
      `${linked} is a link and is never used. Remove it or replace it by a real directory first.`,
    )
}

function nothingThere(dir: string): KeeperError {
  return new KeeperError(
    'nothing-there',
    `There is no memory in ${dir}. It is made when the first session is captured.`,
  )
}

/** Without a name: all that is in the project. What teammates share there is trusted again with it, content by content. */
export function runUntrust(context: Context, who: string | undefined): number {
  const { store, out } = context
  const { inProject, atHome } = store.places
  if (who !== undefined) return untrustOne(context, who)
  if (store.ownership === 'absent') throw nothingThere(inProject)
  if (!context.isDryRun) disown(store.places)
  out.json({ trusted: false, dir: inProject, dryRun: context.isDryRun })
  out.say(
    store.ownership === 'foreign'
      ? `${inProject} is not trusted and not read. Sessions go to ${atHome}.`
      : `${inProject} ${context.isDryRun ? 'would no longer be' : 'is no longer'} read, nor what teammates share in it. Sessions go to ${atHome} from ${context.isDryRun ? 'then' : 'now'} on. To take it back, as it was: memory-keeper trust --yes`,
  )
  return 0
}

function untrustOne({ store, out, isDryRun }: Context, given: string): number {
  const who = given.toLowerCase()
  const { trusted } = readSharing(store.places)
  if (!trusted.has(who)) {
    const names = [...trusted.keys()]
    throw new KeeperError(
      'not-found',
      `"${oneLine(given, 40)}" is nobody whose memory you trust. ${names.length === 0 ? 'There is nobody.' : `There ${names.length === 1 ? 'is' : 'are'}: ${names.join(', ')}`}`,
    )
  }
  if (!isDryRun) untrustPerson(store.places, who)
  out.json({ trusted: false, who, dryRun: isDryRun })
  out.say(
    `What ${who} shares ${isDryRun ? 'would no longer be' : 'is no longer'} read. To take it back: memory-keeper trust`,
  )
  return 0
}
