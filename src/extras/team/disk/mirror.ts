/**
 * The mirror: teammates' rows as files of others (core/others/disk/others.ts). Rows are read from the server in the order of its transactions,
 * and only up to the oldest running one: no row can appear before it any more. The record says how many bytes of the newest file are
 * complete; after a kill the rest is cut off and read again.
 */
import path from 'node:path'
import { formatOthers, isForgottenRow, type OtherRow, parseOthers } from '../../../core/others/others.ts'
import { disk, list, readOwnText, readPart, removeTree, sizeOf } from '../../../kernel/platform/disk/files.ts'
import type { Places } from '../../../kernel/platform/disk/locate.ts'
import { isObject, parseObject, texts } from '../../../kernel/platform/json.ts'
import type { Forgotten } from '../../../kernel/sessions/forget-record.ts'
import { TeamError } from '../fault.ts'
import { earlier, mirrorLine, receivedRow } from '../row.ts'
import { fileOfProject, type Team } from './home.ts'
import type { PulledRow, Server } from './server.ts'

type Where = Pick<Places, 'others' | 'homeDir' | 'project'>

interface MirrorState {
  epoch: string
  xid: string
  who: string
  key: string
  /** The newest file: its number, and its complete bytes and rows. */
  file: number
  size: number
  rows: number
  /** Bytes of each person in the mirror. It may be too high: a changed row counts twice until all files are counted again. */
  bytes: Readonly<Record<string, number>>
  /** People who sent more than the mirror keeps. */
  full: readonly string[]
}

/** A row that the server sent; null: the row was deleted. */
interface Came extends Pick<PulledRow, 'who' | 'key' | 'isKnown'> {
  row: OtherRow | null
}

/** Version 2 has the times of arrival; mirrors of version 1 are deleted and filled again. */
const VERSION = 2
const MB = 1024 * 1024
/** `rows` and `bytes` limit one request. `person` limits what is kept of one person (some 20,000 rows), so that nobody takes the space of others. */
export const PULL_LIMITS = { rows: 5_000, bytes: 4 * MB, person: 32 * MB, all: 256 * MB }
/** Rows of one file. The search index reads a changed file as a whole. */
const FILE_ROWS = 500
/** Search reads at most 400 files: behind this number files are larger. */
const FEW_FILES = 200
const FILE_BYTES = 3 * MB
const MOST_BYTES = 16 * MB

const dirOf = ({ others }: Where): string => path.join(others, 'team')
const fileAt = (places: Where, n: number): string =>
  path.join(dirOf(places), `rows-${String(n).padStart(4, '0')}.jsonl`)

/** Without a sound record the mirror is deleted and begins again. */
function readState(places: Where, epoch: string): MirrorState {
  const raw = parseObject(readOwnText(fileOfProject(places, 'mirror')) ?? '')
  const isSound = /^\d{1,20}$/.test(String(raw?.xid)) && [raw?.file, raw?.size, raw?.rows].every(Number.isInteger)
  if (isSound && raw?.epoch === epoch && raw.version === VERSION && isObject(raw.bytes))
    return { ...(raw as unknown as MirrorState), full: texts(raw.full) }
  purgeMirror(places)
  return { epoch, xid: '0', who: '', key: '', file: 1, size: 0, rows: 0, bytes: {}, full: [] }
}

/** Deletes the mirror and its position, so that the next exchange fills it again. */
export function purgeMirror(places: Where): void {
  disk.remove(fileOfProject(places, 'mirror'))
  removeTree(dirOf(places))
}

/** Cuts off what a killed run wrote after the record. A file that `forget` shortened stays as it is, and the next file begins. */
function cutBack(places: Where, state: MirrorState): MirrorState {
  const { file, size } = state
  for (const name of list(dirOf(places)))
    if (name > path.basename(fileAt(places, file))) disk.remove(path.join(dirOf(places), name))
  const bytes = sizeOf(fileAt(places, file)) ?? 0
  if (bytes < size) return { ...state, file: file + 1, size: 0, rows: 0 }
  if (bytes > size) disk.appendAt(fileAt(places, file), size, '')
  return state
}

export interface Pulled {
  /** The number of new rows. */
  received: number
  /** People some of whose rows are not kept. */
  full: readonly string[]
}

/** Reads new rows from the server into the mirror. */
export async function pullRows(
  places: Where,
  project: string,
  server: Server,
  epoch: string,
  { muted, forgotten }: Pick<Team, 'muted'> & { forgotten: Forgotten },
  now: string,
  limits = PULL_LIMITS,
): Promise<Pulled> {
  let state = cutBack(places, readState(places, epoch))
  // With a name, the last exchange stopped inside this transaction: the mirror has some of its rows.
  const since = state.who === '' ? state.xid : String(BigInt(state.xid) + 1n)
  const before = await server.settledBefore()
  let received = 0
  for (;;) {
    const rows = await server.pull(project, state, since, before, limits.rows, limits.bytes)
    const came = rows.filter(({ who }) => !muted.includes(who)).map((row) => cameAs(row, now, forgotten))
    if (received === 0 && came.length > 0) state = countedAnew(places, state, limits)
    const { xid, who, key } = checked(rows.at(-1), state) ?? { xid: before, who: '', key: '' }
    const kept = withinTotals(state, came, limits)
    const next = append(places, { ...state, ...kept.totals }, placeKnown(places, state, kept.rows))
    if (rows.length > 0 || xid !== state.xid)
      disk.replace(fileOfProject(places, 'mirror'), `${JSON.stringify({ version: VERSION, ...next, xid, who, key })}\n`)
    state = { ...next, xid, who, key }
    received += came.length
    if (rows.length === 0) return { received, full: state.full.filter((one) => !muted.includes(one)) }
  }
}

