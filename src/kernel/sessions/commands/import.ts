/** `import`: captures the transcripts that are still on this machine as sessions. */

import path from 'node:path'
import { type Command, inProject, type Option } from '../../memory/commands/command.ts'
import { type Context, checkNamed } from '../../memory/commands/context.ts'
import { bytes, count, percent } from '../../memory/commands/output.ts'
import { COMMAND_WAIT_MS, openStore, refuseReadOnly, type Store, stateEffect } from '../../memory/disk/store.ts'
import type { SessionState } from '../../memory/session-state.ts'
import { allSessions, allStored, sessionIn, withSessions } from '../../memory/state.ts'
import { sizeOf, statOf } from '../../platform/disk/files.ts'
import { locate } from '../../platform/disk/locate.ts'
import { KeeperError } from '../../platform/error.ts'
import { MEMORY_FILE } from '../../platform/layout.ts'
import {
  type Captured,
  type CaptureOptions,
  COMMIT_BYTES,
  captureAll,
  NOTHING_CAPTURED,
  type Source,
} from '../disk/capture.ts'
import { catchUp } from '../disk/catch-up.ts'
import { isSound } from '../disk/cursor.ts'
import { forgetPauses } from '../disk/pause.ts'
import {
  belongingIn,
  launchDirOf,
  listAllTranscripts,
  listCandidates,
  sessionIdOf,
  type TranscriptFile,
} from '../disk/transcripts.ts'
import { TRANSCRIPT } from './verify.ts'

/** The minimum size of an entry. */
const LEAST_ENTRY_BYTES = 40

const COUNTS = ['sessions', 'entries', 'bytesIn', 'badLines', 'redactions'] as const

export interface ImportOptions {
  transcript?: string[]
  all?: boolean
  paused?: boolean
}

export function runImport(context: Context, options: ImportOptions): number {
  if (options.transcript && options.all) {
    throw new KeeperError('usage', 'Give --transcript or --all, not both.')
  }
  checkNamed(options.transcript ?? [])
  refuseReadOnly(context.store)
  if (context.isDryRun) return planImport(context, options)
  const before = sessionBytes(context.store)
  const isFirst = statOf(path.join(context.store.dir, MEMORY_FILE)) === null
  const total = importChosen(context, options)
  const result = {
    sessions: total.sessions,
    entries: total.entries,
    bytesIn: total.bytesIn,
    bytesOut: Math.max(0, sessionBytes(context.store) - before) + total.bytesElsewhere,
    badLines: total.badLines,
    redactions: total.redactions,
  }
  context.out.json(result)
  context.out.say(
    renderResult(result, options),
    ...(result.badLines > 0 ? [`${count(result.badLines, 'line')} skipped that could not be read`] : []),
    ...(result.redactions > 0 ? [`${count(result.redactions, 'secret')} redacted`] : []),
    ...(result.sessions > 0 && isFirst
      ? ['Next: memory-keeper final writes the notes; the next session start does it too.']
      : []),
  )
  return total.complete ? 0 : 1
}

function renderResult(
  { sessions, entries, bytesIn, bytesOut }: { sessions: number; entries: number; bytesIn: number; bytesOut: number },
  options: ImportOptions,
): string {
  if (sessions === 0) return nothingNew(options)
  if (entries === 0) return `${count(sessions, 'transcript')} read: nothing new to remember.`
  const counted = `${count(sessions, 'session')}, ${count(entries, 'entry', 'entries')}`
  // A repaired file hardly grows: the sizes cannot be compared.
  return bytesOut < entries * LEAST_ENTRY_BYTES
    ? `${counted} captured again.`
    : `${counted}: ${bytes(bytesIn)} → ${bytes(bytesOut)} (${percent(bytesIn - bytesOut, bytesIn)} saved)`
}

function nothingNew({ transcript, all }: ImportOptions): string {
  if (transcript)
    return `Nothing new: ${transcript.length === 1 ? 'this transcript is' : 'these transcripts are'} captured.`
  return `Nothing new: all transcripts of ${all ? 'all projects' : 'this project'} are captured.`
}

function importChosen(context: Context, options: ImportOptions): Captured & { bytesElsewhere: number } {
  const paused = options.paused ? takeInPauses(context.store) : []
  if (options.all) return importAll(context)
  const files = options.transcript ?? paused
  const sources = files.map((file) => ({ session: sessionIdOf(file), transcript: file, isHistory: true }))
  const captured =
    sources.length > 0
      ? captureAll(context.store, sources, captureOptions(context))
      : catchUp(context.store, { ...captureOptions(context), look: 'anew' })
  return { ...captured, bytesElsewhere: 0 }
}

/**
 * Returns the transcripts to read again from the beginning. Entries that the sessions contain are recognised; those left out by
 * pauses are added.
 */
