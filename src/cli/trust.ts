/** `trust`, `untrust` and `restore`: whose memory is read, and getting it back. */
import path from 'node:path'
import { KeeperError } from '../core/error.ts'
import { factsOf, readText } from '../store/files.ts'
import type { Places } from '../store/locate.ts'
import { type MigrateOptions, performMigration, planFrom } from '../store/migrate.ts'
import { backUp } from '../store/migrate-backup.ts'
import { layoutIn, pathsIn } from '../store/migrate-files.ts'
import { isEarlier } from '../store/migrate-notice.ts'
import { COMMAND_WAIT_MS, openStore, type Store } from '../store/store.ts'
import { disown, linkedDir, takeOver } from '../store/trust.ts'
import { adoptFiles, hasFiles, missingFrom } from '../store/vault.ts'
import { type Context, underLock } from './context.ts'
import { bold, count, dim, oneLine } from './output.ts'

const PREVIEW_LINES = 12
const MAX_SESSIONS = 20

/** Shows what is there before it counts as the user's own. */
export function runTrust(context: Context, options: { yes?: boolean }): number {
  const { store, out, isDryRun } = context
  const { inProject } = store.places
  if (store.standing === 'ours') {
    out.json({ trusted: true, changed: false, dir: inProject })
    out.say(`${inProject} is yours already.`)
    return 0
  }
  if (store.standing === 'absent') throw nothingThere(inProject)
  refuseLinks(store.places)
  const version = earlierVersion(inProject)
  if (options.yes === true && !isDryRun) return takeIt(context, version)
  const files = pathsIn(inProject)
  out.json({ trusted: false, changed: false, dir: inProject, files, earlierVersion: version })
  out.say(
    `${bold(inProject)} is not trusted: it was not made here, an earlier version made it, or you untrusted it. It holds ${count(files.length, 'file')}:`,
    ...shown(inProject, files),
    '',
    ...(version === null ? [] : [`It looks like a memory that an earlier version of Memory Keeper made (${version}).`]),
    options.yes === true
      ? `It would be trusted: read, and its text shown to Claude in your sessions.${version === null ? '' : ' A backup of it is made first.'}`
      : 'Once trusted, its text is shown to Claude in your sessions. If you know where it comes from: memory-keeper trust --yes',
  )
  return isDryRun ? 0 : 1
}

/** What an earlier version wrote is copied before anything of this version writes beside it. */
function takeIt({ store, out, world }: Context, version: string | null): number {
  const { places } = store
  const { inProject, atHome } = places
  const now = world.now()
  const backup =
    version === null
      ? null
      : backUp(
          { dir: inProject, places },
          pathsIn(inProject).filter((one) => !one.startsWith('.')),
          [],
          now,
        )
  if (!takeOver(places))
    throw new KeeperError('not-writable', `${inProject} cannot be written. Make it writable, then try again.`)
  const own = openStore(places, { now: world.now })
  const moved = hasFiles(atHome) ? joinFromHome(own, now) : 0
  out.json({ trusted: true, changed: true, dir: inProject, joined: moved, earlierVersion: version, backup })
  out.say(
    `${inProject} is trusted.${moved > 0 ? ` ${count(moved, 'file')} kept at home meanwhile joined it.` : ''}`,
    ...(backup === null ? [] : [`Backup: ${backup}`]),
    ...(version === null
      ? []
      : [`An earlier version made it (${version}). Next: memory-keeper migrate --dry-run shows what becomes of it.`]),
  )
  return 0
}

/** What was kept at home meanwhile: sessions first, then notes, facts and concepts, which stand in files that are there already. */
function joinFromHome(own: Store, now: string): number {
  const { atHome } = own.places
  const moved = underLock(own, COMMAND_WAIT_MS, () => adoptFiles(own, atHome))
  const options: MigrateOptions = { timezone: String(own.config.timezone), work: 'all', now }
  const plan = planFrom(own, { dir: atHome, isInPlace: false, isOurs: true }, options)
  performMigration(own, plan, options, (work) => underLock(own, COMMAND_WAIT_MS, work))
  return moved
}

/** Null: this version made it, or nobody can tell. */
function earlierVersion(dir: string): string | null {
  const layout = layoutIn(dir)
  if (layout !== null && layout !== 'current') return layout
  return isEarlier(dir) ? 'in part' : null
}

function refuseLinks(places: Places): void {
  const { inProject } = places
  if (factsOf(inProject)?.kind !== 'dir' || factsOf(path.dirname(inProject))?.kind === 'link')
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

export function runUntrust(context: Context): number {
  const { store, out } = context
  const { inProject, atHome } = store.places
  if (store.standing === 'absent') throw nothingThere(inProject)
  if (!context.isDryRun) disown(store.places)
  out.json({ trusted: false, dir: inProject, dryRun: context.isDryRun })
  out.say(
    store.standing === 'foreign'
      ? `${inProject} is not trusted and not read. Sessions go to ${atHome}.`
      : `${inProject} ${context.isDryRun ? 'would no longer be' : 'is no longer'} read. Sessions go to ${atHome} from ${context.isDryRun ? 'then' : 'now'} on. To take it back: memory-keeper trust --yes`,
  )
  return 0
}

export function runRestore(context: Context): number {
  const { store, out } = context
  const { vault } = store.places
  if (!hasFiles(vault))
    throw new KeeperError(
      'empty-vault',
      `There is nothing in the vault for this project (${vault}). It is filled when a session ends.`,
    )
  if (store.standing === 'foreign') {
    throw new KeeperError(
      'foreign',
      `${store.places.inProject} is not trusted. Trust or remove it first: memory-keeper trust`,
    )
  }
  const missing = missingFrom(store, vault)
  if (!context.isDryRun) underLock(store, COMMAND_WAIT_MS, () => adoptFiles(store, vault))
  out.json({ restored: missing, dryRun: context.isDryRun })
  out.say(
    missing.length === 0
      ? 'Nothing is missing: all files of the vault are there.'
      : `${context.isDryRun ? 'Would restore' : 'Restored'} ${count(missing.length, 'file')} from the vault:`,
    ...missing.map((name) => `  ${name}`),
  )
  return 0
}

/** All files of the memory itself, and the first of its sessions. */
function shown(dir: string, files: readonly string[]): string[] {
  const [own, below] = [files.filter((file) => !file.includes('/')), files.filter((file) => file.includes('/'))]
  const more = below.length - MAX_SESSIONS
  return [
    ...[...own, ...below.slice(0, MAX_SESSIONS)].flatMap((file) => [`  ${file}`, ...preview(path.join(dir, file))]),
    ...(more > 0 ? [dim(`  … ${count(more, 'more file')}; --json lists them all`)] : []),
  ]
}

/** Its first lines, behind a bar: a stranger's words. */
function preview(file: string): string[] {
  if (factsOf(file)?.kind !== 'file' || !/\.(?:md|json|txt)$/.test(file)) return []
  const lines = (readText(file) ?? '').trimEnd().split('\n')
  const more = lines.length - PREVIEW_LINES
  return [
    ...lines.slice(0, PREVIEW_LINES).map((line) => dim(`    │ ${oneLine(line, 100)}`.trimEnd())),
    ...(more > 0 ? [dim(`    │ … ${count(more, 'more line')}`)] : []),
  ]
}
