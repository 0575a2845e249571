/** A memory on disk, as a copy of it is planned from. */
import path from 'node:path'
import { readBoth } from '../../knowledge/disk/knowledge.ts'
import type { Store } from '../../memory/disk/store.ts'
import { isToldNote } from '../../memory/note.ts'
import { EMPTY_STATE, formatState, type State } from '../../memory/state.ts'
import { listArchives } from '../../notes/disk/memory.ts'
import { listNotes } from '../../notes/disk/note-list.ts'
import { parseSummary } from '../../notes/summary.ts'
import { MOST_FILE_BYTES, readOwnText } from '../../platform/disk/files.ts'
import { STATE_FILE, summaryFileOf } from '../../platform/layout.ts'
import { readSessionText, unpackedName } from '../../sessions/disk/session-archive.ts'
import type { CopySource } from '../plan.ts'
import type { Shareable } from '../share.ts'
import { memoryFiles } from './vault.ts'

export function copySource(store: Store, clean: CopySource['clean'] = (text) => text): CopySource {
  return {
    paths: memoryFiles(store.dir).map((name) => name.split(path.sep).join('/')),
    textOf: (name) => textOf(store, name),
    shareable: () => readShareable(store),
    clean,
  }
}

function textOf(store: Store, name: string): string | null {
  const packed = unpackedName(path.basename(name))
  if (packed !== null) return readSessionText(store.dir, packed)
  if (name !== STATE_FILE) return readOwnText(path.join(store.dir, name), MOST_FILE_BYTES)
  const text = formatState(portableState(store.readState()))
  return text === formatState(EMPTY_STATE) ? null : text
}

/** What is true of the memory on every machine. */
export function portableState({ rotatedFiles, stats, beganAt, lastMemoryUpdateTs }: State): State {
  return { ...EMPTY_STATE, rotatedFiles, stats, beganAt, lastMemoryUpdateTs }
}

function readShareable(store: Store): Shareable {
  const { facts, concepts } = readBoth(store)
  const summaries = listArchives(store).flatMap((file) => {
    const text = readOwnText(path.join(store.dir, summaryFileOf(file)))
    const parsed = text === null ? null : parseSummary(text)
    return parsed !== null && 'summary' in parsed ? [{ file, summary: parsed.summary }] : []
  })
  return { notes: listNotes(store).notes.filter(isToldNote), summaries, facts, concepts: concepts.concepts }
}
