/** The host's own MEMORY.md: read, never written. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { list, readPart, statOf } from '../../platform/disk/files.ts'
import { hostSlug } from '../../platform/layout.ts'

/** The host loads so much of its own MEMORY.md. */
const HOST_LINES = 200

export interface AutoMemory {
  lines: string[]
  /** Other files beside MEMORY.md. */
  topics: string[]
}

/** The host's own notes about the project: read, never written. */
export function readAutoMemory(store: Store): AutoMemory | null {
  const dir = path.join(store.places.hostDir, 'projects', hostSlug(store.places.project.root), 'memory')
  const names = list(dir).filter((name) => name.endsWith('.md') && statOf(path.join(dir, name))?.kind === 'file')
  const text = names.includes('MEMORY.md') ? (readPart(path.join(dir, 'MEMORY.md'), 0, 25_000) ?? '').toString() : ''
  const topics = names.filter((name) => name !== 'MEMORY.md')
  if (text === '' && topics.length === 0) return null
  return { lines: text.split('\n').slice(0, HOST_LINES), topics }
}

/** The lines of its MEMORY.md that the host puts before Claude by itself. */
export function loadedByHost(store: Store): readonly string[] {
  return readAutoMemory(store)?.lines ?? []
}