function takeInPauses(store: Store): string[] {
  forgetPauses(store.places)
  const read = store.whileLocked(COMMAND_WAIT_MS, () => {
    const state = store.readState()
    const still = allSessions(state).filter(([, { transcript }]) => sizeOf(transcript) !== null)
    const anew = still.map(([id, session]): [string, SessionState] => [id, { ...session, anchor: '' }])
    store.perform([stateEffect(withSessions(state, anew))])
    return still.map(([, { transcript }]) => transcript)
  })
  return read?.value ?? []
}

/** Every project but the current one is stored at home: nothing is written into directories that the user did not name. */
function importAll(context: Context): Captured & { bytesElsewhere: number } {
  const total = { ...NOTHING_CAPTURED, bytesElsewhere: 0 }
  for (const [store, files] of transcriptsByStore(context)) {
    const sources = files.map((file): Source => ({ session: file.session, transcript: file.path, isHistory: true }))
    const before = sessionBytes(store)
    const captured = captureAll(store, sources, captureOptions(context))
    for (const name of COUNTS) total[name] += captured[name]
    total.complete &&= captured.complete
    if (store !== context.store) total.bytesElsewhere += sessionBytes(store) - before
  }
  return total
}

function transcriptsByStore(context: Context): Map<Store, TranscriptFile[]> {
  const byStore = new Map<Store, TranscriptFile[]>()
  const stores = new Map<string, Store>()
  for (const file of listAllTranscripts(context.store.places.hostDir)) {
    const launchDir = launchDirOf(file.path)
    if (launchDir === null) continue
    const store = storeFor(context, launchDir, stores)
    byStore.set(store, [...(byStore.get(store) ?? []), file])
  }
  return byStore
}

function captureOptions(context: Context): CaptureOptions {
  return {
    waitMs: COMMAND_WAIT_MS,
    commitBytes: COMMIT_BYTES,
    now: context.world.now,
    onProgress: (done, of) => context.out.progress(done, of, 'transcripts'),
  }
}

function storeFor(context: Context, launchDir: string, stores: Map<string, Store>): Store {
  const places = locate(launchDir, context.world.around)
  const { root } = places.project
  if (root === context.store.places.project.root) return context.store
  const store = stores.get(root) ?? openStore(places, { now: context.world.now, atHome: true })
  stores.set(root, store)
  return store
}

function planImport(context: Context, options: ImportOptions): number {
  const { store } = context
  const behind = options.all
    ? [...transcriptsByStore(context)].flatMap(([other, files]) => unread(other, files))
    : unread(
        store,
        options.transcript
          ? options.transcript.map((path) => ({ path, session: sessionIdOf(path), size: sizeOf(path) ?? 0 }))
          : ownTranscripts(store),
      )
  const bytesIn = behind.reduce((sum, file) => sum + file.bytes, 0)
  context.out.json({ dryRun: true, sessions: behind.length, bytesIn, transcripts: behind.map((file) => file.path) })
  context.out.say(
    behind.length === 0 ? nothingNew(options) : `Would read ${count(behind.length, 'transcript')} (${bytes(bytesIn)}):`,
    ...behind.map((file) => `  ${file.path}`),
  )
  return 0
}

function ownTranscripts({ places, readState }: Store): TranscriptFile[] {
  const state = readState()
  const belongingOf = belongingIn(places, state)
  return listCandidates(places, state).filter((file) => belongingOf(file) === 'own')
}

/** The unread part of each file; all of it if the session file is damaged or the transcript was replaced. */
function unread(
  store: Store,
  files: readonly { path: string; session: string; size: number }[],
): { path: string; bytes: number }[] {
  const state = store.readState()
  return files.flatMap(({ path, session, size }) => {
    const known = sessionIn(state, session)
    const read = known && isSound(store, known) && known.offset <= size ? known.offset : 0
    return read === size ? [] : [{ path, bytes: size - read }]
  })
}

function sessionBytes(store: Store): number {
  return Object.values(allStored(store.readState())).reduce((sum, { bytes }) => sum + Number(bytes ?? 0), 0)
}

/** Without `run`: the command's row adds the other kinds of import. */
const IMPORT_OPTIONS: readonly Option[] = [
  TRANSCRIPT,
  { flags: '--all', about: 'all projects; those other than this one go to home storage' },
  { flags: '--paused', about: 'also what happened while Memory Keeper was paused' },
]

export const IMPORT_COMMANDS: readonly Command[] = [
  {
    usage: 'import',
    about: 'capture the transcripts that are still on this machine',
    options: IMPORT_OPTIONS,
    writes: true,
    example: 'memory-keeper import --all',
    run: inProject((context, options) => runImport(context, options)),
  },
]
