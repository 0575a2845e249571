/** A project in which many layers tell of the same things, and a look at every byte that we keep of it. */

import fs from 'node:fs'
import path from 'node:path'
import zlib from 'node:zlib'
import { renderStart } from '../../src/core/briefing/disk/briefing.ts'
import { keepPrepared } from '../../src/core/briefing/disk/briefing-kept.ts'
import { updateConcepts } from '../../src/core/knowledge/disk/fact-care.ts'
import { renderSessionFactFiles } from '../../src/core/knowledge/disk/facts.ts'
import { readFacts, writeFacts } from '../../src/core/knowledge/disk/knowledge.ts'
import { addFacts } from '../../src/core/knowledge/fact-add.ts'
import type { NewFact } from '../../src/core/knowledge/item.ts'
import { noteByCode } from '../../src/core/notes/disk/notes.ts'
import { summariseSession } from '../../src/core/notes/disk/summaries.ts'
import { openIndex } from '../../src/core/search/disk/memory-index.ts'
import { fillVault } from '../../src/core/vault/disk/vault-restore.ts'
import { backUp } from '../../src/kernel/memory/disk/migrate-backup.ts'
import { COMMAND_WAIT_MS, type Store, stateEffect } from '../../src/kernel/memory/disk/store.ts'
import { sessionIn } from '../../src/kernel/memory/state.ts'
import { disk } from '../../src/kernel/platform/disk/files.ts'
import { logEvent } from '../../src/kernel/platform/disk/log.ts'
import { captureSession } from '../../src/kernel/sessions/disk/capture.ts'
import { entriesOf, sessionRows } from '../../src/kernel/sessions/disk/sessions.ts'
import { type Lines, linesFor, now, setAtHome, storeOf, type TestProject, write } from './project.ts'
import { allDue } from './work.ts'

export interface Said {
  session: string
  /** Lines of its transcript, made with `lines`. */
  transcript: (lines: Lines) => string
  /** The entry whose last sentence a model took for a decision. */
  decided?: number
}

/** Captured, noted, summed up, sorted, indexed, copied to the vault and to a backup, told in a briefing, logged. */
export function live(project: TestProject, sessions: readonly Said[]): Store {
  setAtHome(project, { summarizer: 'extractive', rawBackup: true })
  const store = storeOf(project)
  for (const { session, transcript } of sessions) {
    const file = project.transcriptOf(session)
    write(file, transcript(linesFor(session, project.root)))
    captureSession(store, { session, transcript: file, host: 0 }, { waitMs: COMMAND_WAIT_MS, now })
  }
  store.whileLocked(COMMAND_WAIT_MS, () => {
    const state = store.readState()
    store.perform([stateEffect(allDue(state))])
    noteByCode(store, now())
    for (const one of sessions) decideIn(store, one)
    for (const { session } of sessions) summariseSession(store, session)
    updateConcepts(store, now())
    fillVault(store)
  })
  copyAround(project, store)
  return store
}

function decideIn(store: Store, { session, decided }: Said): void {
  const state = sessionIn(store.readState(), session)
  if (decided === undefined || state === undefined) return
  const entry = entriesOf(store, state, decided, decided + 1)[0]?.entry
  if (entry === undefined || !('text' in entry)) throw new Error(`nothing is said in entry ${decided}`)
  const id8 = session.slice(0, 8)
  const { text, ts } = entry
  const said: NewFact = {
    ...{ kind: 'decision', text, reason: null, status: null, resolution: null, at: ts, session: id8 },
    ...{ evidence: { entry: decided, quote: text, by: 'assistant' }, files: [], concept: null },
    ...{ state: 'fresh', by: 'headless' },
  }
  const before = readFacts(store)
  const after = addFacts(before, [said])
  writeFacts(store, before, after, now())
  renderSessionFactFiles(store)
}

function copyAround(project: TestProject, store: Store): void {
  const files = fs
    .readdirSync(project.memory, { recursive: true, encoding: 'utf8' })
    .filter((name) => fs.statSync(path.join(project.memory, name)).isFile() && !path.basename(name).startsWith('.'))
  backUp(store, files, [], now())
  // As if they had lost something that the user has not agreed to.
  for (const name of ['memory.md', 'facts.json', 'concepts.json']) {
    const file = path.join(project.memory, name)
    if (fs.existsSync(file)) disk.replace(path.join(project.places.vault, '.kept', name), fs.readFileSync(file))
  }
  const memory = fs.existsSync(path.join(project.memory, 'memory.md'))
    ? fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8')
    : ''
  disk.replace(path.join(project.memory, 'journal', 'briefings', 'ffffffff-0000.txt'), `# Told\n\n${memory}`)
  disk.replace(
    path.join(project.memory, 'journal', 'recall-texts.jsonl'),
    `${JSON.stringify({ at: now(), session: 'x', text: memory })}\n`,
  )
  disk.replace(path.join(project.memory, 'memory.md.broken-20260101000000'), memory)
  logEvent(project.memory, now(), `something went wrong with ${memory.replace(/\s+/g, ' ').slice(0, 4000)}`)
  const index = openIndex(store, { cacheDir: store.places.cacheDir, now })
  index.refresh()
  index.close()
  sessionRows(store)
  const lines = renderStart(store, store.readState()).briefing?.lines ?? []
  keepPrepared(store, { dir: store.dir, lines, line: null, timezone: '', isEntered: true, isQuiet: true }, [], '')
}

/** Every file below these, as text; what is compressed is unpacked. */
function bytesOf(...dirs: string[]): Map<string, string> {
  const all = new Map<string, string>()
  for (const dir of dirs.filter((one) => fs.existsSync(one))) {
    for (const name of fs.readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
      const file = path.join(dir, name)
      if (!fs.lstatSync(file).isFile()) continue
      const bytes = fs.readFileSync(file)
      all.set(
        file,
        name.endsWith('.gz') ? bytes.toString('latin1') + zlib.gunzipSync(bytes).toString() : bytes.toString(),
      )
    }
  }
  return all
}

/** The files of ours in which one of these words stands: in the project, at home, in the cache. */
export function filesWith(project: TestProject, words: readonly string[]): string[] {
  const all = bytesOf(project.memory, project.keeper, project.around.cacheDir ?? '')
  return [...all].flatMap(([file, text]) => {
    const lower = text.toLowerCase()
    return words
      .filter((word) => lower.includes(word.toLowerCase()))
      .map((word) => `${word} in ${path.relative(project.base, file)}`)
  })
}
