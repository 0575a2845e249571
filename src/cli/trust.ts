/** `trust`, `untrust` and `restore`: whose memory is read, and getting it back. */
import path from 'node:path'
import { KeeperError } from '../core/error.ts'
import { SESSIONS_DIR } from '../core/layout.ts'
import { factsOf, list, readText } from '../store/files.ts'
import { COMMAND_WAIT_MS, openStore } from '../store/store.ts'
import { disown, linkedDir, takeOver } from '../store/trust.ts'
import { adoptFiles, hasFiles, missingFrom } from '../store/vault.ts'
import { type Context, underLock } from './context.ts'
import { bold, count, dim, oneLine } from './output.ts'

const PREVIEW_LINES = 12

/** Shows what is there before it counts as the user's own. */
export function runTrust(context: Context, options: { yes?: boolean }): number {
  const { store, out } = context
  const { places } = store
  if (store.standing === 'ours') {
    out.json({ trusted: true, changed: false, dir: places.inProject })
    out.say(`${places.inProject} is yours already.`)
    return 0
  }
  if (store.standing === 'absent') throw nothingThere(places.inProject)
  if (factsOf(places.inProject)?.kind !== 'dir' || factsOf(path.dirname(places.inProject))?.kind === 'link') {
    throw new KeeperError(
      'link',
      `${places.inProject} is reached through a link and is never used. Replace it by a real directory first.`,
    )
  }
  const linked = linkedDir(places)
  if (linked !== null)
    throw new KeeperError(
      'link',
      `${linked} is a link and is never used. Remove it or replace it by a real directory first.`,
    )
  const files = listBelow(places.inProject)
  if (options.yes !== true || context.isDryRun) {
    out.json({ trusted: false, changed: false, dir: places.inProject, files })
    out.say(
      `${bold(places.inProject)} is not trusted: it was not made here, or you untrusted it. It holds ${count(files.length, 'file')}:`,
      ...files.flatMap((file) => [`  ${file}`, ...preview(path.join(places.inProject, file))]),
      '',
      options.yes === true
        ? 'It would be trusted: read, and its text shown to Claude in your sessions.'
        : 'Once trusted, its text is shown to Claude in your sessions. If you know where it comes from: memory-keeper trust --yes',
    )
    return context.isDryRun ? 0 : 1
  }
  if (!takeOver(places))
    throw new KeeperError('not-writable', `${places.inProject} cannot be written. Make it writable, then try again.`)
  const own = openStore(places, { now: context.world.now })
  const moved = hasFiles(places.atHome) ? underLock(own, COMMAND_WAIT_MS, () => adoptFiles(own, places.atHome)) : 0
  out.json({ trusted: true, changed: true, dir: places.inProject, joined: moved })
  out.say(
    `${places.inProject} is trusted.${moved > 0 ? ` ${count(moved, 'file')} kept at home meanwhile joined it.` : ''}`,
  )
  return 0
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

function listBelow(dir: string): string[] {
  const sessions = list(path.join(dir, SESSIONS_DIR)).map((name) => path.join(SESSIONS_DIR, name))
  return [...list(dir).filter((name) => factsOf(path.join(dir, name))?.kind === 'file'), ...sessions]
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
