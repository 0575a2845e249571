/** `trust` and `untrust`: decide whose memory is read. The content is shown first, with a bar before each line of foreign text. */
import path from 'node:path'
import { type Command, inProject } from '../../../kernel/memory/commands/command.ts'
import { type Context, underLock } from '../../../kernel/memory/commands/context.ts'
import { bold, count, dim, oneLine } from '../../../kernel/memory/commands/output.ts'
import { pathsIn } from '../../../kernel/memory/disk/memory-paths.ts'
import { backUp } from '../../../kernel/memory/disk/migrate-backup.ts'
import { COMMAND_WAIT_MS, openStore } from '../../../kernel/memory/disk/store.ts'
import { readOwnText, readPart, statOf } from '../../../kernel/platform/disk/files.ts'
import type { Places } from '../../../kernel/platform/disk/locate.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { SHARED_DIR } from '../../../kernel/platform/layout.ts'
import { acceptBrought, type BroughtByGit, broughtByGit } from '../../../kernel/trust/disk/git-brought.ts'
import { disown, isOnlyGits, linkedDir, takeOver } from '../../../kernel/trust/disk/trust.ts'
import { earlierVersions } from '../../extra.ts'
import {
  type Person,
  readSharing,
  sharedText,
  trustPeople,
  untrustedPeople,
  untrustPerson,
} from '../../others/disk/shared.ts'
import { takenOver } from '../disk/joined.ts'
import { arrivingIn, mergeInto } from '../disk/merge.ts'
import { copyMissing, hasFiles } from '../disk/vault.ts'

interface TrustOptions {
  yes?: boolean
}

/** Shows the content before it is accepted as the user's own. */
export function runTrust(context: Context, { yes }: TrustOptions): number {
  const isDone = yes === true && !context.isDryRun
  if (context.store.ownership !== 'foreign') return trustTeammates(context, isDone)
  refuseLinks(context.store.places)
  return isDone ? takeIt(context) : show(context)
}

function show({ store: { places }, out }: Context): number {
  const { inProject } = places
  const isOld = isEarlier(inProject)
  const brought = broughtByGit(places)
  const isGits = isOnlyGits(places)
  const files = pathsIn(inProject)
  out.json({ trusted: false, changed: false, dir: inProject, files, isEarlier: isOld, git: brought })
  const why = isGits
    ? `${bold(inProject)} is yours, but git brought files into it that you have not accepted. Until you do, nothing in it is read:`
    : `${bold(inProject)} is not trusted: it was not created here, an earlier version created it, or you untrusted it. It contains ${count(files.length, 'file')}:`
  out.say(
    why,
    ...(isGits || files.length === 0 ? showBrought(places, brought) : showFiles(inProject)),
    '',
    ...(isOld && !isGits ? ['It looks like a memory of an earlier version of Memory Keeper.'] : []),
    'Once trusted, its text is shown to Claude in your sessions. If you know where it comes from: memory-keeper trust --yes',
    ...(isGits
      ? [`To keep your own files instead: ${untrackCommand(places, brought)}, then memory-keeper restore`]
      : []),
  )
  return 0
}

function untrackCommand({ inProject, project }: Places, { tracked }: BroughtByGit): string {
  const dir = path.relative(project.root, inProject).split(path.sep).join('/')
  return tracked.length === 0 ? 'delete these' : `git rm -r ${dir} ':!${dir}/${SHARED_DIR}', commit that`
}

/** Files of an earlier version are copied before this version writes beside them. */
function takeIt(context: Context): number {
  const { store, out, world } = context
  const { places } = store
  const { inProject } = places
  const isOld = !isOnlyGits(places) && isEarlier(inProject)
  const files = pathsIn(inProject).filter((one) => !one.startsWith('.'))
  const backup = isOld ? backUp({ dir: inProject, places }, files, [], world.now()) : null
  const brought = broughtByGit(places)
  if (!isOnlyGits(places) && !takeOver(places))
    throw new KeeperError('not-writable', `${inProject} cannot be written. Make it writable, then try again.`)
  acceptBrought(places, brought)
  const joined = joinAgain(context)
  const accepted = brought.tracked.length + brought.left.length
  out.json({ trusted: true, changed: true, dir: inProject, joined, isEarlier: isOld, backup, accepted })
  const waiting = untrustedPeople(places).map(({ who }) => who)
  out.say(
    `${inProject} is trusted.${accepted > 0 ? ` That holds for the ${count(accepted, 'file')} of git as they are now; should git change them, you are asked again.` : ''}`,
    ...joinedLines(joined),
    ...(backup === null ? [] : [`Backup: ${backup}`]),
    ...(isOld ? ['An earlier version created it. Next: memory-keeper migrate --dry-run'] : []),
    ...(waiting.length === 0 ? [] : [`A memory is shared here, too (${waiting.join(', ')}): memory-keeper trust`]),
  )
  return 0
}

