/** Figures about a memory over time, for `stats`, `status` and the page: injected tokens, cost of models, growth and size. */
import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { parseMemory } from '../../../kernel/memory/note.ts'
import { list, statOf } from '../../../kernel/platform/disk/files.ts'
import { MEMORY_FILE, SESSIONS_DIR } from '../../../kernel/platform/layout.ts'
import { utcDay } from '../../../kernel/platform/time.ts'
import { grouped, total } from '../../../kernel/text/figures.ts'
import { estimateTokens } from '../../../kernel/text/tokens.ts'
import { type ModelCall, tokensOfCalls } from '../../model/disk/model-calls.ts'
import { listArchives, readArchive, readMemory } from '../../notes/disk/memory.ts'
import type { ReceiptRow } from '../../receipts/receipt.ts'
import { indexDir } from '../../search/disk/memory-index.ts'

/** The parts of what is injected. */
export const PARTS = ['briefing', 'rules', 'recall', 'request'] as const

export function injectedTokens(row: Pick<ReceiptRow, (typeof PARTS)[number]>): number {
  return total(PARTS, (part) => row[part])
}

/** Injected tokens per day, by part; a session counts on the day of its first injection. */
export function tokensPerDay(rows: readonly ReceiptRow[], dayOf = utcDay) {
  return perDay(rows, dayOf, (all) => {
    const [briefing = 0, rules = 0, recall = 0, request = 0] = PARTS.map((part) => total(all, (row) => row[part]))
    return { briefing, rules, recall, request }
  })
}

export function costOf(calls: readonly ModelCall[]) {
  return { calls: calls.length, tokens: tokensOfCalls(calls), costUsd: total(calls, ({ costUsd }) => costUsd ?? 0) }
}

export function modelPerDay(calls: readonly ModelCall[], dayOf = utcDay) {
  return perDay(calls, dayOf, costOf)
}

function perDay<T extends { at: string }, D>(
  all: readonly T[],
  dayOf: (at: string) => string,
  make: (some: readonly T[]) => D,
) {
  const days = [...grouped(all, ({ at }) => dayOf(at))].sort(([a], [b]) => (a < b ? -1 : 1))
  return days.map(([day, some]) => ({ day, ...make(some) }))
}

/** As rotation counts them, so that every place shows the same number. */
export function memoryTokens(store: Store): number {
  return estimateTokens(readMemory(store))
}

/** The tokens of memory.md after each note, up to the current value; a rotation subtracts what moved to its archive. */
export function memoryGrowth(store: Store) {
  const rotatedAt = new Map(store.readState().rotatedFiles.map(({ file, rotatedAt }) => [file, rotatedAt]))
  const files = [
    ...listArchives(store).map((file) => ({ file, text: readArchive(store, file) ?? '' })),
    { file: MEMORY_FILE, text: readMemory(store) },
  ]
  const steps = files.flatMap(({ file, text }) => {
    const notes = parseMemory(text).flatMap(({ raw, note }) =>
      note === null ? [] : [{ at: note.at, tokens: estimateTokens(raw), isRotation: false }],
    )
    const at = rotatedAt.get(file) ?? instantOf(file)
    const out = -total(notes, ({ tokens }) => tokens)
    return at === null ? notes : [...notes, { at, tokens: out, isRotation: true }]
  })
  // Text around the notes counts from the beginning.
  let tokens = memoryTokens(store) - total(steps, (step) => step.tokens)
  return steps
    .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : Number(a.isRotation) - Number(b.isRotation)))
    .map((step) => {
      tokens += step.tokens
      return { ...step, tokens: Math.max(0, tokens) }
    })
}

/** An archive is named by the time of its rotation. */
function instantOf(archive: string): string | null {
  const [, day = '', time = ''] = /^memory_(\d{8})_(\d{6})/.exec(archive) ?? []
  if (day === '') return null
  return `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}.000Z`
}

/** Bytes on disk. */
export function sizesOf(store: Store) {
  const index = indexDir(store, store.places.cacheDir)
  const sessions = bytesAt(path.join(store.dir, SESSIONS_DIR))
  return {
    sessions,
    memory: bytesAt(store.dir) - sessions,
    index: index === '' ? 0 : bytesAt(index),
    vault: bytesAt(store.places.vault),
  }
}

/** Bytes below this path. */
export function bytesAt(file: string): number {
  const stat = statOf(file)
  if (stat?.kind === 'dir') return total(list(file), (name) => bytesAt(path.join(file, name)))
  return stat?.kind === 'file' ? stat.size : 0
}