/** Checks the last row of a page. A server that repeats rows would keep us in the loop for ever. */
function checked(last: PulledRow | undefined, from: MirrorState): PulledRow | undefined {
  if (last === undefined) return undefined
  const isOn = /^\d{1,20}$/.test(last.xid) && BigInt(last.xid) >= BigInt(from.xid)
  if (isOn && (last.xid !== from.xid || last.who !== from.who || last.key !== from.key)) return last
  throw new TeamError('failed', 'it sends rows in no order.')
}

/** Leaves out rows that were forgotten on this machine, also when the mirror is filled again. A row whose id is not its key is refused: nothing could delete it. */
function cameAs({ who, key, isKnown, body, arrived }: PulledRow, now: string, forgotten: Forgotten): Came {
  const row = body === null ? null : receivedRow(who, body, earlier(arrived, now))
  const isKept = row !== null && row.id === key && !isForgottenRow(row, forgotten)
  return { who, key, isKnown, row: isKept ? row : null }
}

/** Counts all files again, but only if a person or the whole mirror has reached half of its limit. */
function countedAnew(places: Where, state: MirrorState, { person, all }: typeof PULL_LIMITS): MirrorState {
  const totals = Object.values(state.bytes)
  if (totals.every((one) => one < person / 2) && totals.reduce((sum, one) => sum + one, 0) < all / 2) return state
  const bytes = new Map<string, number>()
  for (const name of list(dirOf(places)))
    for (const row of parseOthers(linesOf(path.join(dirOf(places), name)).join('\n')))
      bytes.set(row.who, (bytes.get(row.who) ?? 0) + Buffer.byteLength(formatOthers([row])))
  return { ...state, bytes: Object.fromEntries(bytes) }
}

/** Rows beyond the limits become deletions, so that an older version of such a row goes, too. */
function withinTotals(
  { bytes: before, full: fullBefore }: MirrorState,
  came: readonly Came[],
  { person, all }: typeof PULL_LIMITS,
): { rows: Came[]; totals: Pick<MirrorState, 'bytes' | 'full'> } {
  const bytes = new Map(Object.entries(before))
  const full = new Set(fullBefore)
  let sum = [...bytes.values()].reduce((total, one) => total + one, 0)
  const rows = came.map((one) => {
    const { who, row } = one
    const size = row === null ? 0 : Buffer.byteLength(formatOthers([row]))
    const total = (bytes.get(who) ?? 0) + size
    if (size > 0 && (total > person || sum + size > all)) {
      full.add(who)
      return { ...one, row: null }
    }
    if (size > 0) bytes.set(who, total)
    sum += size
    return one
  })
  return { rows, totals: { bytes: Object.fromEntries(bytes), full: [...full] } }
}

/** Replaces known rows in earlier files. Returns the rows to append: new ones, and those whose old version is in the newest file, where the later line counts. */
function placeKnown(places: Where, { file }: MirrorState, rows: readonly Came[]): Came[] {
  const known = rows.filter(({ isKnown }) => isKnown)
  if (known.length === 0) return rows.filter(({ row }) => row !== null)
  const placed = new Set<Came>()
  const inNewest = new Set<Came>()
  for (let n = file; n >= 1 && placed.size < known.length; n--) {
    const lines = linesOf(fileAt(places, n))
    const heads = new Set(lines.map(headOf))
    const found = known.filter((row) => !placed.has(row) && heads.has(headFor(row)))
    for (const row of found) placed.add(row)
    if (n === file) for (const row of found) inNewest.add(row)
    else if (found.length > 0) disk.replace(fileAt(places, n), changed(lines, found))
  }
  return rows.filter((one) => inNewest.has(one) || (!placed.has(one) && one.row !== null))
}

function linesOf(file: string): string[] {
  const text = readPart(file, 0, MOST_BYTES)?.toString('utf8') ?? ''
  return text.split('\n').filter((line) => line !== '')
}

/** The beginning of a line: person and id. Neither contains a quotation mark. */
function headOf(line: string): string {
  const id = line.indexOf('"id":"') + '"id":"'.length
  return line.slice(0, line.indexOf('"', id) + 1)
}

function headFor({ who, key }: Came): string {
  return headOf(mirrorLine(who, key, null))
}

function changed(lines: readonly string[], rows: readonly Came[]): string {
  const heads = new Set(rows.map(headFor))
  const kept = lines.filter((line) => !heads.has(headOf(line))).map((line) => `${line}\n`)
  const fresh = rows.filter(({ row }) => row !== null).map(({ who, key, row }) => mirrorLine(who, key, row))
  return [...kept, ...fresh].join('')
}

function append(places: Where, state: MirrorState, rows: readonly Came[]): MirrorState {
  let { file, size, rows: count } = state
  let text = ''
  const flush = (): void => {
    if (text !== '') disk.appendAt(fileAt(places, file), size, text)
    size += Buffer.byteLength(text)
    text = ''
  }
  for (const { who, key, row } of rows) {
    if (count >= (file > FEW_FILES ? 10 * FILE_ROWS : FILE_ROWS) || size + text.length > FILE_BYTES) {
      flush()
      file++
      size = 0
      count = 0
    }
    text += mirrorLine(who, key, row)
    count++
  }
  flush()
  return { ...state, file, size, rows: count }
}

/** Deletes the rows of one person from the mirror. The newest file may become shorter than the record says; then the next rows begin a new file. */
export function dropPerson(places: Where, who: string): void {
  for (const name of list(dirOf(places))) {
    const file = path.join(dirOf(places), name)
    const kept = linesOf(file).filter((line) => !line.startsWith(`{"who":"${who}",`))
    disk.replace(file, kept.map((line) => `${line}\n`).join(''))
  }
}