/** Shared memory is read, searched and named as the teammate's, after the user has seen it. */
function trustTeammates(context: Context, isYes: boolean): number {
  const { store, out, isDryRun } = context
  const { inProject } = store.places
  const waiting = untrustedPeople(store.places)
  const fit = waiting.filter(({ isUnfit }) => !isUnfit)
  const joined = store.ownership === 'ours' && !isDryRun ? joinAgain(context) : 0
  if (waiting.length === 0 && store.ownership === 'absent') throw nothingThere(inProject)
  if (isYes) trustPeople(store.places, fit)
  const isDone = isYes || waiting.length === 0
  const teammates = waiting.map(({ who, files, isChanged, isUnfit }) => ({ who, files, isChanged, isUnfit }))
  const changed = isYes && waiting.length > 0
  out.json({ trusted: isDone, changed, dir: inProject, teammates, joined })
  if (waiting.length === 0) out.say(`${inProject} is yours already.`, ...joinedLines(joined))
  else if (isYes)
    out.say(
      `Trusted as theirs: ${fit.map(({ who }) => who).join(', ') || 'nobody'}. If git changes it, you are asked again.`,
    )
  else
    out.say(
      `${bold('Teammates share their memory')} in ${inProject}. Nothing of it is read yet:`,
      ...waiting.flatMap(showPerson),
      '',
      'Once trusted it can be found under their names, and a few of their decisions are injected as theirs: never as your words, never as a rule. memory-keeper trust --yes',
    )
  return 0
}

export function joinedLines(files: number): string[] {
  return files === 0 ? [] : [`${count(files, 'file')} stored at home meanwhile added to it.`]
}

/** Merges what was stored at home meanwhile. */
export function joinAgain({ store: { places }, world }: Context): number {
  // Opened again, because the memory can be read now.
  const own = openStore(places, { now: world.now })
  const { atHome } = places
  if (own.ownership !== 'ours' || own.dir !== places.inProject || !hasFiles(atHome)) return 0
  const source = arrivingIn(atHome)
  if (takenOver(own, source.name) === source.mark) return 0
  return underLock(own, COMMAND_WAIT_MS, () => {
    const copied = copyMissing(own, atHome)
    mergeInto(own, source, world.now())
    return copied
  })
}

function isEarlier(dir: string): boolean {
  return earlierVersions()?.isIn(dir) === true
}

function refuseLinks(places: Places): void {
  const { inProject } = places
  const isLinked = statOf(path.dirname(inProject))?.kind === 'link'
  // Git tracks files in it that somebody deleted.
  if (statOf(inProject) === null && !isLinked) return
  const linked = isLinked || statOf(inProject)?.kind !== 'dir' ? inProject : linkedDir(places)
  if (linked !== null)
    throw new KeeperError('link', `${linked} is a link, or no directory, and is never used. Replace it by a directory.`)
}

function nothingThere(dir: string): KeeperError {
  return new KeeperError(
    'nothing-there',
    `There is no memory in ${dir}. It is created when the first session is captured.`,
  )
}

/** Without a name: everything in the project. Teammates' shared content there must be trusted again, too. */
function runUntrust({ store, out, isDryRun }: Context, given: string | undefined): number {
  const { inProject, atHome } = store.places
  const isRead = isDryRun ? 'would no longer be' : 'is no longer'
  if (given !== undefined) {
    const who = trustedName(store.places, given)
    if (!isDryRun) untrustPerson(store.places, who)
    out.json({ trusted: false, who, dryRun: isDryRun })
    out.say(`What ${who} shares ${isRead} read. To undo this: memory-keeper trust`)
    return 0
  }
  if (store.ownership === 'absent') throw nothingThere(inProject)
  if (!isDryRun) disown(store.places)
  out.json({ trusted: false, dir: inProject, dryRun: isDryRun })
  out.say(
    store.ownership === 'foreign'
      ? `${inProject} is not trusted and not read. Sessions go to ${atHome}.`
      : `${inProject} ${isRead} read, nor what teammates share in it. Sessions are saved in ${atHome} from then on. To undo this: memory-keeper trust --yes`,
  )
  return 0
}

function trustedName(places: Places, given: string): string {
  const names = [...readSharing(places).trusted.keys()]
  const who = names.find((name) => name === given.toLowerCase())
  if (who !== undefined) return who
  throw new KeeperError(
    'not-found',
    `"${oneLine(given, 40)}" is not a person whose memory you trust. You trust: ${names.join(', ') || 'nobody'}`,
  )
}

const PREVIEW_LINES = 12
const MAX_SESSIONS = 20
const MAX_TRACKED = 30
const WIDTH = 100
/** The limit of one line: ten rows. */
const LINE_CHARS = 1000
/** A larger file is not shown. */
const MOST_BYTES = 4 * 1024 * 1024

