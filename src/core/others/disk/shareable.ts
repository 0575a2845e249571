/** What of this memory may be given to others: without secrets, and without paths of this machine. */
import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { isToldNote } from '../../../kernel/memory/note.ts'
import { readOwnText } from '../../../kernel/platform/disk/files.ts'
import type { Places } from '../../../kernel/platform/disk/locate.ts'
import { summaryFileOf } from '../../../kernel/platform/layout.ts'
import { replaceLocalDirs } from '../../../kernel/platform/local-path.ts'
import { redactorFor } from '../../../kernel/redact/redact.ts'
import { readBoth } from '../../knowledge/disk/knowledge.ts'
import { listArchives } from '../../notes/disk/memory.ts'
import { listNotes } from '../../notes/disk/note-list.ts'
import { parseSummary } from '../../notes/summary.ts'
import type { Shareable } from '../share.ts'

/** Makes paths of this machine relative in a text. */
export type WithoutPlaces = (text: string) => string

/** Removes secrets by the current rules, and makes paths relative to the project. */
export function cleaner({ config, places }: Store): (text: string) => string {
  const redact = redactorFor({ ...config, redaction: true })
  const without = withoutPlacesOf(places)
  return (text) => redact(without(text)).text
}

/** Makes paths of this machine relative: to the project, or to the user's home. */
export function withoutPlacesOf(places: Places): WithoutPlaces {
  const home = path.basename(places.hostDir) === '.claude' ? path.dirname(places.hostDir) : null
  const root = { dir: places.project.root, as: '.', asParent: '' }
  const dirs = home === null ? [root] : [root, { dir: home, as: '~' }]
  return (text) => replaceLocalDirs(text, dirs, process.platform)
}

export function readShareable(store: Store): Shareable {
  const { facts, concepts } = readBoth(store)
  const summaries = listArchives(store).flatMap((file) => {
    const text = readOwnText(path.join(store.dir, summaryFileOf(file)))
    const parsed = text === null ? null : parseSummary(text)
    return parsed !== null && 'summary' in parsed ? [{ file, summary: parsed.summary }] : []
  })
  return { notes: listNotes(store).notes.filter(isToldNote), summaries, facts, concepts: concepts.concepts }
}
