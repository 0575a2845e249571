/** Figures about a memory over time, for `stats`, `status` and the page: injected tokens, cost of models, growth and size. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { parseMemory } from '../../memory/note.ts'
import { type ModelCall, tokensOfCalls } from '../../model/disk/model-calls.ts'
import { listArchives, readArchive, readMemory } from '../../notes/disk/memory.ts'
import { list, statOf } from '../../platform/disk/files.ts'
import { MEMORY_FILE, SESSIONS_DIR } from '../../platform/layout.ts'
import { utcDay } from '../../platform/time.ts'
import type { ToldRow } from '../../receipts/receipt.ts'
import { indexDir } from '../../search/disk/index/index.ts'
import { grouped, total } from '../../text/figures.ts'
import { estimateTokens } from '../../text/tokens.ts'

export interface ToldDay {
  day: string
  briefing: number
  rules: number
  recall: number
  request: number
}

const PARTS = ['briefing', 'rules', 'recall', 'request'] as const

/** Injected tokens per day, by part; a session counts on the day of its first injection. */
export function tokensPerDay(rows: readonly ToldRow[], dayOf = utcDay): ToldDay[] {
  return perDay(rows, dayOf, (day, all) => {
    const [briefing = 0, rules = 0, recall = 0, request = 0] = PARTS.map((part) => total(all, (row) => row[part]))
    return { day, briefing, rules, recall, request }
  })
}

export interface ModelDay {
  day: string
  calls: number
  tokens: number
  costUsd: number
}

export function modelPerDay(calls: readonly ModelCall[], dayOf = utcDay): ModelDay[] {
  return perDay(calls, dayOf, (day, all) => {
    return { day, calls: all.length, tokens: tokensOfCalls(all), costUsd: total(all, ({ costUsd }) => costUsd ?? 0) }
  })
}

function perDay<T extends { at: string }, D>(
  all: readonly T[],
  dayOf: (at: string) => string,
  make: (day: string, some: readonly T[]) => D,
): D[] {
  const days = [...grouped(all, ({ at }) => dayOf(at))].sort(([a], [b]) => (a < b ? -1 : 1))
  return days.map(([day, some]) => make(day, some))
}

export interface Growth {
  at: string
  tokens: number
  isRotation: boolean
}

/** As rotation counts them, so that every place shows the same number. */
export function memoryTokens(store: Store): number {
  return estimateTokens(readMemory(store))
}

/** The tokens of memory.md after each note, up to the current value; a rotation subtracts what moved to its archive. */
export function memoryGrowth(store: Store): Growth[] {
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
    const out = -notes.reduce((sum, { tokens }) => sum + tokens, 0)
    return at === null ? notes : [...notes, { at, tokens: out, isRotation: true }]
  })
  // Text around the notes counts from the beginning.
  let tokens = memoryTokens(store) - steps.reduce((sum, step) => sum + step.tokens, 0)
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

export interface Sizes {
  sessions: number
  memory: number
  index: number
  vault: number
}

/** Bytes on disk. */
export function sizesOf(store: Store): Sizes {
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
  const facts = statOf(file)
  if (facts?.kind === 'dir') return total(list(file), (name) => bytesAt(path.join(file, name)))
  return facts?.kind === 'file' ? facts.size : 0
}