/** All files of the memory itself, and the first of its sessions. */
function showFiles(dir: string): string[] {
  const files = pathsIn(dir)
  const isOfSession = (file: string): boolean => file.includes('/')
  const own = files.filter((file) => !isOfSession(file))
  const shown = [...own, ...files.filter(isOfSession).slice(0, MAX_SESSIONS)]
  return [
    ...shown.flatMap((file) => [`  ${oneLine(file, WIDTH)}`, ...behindBar(foreignLines(path.join(dir, file)))]),
    ...moreLine(files.length - shown.length, '  … ', 'more file'),
  ]
}

/** Each file that git brought, and how it differs from the user's own copy. */
function showBrought(places: Places, { tracked, left }: BroughtByGit): string[] {
  const rows = [
    ...tracked.map((file) => ({ file, how: 'tracked by git' })),
    ...left.map((file) => ({ file, how: 'brought by git, no longer tracked' })),
  ]
  return [
    ...rows
      .slice(0, MAX_TRACKED)
      .flatMap(({ file, how }) => [
        `  ${file.path === '' ? 'the directory itself' : oneLine(file.path, WIDTH)} ${dim(`(${how})`)}`,
        ...difference(places, file.path),
      ]),
    ...moreLine(rows.length - MAX_TRACKED, '  … ', 'more file'),
  ]
}

function difference(places: Places, name: string): string[] {
  const theirs = foreignLines(path.join(places.inProject, name))
  const own = readOwnText(path.join(places.vault, name))
  if (own === null || theirs.length === 0) return behindBar(theirs)
  const mine = own.split('\n')
  const without = (sign: string, lines: readonly string[], others: ReadonlySet<string>): string[] =>
    behindBar(lines.filter((line) => line.trim() !== '' && !others.has(line)).map((line) => `${sign} ${line}`))
  return [
    dim('    │ against your copy in the vault:'),
    ...without('-', mine, new Set(theirs)),
    ...without('+', theirs, new Set(mine)),
  ]
}

/** The content that a teammate shares. */
function showPerson({ who, dir, files, isUnfit, isChanged }: Person & { isChanged: boolean }): string[] {
  const what = isUnfit ? 'too large, or a link: it is not read' : isChanged ? 'changed since you trusted it' : 'new'
  const shown = isUnfit ? [] : files
  return [
    `  ${who} ${dim(`(${what})`)}`,
    ...shown.flatMap((name) => [dim(`    ${name}`), ...behindBar(sharedText(dir, name).split('\n'))]),
  ]
}

/** Empty for a file that is not text, and for a session. */
function foreignLines(file: string): string[] {
  if (!/\.(?:md|json|jsonl|txt)$/.test(file) || file.endsWith('.l1.jsonl') || statOf(file)?.kind !== 'file') return []
  return (readPart(file, 0, MOST_BYTES, MOST_BYTES)?.toString('utf8') ?? '').trimEnd().split('\n')
}

/** The first lines, wrapped; the rest is counted. */
function behindBar(lines: readonly string[]): string[] {
  return [
    ...lines.slice(0, PREVIEW_LINES).flatMap(wholeLine),
    ...moreLine(lines.length - PREVIEW_LINES, '    │ … ', 'more line'),
  ]
}

function moreLine(more: number, before: string, what: string): string[] {
  return more > 0 ? [dim(`${before}${count(more, what)}`)] : []
}

/** Important text may be at the end of a line: nothing is cut before LINE_CHARS, and the cut part is counted. */
function wholeLine(line: string): string[] {
  const chars = Array.from(oneLine(line, Number.POSITIVE_INFINITY))
  const rows: string[] = []
  for (let at = 0; at < Math.min(chars.length, LINE_CHARS) || at === 0; at += WIDTH)
    rows.push(dim(`    │ ${chars.slice(at, Math.min(at + WIDTH, LINE_CHARS)).join('')}`.trimEnd()))
  return [...rows, ...moreLine(chars.length - LINE_CHARS, '    │ … ', 'more character')]
}

export const TRUST_COMMANDS: readonly Command[] = [
  {
    usage: 'trust',
    about: 'look at a memory that others brought, and use it: with a repository, through git, or shared by teammates',
    options: [{ flags: '--yes', about: 'use it' }],
    writes: true,
    example: 'memory-keeper trust --yes',
    run: inProject(runTrust),
  },
  {
    usage: 'untrust [who]',
    about: "stop reading the project's memory directory and what teammates share in it, or what one of them shares",
    writes: true,
    example: 'memory-keeper untrust',
    also: ['memory-keeper untrust alice'],
    run: inProject((context, _, [who]) => runUntrust(context, who)),
  },
]
