/** The shared transcripts as one project that used Memory Keeper: captured, and noted and summarised by code. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { noteByCode } from '../../src/core/notes/disk/notes.ts'
import { summariseSession } from '../../src/core/notes/disk/summaries.ts'
import { unsummarised } from '../../src/core/notes/disk/tiers.ts'
import { cutOver, settleHistory } from '../../src/core/notes/pending.ts'
import { stateEffect } from '../../src/kernel/memory/disk/store.ts'
import { id8OfFile, SESSIONS_DIR } from '../../src/kernel/platform/layout.ts'
import { captureAll } from '../../src/kernel/sessions/disk/capture.ts'
import { sessionIdOf } from '../../src/kernel/sessions/disk/transcripts.ts'
import { entryId, entryKey, parseSession } from '../../src/kernel/transcript/session.ts'
import { makePlace, NOW, now, type Place } from './corpus.ts'

export interface Work {
  place: Place
  /** What people typed. */
  prompts: readonly string[]
  /** Ids of the entries that have one of these keys. */
  idsOf(gold: readonly { key: string }[]): ReadonlySet<string>
  /** What they say, or what was run and printed. */
  textsOf(gold: readonly { key: string }[]): readonly string[]
}

export const FOLDER = path.resolve('../shared/transcripts')
const WAIT_MS = 20_000
const isAlive = (): boolean => false

/** Those that are on this machine. */
export function listTranscripts(): string[] {
  if (existsSync(FOLDER)) return readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'))
  console.log(`skipped: no transcripts in ${FOLDER}`)
  return []
}

/** `sessions`: entries and nothing else. */
export function rememberWork(files: readonly string[], what: 'sessions' | 'everything'): Work {
  const place = makePlace()
  const sources = files.map((name) => {
    const transcript = inHostsPlace(place, path.resolve(FOLDER, name))
    return { session: sessionIdOf(transcript), transcript, isHistory: true }
  })
  captureAll(place.store, sources, { waitMs: WAIT_MS, now })
  if (what === 'everything') tellAll(place)
  const { ids, texts, prompts } = readBack(place)
  return {
    place,
    prompts,
    idsOf: (gold) => new Set(gold.flatMap(({ key }) => ids.get(key) ?? [])),
    textsOf: (gold) => gold.flatMap(({ key }) => texts.get(key) ?? []),
  }
}

/** A copy where the host keeps transcripts: what lies elsewhere nobody typed. */
export function inHostsPlace({ home, project }: Place, transcript: string): string {
  const dir = path.join(home, '.claude', 'projects', project.replaceAll(/[^A-Za-z0-9]/g, '-'))
  mkdirSync(dir, { recursive: true })
  const copy = path.join(dir, path.basename(transcript))
  copyFileSync(transcript, copy)
  return copy
}

/** All of it, not only the newest entries as on a first run. */
export function tellAll({ store }: Place): void {
  store.whileLocked(WAIT_MS, () => {
    const settled = settleHistory(store.readState(), NOW, Number.MAX_SAFE_INTEGER)
    store.perform([stateEffect(cutOver(settled, NOW, isAlive))])
    noteByCode(store, NOW)
    for (const id of unsummarised(store, { now: NOW, isAlive })) summariseSession(store, id)
  })
}

/** A copy of an entry in a session that continues another one has the same key. */
function readBack({ store }: Place): { ids: Map<string, string[]>; texts: Map<string, string>; prompts: string[] } {
  const ids = new Map<string, string[]>()
  const texts = new Map<string, string>()
  const prompts: string[] = []
  const dir = path.join(store.dir, SESSIONS_DIR)
  for (const file of existsSync(dir) ? readdirSync(dir) : []) {
    const id8 = id8OfFile(file)
    if (id8 === null) continue
    parseSession(readFileSync(path.join(dir, file), 'utf8')).entries.forEach((entry, n) => {
      const key = entryKey(entry)
      ids.set(key, [...(ids.get(key) ?? []), entryId(id8, n)])
      if ('text' in entry) texts.set(key, entry.text)
      else if ('cmd' in entry) texts.set(key, `${entry.cmd}\n${entry.output ?? ''}`)
      if (entry.role === 'user') prompts.push(entry.text)
    })
  }
  return { ids, texts, prompts }
}
