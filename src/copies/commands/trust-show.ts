/** What `trust` shows before it asks: a stranger's words, behind a bar. */
import path from 'node:path'
import { count, dim, oneLine } from '../../memory/commands/output.ts'
import { pathsIn } from '../../migrate/disk/migrate-files.ts'
import { readPart, statOf } from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import type { BroughtByGit, TrackedFile } from '../../trust/disk/git-brought.ts'
import { type Person, sharedText } from '../disk/shared.ts'
import { ownCopy } from '../disk/vault-restore.ts'

const PREVIEW_LINES = 12
const MAX_SESSIONS = 20
const MAX_TRACKED = 30
/** Of what was taken away, and of what came. */
const DIFF_LINES = 6
const WIDTH = 100
/** Of one line: ten rows. */
const LINE_CHARS = 1000
/** A larger file is not shown. */
const MOST_BYTES = 4 * 1024 * 1024

/** All files of the memory itself, and the first of its sessions. */
export function showFiles(dir: string): string[] {
  const files = pathsIn(dir)
  const [own, below] = [files.filter((file) => !file.includes('/')), files.filter((file) => file.includes('/'))]
  const more = below.length - MAX_SESSIONS
  return [
    ...[...own, ...below.slice(0, MAX_SESSIONS)].flatMap((file) => [
      `  ${oneLine(file, WIDTH)}`,
      ...preview(path.join(dir, file)),
    ]),
    ...(more > 0 ? [dim(`  … ${count(more, 'more file')}; --json lists them all`)] : []),
  ]
}

/** What git has to do with it: each file, and how it differs from the user's own copy. */
export function showBrought(places: Places, { tracked, left }: BroughtByGit): string[] {
  const rows = [
    ...tracked.map((file) => ({ file, how: 'tracked by git' })),
    ...left.map((file) => ({ file, how: 'brought by git, not tracked any more' })),
  ]
  const more = rows.length - MAX_TRACKED
  return [
    ...rows
      .slice(0, MAX_TRACKED)
      .flatMap(({ file, how }) => [
        `  ${file.path === '' ? 'the directory itself' : oneLine(file.path, WIDTH)} ${dim(`(${how})`)}`,
        ...difference(places, file),
      ]),
    ...(more > 0 ? [dim(`  … ${count(more, 'more file')}; --json lists them all`)] : []),
  ]
}

function difference(places: Places, { path: name }: TrackedFile): string[] {
  const file = path.join(places.inProject, ...name.split('/'))
  if (name === '' || statOf(file)?.kind !== 'file' || !isText(name)) return []
  const own = ownCopy(places, name)
  if (own === null) return preview(file)
  const theirs = foreignText(file).split('\n')
  const mine = own.split('\n')
  const gone = without(mine, theirs)
  const came = without(theirs, mine)
  if (gone.length === 0 && came.length === 0) return [dim('    │ the same as your copy in the vault')]
  const lines = (sign: string, all: readonly string[]): string[] => [
    ...all.slice(0, DIFF_LINES).flatMap((line) => wholeLine(`${sign} `, line)),
    ...(all.length > DIFF_LINES ? [dim(`    │ ${sign} … ${count(all.length - DIFF_LINES, 'more line')}`)] : []),
  ]
  return [dim('    │ against your copy in the vault:'), ...lines('-', gone), ...lines('+', came)]
}

/** The lines of one that the other has not, as often as it has not. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const times = left.get(line) ?? 0
    if (times > 0) left.set(line, times - 1)
    return times === 0 && line.trim() !== ''
  })
}

/** What a teammate shares. */
export function showPerson(person: Person & { isChanged: boolean }): string[] {
  const what = person.isUnfit
    ? 'too large, or a link: it is not read'
    : person.isChanged
      ? 'changed since you trusted it'
      : 'new'
  return [
    `  ${person.who} ${dim(`(${what})`)}`,
    ...(person.isUnfit
      ? []
      : person.files.flatMap((name) => [dim(`    ${name}`), ...behindBar(sharedText(person.dir, name).split('\n'))])),
  ]
}

/** Its first lines, behind a bar. */
function preview(file: string): string[] {
  if (statOf(file)?.kind !== 'file' || !isText(file)) return []
  return behindBar(foreignText(file).trimEnd().split('\n'))
}

function foreignText(file: string): string {
  return readPart(file, 0, MOST_BYTES, MOST_BYTES)?.toString('utf8') ?? ''
}

function isText(file: string): boolean {
  return /\.(?:md|json|jsonl|txt)$/.test(file) && !file.endsWith('.l1.jsonl')
}

/** Lines as they are, wrapped; what is not shown is counted. */
function behindBar(lines: readonly string[]): string[] {
  const more = lines.length - PREVIEW_LINES
  return [
    ...lines.slice(0, PREVIEW_LINES).flatMap((line) => wholeLine('', line)),
    ...(more > 0 ? [dim(`    │ … ${count(more, 'more line')}`)] : []),
  ]
}

/** What matters may stand at its end: nothing is cut off before LINE_CHARS, and then it is said how much. */
function wholeLine(sign: string, line: string): string[] {
  const chars = Array.from(oneLine(line, Number.POSITIVE_INFINITY))
  const more = chars.length - LINE_CHARS
  const rows: string[] = []
  for (let at = 0; at < Math.min(chars.length, LINE_CHARS) || at === 0; at += WIDTH)
    rows.push(chars.slice(at, Math.min(at + WIDTH, LINE_CHARS)).join(''))
  const bar = (row: string): string => dim(`    │ ${sign}${row}`.trimEnd())
  return [...rows.map(bar), ...(more > 0 ? [bar(`… ${count(more, 'more character')} in this line`)] : [])]
}
