/**
 * The outbox: the rows of a memory that the server does not have yet, computed as the difference between the memory and a file with the
 * rows that were sent. A row enters that file only after the server committed it. Sending a row twice changes nothing on the server.
 */
import { standsRows } from '../../../core/others/disk/others.ts'
import { cleaner, readShareable } from '../../../core/others/disk/shareable.ts'
import { type OtherRow, shareableRows } from '../../../core/others/others.ts'
import { lossesIn } from '../../../core/vault/disk/vault-restore.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { disk, readOwnText } from '../../../kernel/platform/disk/files.ts'
import { isObject, parseObject } from '../../../kernel/platform/json.ts'
import { isSent, type SentRow, waitingRows } from '../row.ts'
import { fileOfProject, type Team } from './home.ts'
import type { Server } from './server.ts'

/** Rows of one transaction. */
const BATCH = 500

/** The rows of this memory that the team may see, without secrets and without paths of this machine. */
function wantedRows(store: Store, who: string): OtherRow[] {
  const clean = cleaner(store)
  const rows = shareableRows(readShareable(store), who, clean).filter(isSent)
  return [...rows, ...standsRows(store, { who, clean, isGoalToo: false })]
}

/** The digests of sent rows by key. Null: the file is missing, and the server must be asked. */
function readSent(store: Store): Map<string, string> | null {
  const raw = parseObject(readOwnText(fileOfProject(store.places, 'outbox')) ?? '')?.sent
  return isObject(raw) ? new Map(Object.entries(raw).map(([key, digest]) => [key, String(digest)])) : null
}

function keepSent(store: Store, sent: ReadonlyMap<string, string>): void {
  disk.replace(
    fileOfProject(store.places, 'outbox'),
    `${JSON.stringify({ version: 1, sent: Object.fromEntries(sent) })}\n`,
  )
}

/** Deletes the file of sent rows: the next exchange asks the server. */
export function forgetOutbox(places: Parameters<typeof fileOfProject>[0]): void {
  disk.remove(fileOfProject(places, 'outbox'))
  disk.remove(fileOfProject(places, 'status'))
}

/** A memory whose files were lost (not deleted by us) deletes no rows on the server: `restore` can bring the files back. */
function withoutLosses(store: Store, rows: readonly SentRow[]): SentRow[] {
  if (!rows.some(({ body }) => body === null)) return [...rows]
  const isWhole = store.isPrepared() && store.whyReadOnly() === null && lossesIn(store).length === 0
  return isWhole ? [...rows] : rows.filter(({ body }) => body !== null)
}

export function waitingIn(store: Store, { who }: Team, project: string, sent = readSent(store)): SentRow[] {
  if (store.ownership === 'foreign') return []
  return withoutLosses(store, waitingRows(project, wantedRows(store, who), sent ?? new Map()))
}

/** Sends waiting rows in transactions, and records each one after its commit. Returns the number of rows. */
export async function publishRows(store: Store, team: Team, project: string, server: Server): Promise<number> {
  const sent = readSent(store) ?? (await server.sentBy(project, team.machine))
  const waiting = waitingIn(store, team, project, sent)
  for (let from = 0; from < waiting.length; from += BATCH) {
    const batch = waiting.slice(from, from + BATCH)
    await server.publish(project, team.machine, batch)
    for (const { key, digest } of batch) sent.set(key, digest)
    keepSent(store, sent)
  }
  return waiting.length
}
