/**
 * The mirror: teammates' rows as files of others (copies/disk/others.ts), read from the server in the order of its transactions, and only up
 * to the oldest one that still runs: below it nothing can appear any more. The record says how many bytes of the newest file are
 * settled; after a kill the rest is cut off and read again.
 */
import path from 'node:path'
import { isForgottenRow } from '../../copies/others.ts'
import { disk, list, readOwnText, readPart, removeTree, sizeOf } from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import { parseObject } from '../../platform/json.ts'
import { type Forgotten, NOTHING_FORGOTTEN } from '../../sessions/forget-record.ts'
import { mirrorLine, receivedRow } from '../row.ts'
import { fileOfProject, type Team } from './home.ts'
import type { PulledRow, Server } from './server.ts'

type Where = Pick<Places, 'others' | 'keeperDir' | 'project'>

interface MirrorState {
  epoch: string
  xid: string
  who: string
  key: string
  /** The newest file: its number, its settled bytes and rows. */
  file: number
  size: number
  rows: number
}

const PAGE = 5_000
/** Of one file; a file that changed is read by the search index as a whole. */
const FILE_ROWS = 500
/** At most 400 files are read: those of a large mirror are larger. */
const FEW_FILES = 200
const FILE_BYTES = 3 * 1024 * 1024
const MOST_BYTES = 16 * 1024 * 1024

const dirOf = ({ others }: Where): string => path.join(others, 'team')
const fileAt = (places: Where, n: number): string =>
  path.join(dirOf(places), `rows-${String(n).padStart(4, '0')}.jsonl`)

/** Where nothing sound is known the mirror begins anew. */
function readState(places: Where, epoch: string): MirrorState {
  const raw = parseObject(readOwnText(fileOfProject(places, 'mirror')) ?? '')
  const isSound = /^\d{1,20}$/.test(String(raw?.xid)) && [raw?.file, raw?.size, raw?.rows].every(Number.isInteger)
  if (isSound && raw?.epoch === epoch) return raw as unknown as MirrorState
  purgeMirror(places)
  return { epoch, xid: '0', who: '', key: '', file: 1, size: 0, rows: 0 }
}

/** Also forgets how far it was read: the next time it is filled anew. */
export function purgeMirror(places: Where): void {
  disk.remove(fileOfProject(places, 'mirror'))
  removeTree(dirOf(places))
}

/** What was written behind the record by a run that was killed is cut off. A file that `forget` made shorter is left as it is. */
function cutBack(places: Where, state: MirrorState): MirrorState {
  const { file, size } = state
  for (const name of list(dirOf(places)))
    if (name > path.basename(fileAt(places, file))) disk.remove(path.join(dirOf(places), name))
  const bytes = sizeOf(fileAt(places, file)) ?? 0
  if (bytes < size) return { ...state, file: file + 1, size: 0, rows: 0 }
  if (bytes > size) disk.appendAt(fileAt(places, file), size, '')
  return state
}

/** Reads what is new. Returns the number of rows. */
export async function pullRows(
  places: Where,
  project: string,
  server: Server,
  epoch: string,
  { muted, forgotten }: Pick<Team, 'muted'> & { forgotten: Forgotten },
  page = PAGE,
): Promise<number> {
  let state = cutBack(places, readState(places, epoch))
  // Of the transaction where it stopped, all rows are new, or some are not.
  const since = state.who === '' ? state.xid : String(BigInt(state.xid) + 1n)
  const before = await server.settledBefore()
  const from = state.xid
  let count = 0
  for (;;) {
    const rows = await server.pull(project, state, since, before, page)
    const wanted = rows.filter(({ who }) => !muted.includes(who)).map((row) => withoutForgotten(row, forgotten))
    const last = rows.length < page ? { xid: before, who: '', key: '' } : (rows.at(-1) ?? state)
    state = { ...append(places, state, placeKnown(places, state, wanted)), xid: last.xid, who: last.who, key: last.key }
    count += wanted.length
    if (rows.length > 0 || last.xid !== from)
      disk.replace(fileOfProject(places, 'mirror'), `${JSON.stringify({ version: 1, ...state })}\n`)
    if (rows.length < page) return count
  }
}

/** What was forgotten on this machine is deleted, also where the mirror is filled anew. */
function withoutForgotten(pulled: PulledRow, forgotten: Forgotten): PulledRow {
  const { who, body } = pulled
  const row = body === null || forgotten === NOTHING_FORGOTTEN ? null : receivedRow(who, body)
  return row !== null && isForgottenRow(row, forgotten) ? { ...pulled, body: null } : pulled
}

/** Changes rows that stand in earlier files. Returns those that are new, or stand in the newest file, where the later line counts. */
function placeKnown(places: Where, { file }: MirrorState, rows: readonly PulledRow[]): PulledRow[] {
  const known = rows.filter(({ isKnown }) => isKnown)
  if (known.length === 0) return rows.filter(({ body }) => body !== null)
  const placed = new Set<PulledRow>()
  const inNewest = new Set<PulledRow>()
  for (let n = file; n >= 1 && placed.size < known.length; n--) {
    const lines = linesOf(fileAt(places, n))
    const heads = new Set(lines.map(headOf))
    const found = known.filter((row) => !placed.has(row) && heads.has(headFor(row)))
    for (const row of found) placed.add(row)
    if (n === file) for (const row of found) inNewest.add(row)
    else if (found.length > 0) disk.replace(fileAt(places, n), changed(lines, found))
  }
  return rows.filter((row) => inNewest.has(row) || (!placed.has(row) && row.body !== null))
}

function linesOf(file: string): string[] {
  const text = readPart(file, 0, MOST_BYTES)?.toString('utf8') ?? ''
  return text.split('\n').filter((line) => line !== '')
}

/** Whose row a line is, and which. Neither names nor ids contain a quotation mark. */
function headOf(line: string): string {
  const id = line.indexOf('"id":"') + '"id":"'.length
  return line.slice(0, line.indexOf('"', id) + 1)
}

function headFor({ who, key }: Pick<PulledRow, 'who' | 'key'>): string {
  return headOf(mirrorLine(who, key, null))
}

function changed(lines: readonly string[], rows: readonly PulledRow[]): string {
  const heads = new Set(rows.map(headFor))
  const kept = lines.filter((line) => !heads.has(headOf(line))).map((line) => `${line}\n`)
  const fresh = rows.filter(({ body }) => body !== null).map(({ who, key, body }) => mirrorLine(who, key, body))
  return [...kept, ...fresh].join('')
}

function append(places: Where, state: MirrorState, rows: readonly PulledRow[]): MirrorState {
  let { file, size, rows: count } = state
  let text = ''
  const flush = (): void => {
    if (text !== '') disk.appendAt(fileAt(places, file), size, text)
    size += Buffer.byteLength(text)
    text = ''
  }
  for (const { who, key, body } of rows) {
    if (count >= (file > FEW_FILES ? 10 * FILE_ROWS : FILE_ROWS) || size + text.length > FILE_BYTES) {
      flush()
      file++
      size = 0
      count = 0
    }
    text += mirrorLine(who, key, body)
    count++
  }
  flush()
  return { ...state, file, size, rows: count }
}

/** Takes the rows of one person out of the mirror. The newest file becomes shorter than the record says: the next rows begin another one. */
export function dropPerson(places: Where, who: string): void {
  for (const name of list(dirOf(places))) {
    const file = path.join(dirOf(places), name)
    const kept = linesOf(file).filter((line) => !line.startsWith(`{"who":"${who}",`))
    disk.replace(file, kept.map((line) => `${line}\n`).join(''))
  }
}
