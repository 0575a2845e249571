/** A memory with files to find something in, and what an index says about it. */
import fs from 'node:fs'
import path from 'node:path'
import { type IndexOptions, openIndex, type SearchIndex } from '../../../../src/core/search/disk/memory-index.ts'
import type { VoiceWeights } from '../../../../src/core/search/engine.ts'
import type { Store } from '../../../../src/kernel/memory/disk/store.ts'
import { stemOf } from '../../../../src/kernel/text/token.ts'
import { tokenise } from '../../../../src/kernel/text/words.ts'
import { type Entry, formatEntry, type Tombstone } from '../../../../src/kernel/transcript/session.ts'
import { fastDir, makeProject, now, storeOf, type TestProject, write } from '../../../support/project.ts'

export const WEIGHTS: VoiceWeights = [1.3, 1, 0.6, 1.1]
export interface Memory {
  project: TestProject
  store: Store
  cacheDir: string
  /** Where the index of this memory is. */
  indexDir(): string
  /** Puts a file below the memory directory. */
  put(name: string, text: string): void
  remove(name: string): void
  open(options?: Partial<IndexOptions>): SearchIndex
  /** Opens, refreshes, looks, closes. */
  ask<T>(look: (index: SearchIndex) => T, options?: Partial<IndexOptions>): T
}

export function makeMemory(base = fastDir()): Memory {
  const project = makeProject('app', base)
  const store = storeOf(project)
  store.prepare()
  const cacheDir = path.join(project.base, 'cache')
  const memory: Memory = {
    project,
    store,
    cacheDir,
    indexDir: () => path.join(cacheDir, 'index', fs.readdirSync(path.join(cacheDir, 'index'))[0] ?? ''),
    put: (name, text) => write(path.join(store.dir, name), text),
    remove: (name) => fs.rmSync(path.join(store.dir, name), { force: true }),
    open: (options) => openIndex(store, { cacheDir, now, ...options }),
    ask: (look, options) => {
      const index = memory.open(options)
      try {
        index.refresh()
        return look(index)
      } finally {
        index.close()
      }
    },
  }
  return memory
}

export function sessionName(n: number): string {
  return `sessions/20260113_1200${String(n).padStart(2, '0')}_${id8Of(n)}.l1.jsonl`
}

export function id8Of(n: number): string {
  return n.toString(16).padStart(8, '0')
}

export function said(text: string, more: object = {}): Entry {
  return { role: 'user', ts: '2026-01-13T12:00:00.000Z', text, ...more }
}

export function lines(...entries: (Entry | Tombstone | string)[]): string {
  return entries.map((entry) => formatEntry(typeof entry === 'string' ? said(entry) : entry)).join('')
}

/** Ids of what holds any of these words, best first. */
export function find(index: SearchIndex, words: string, limit = 50): string[] {
  return look(index, words, limit).docs.map((doc) => index.unitOf(doc)?.id ?? 'gone')
}

export function look(
  index: SearchIndex,
  words: string,
  limit = 50,
): { docs: readonly number[]; found: readonly number[] } {
  return index.engine.look([...tokenise(words)].map(stemOf), WEIGHTS, limit, null)
}

/** All that can be found, source by source; of a session in the order of the neighbours. */
export function contentOf(index: SearchIndex): Record<string, string[]> {
  const { count, dead, prev, next, length } = index.columns
  const content: Record<string, string[]> = {}
  for (let first = 0; first < count; first++) {
    if (dead[first] === 1 || prev(first) !== -1) continue
    const { source } = index.placeOf(first)
    if (content[source] !== undefined) throw new Error(`${source} has two beginnings`)
    const told: string[] = []
    for (let doc = first; doc >= 0; doc = next(doc)) {
      const unit = index.unitOf(doc)
      const { session } = index.placeOf(doc)
      told.push(unit === null ? 'gone' : `${unit.id} ${unit.kind} ${unit.state} ${session} ${length[doc]} ${unit.text}`)
    }
    content[source] = source.endsWith('.l1.jsonl') ? told : told.sort()
  }
  const living = Object.values(content).flat().length
  if (living !== index.columns.live) throw new Error(`${living} are linked, ${index.columns.live} live`)
  return content
}

/** As an index made from nothing has it. */
export function contentAnew(memory: Memory): Record<string, string[]> {
  return memory.ask(contentOf, { cacheDir: '' })
}
