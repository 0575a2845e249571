/** `import`: transcripts that are still on the machine → sessions. */
import { KeeperError } from '../core/error.ts'
import { allSessions, type State, sessionIn } from '../core/state.ts'
import { type Captured, type CaptureOptions, captureAll, NOTHING_CAPTURED, type Source } from '../store/capture.ts'
import { catchUp } from '../store/catch-up.ts'
import { factsOf, sizeOf } from '../store/files.ts'
import { locate } from '../store/locate.ts'
import { COMMAND_WAIT_MS, openStore, type Store } from '../store/store.ts'
import { isOwn, launchDirOf, listAllTranscripts, listCandidates, sessionIdOf } from '../store/transcripts.ts'
import type { Context } from './context.ts'
import { bytes, count, percent } from './output.ts'

export interface ImportOptions {
  transcript?: string[]
  all?: boolean
}

export function runImport(context: Context, options: ImportOptions): number {
  if (options.transcript && options.all) {
    throw new KeeperError('usage', 'Give --transcript or --all, not both.')
  }
  if (context.isDryRun) return planImport(context, options)
  const before = sessionBytes(context.store)
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
    result.sessions === 0
      ? 'Nothing new: all transcripts of this project are captured.'
      : `${count(result.sessions, 'session')}, ${count(result.entries, 'entry', 'entries')}: ${bytes(result.bytesIn)} → ${bytes(result.bytesOut)} (${percent(result.bytesIn - result.bytesOut, result.bytesIn)} saved)`,
    ...(result.badLines > 0 ? [`${count(result.badLines, 'line')} could not be read and were skipped`] : []),
    ...(result.redactions > 0 ? [`${count(result.redactions, 'secret')} redacted`] : []),
  )
  return total.complete ? 0 : 1
}

function importChosen(context: Context, options: ImportOptions): Captured & { bytesElsewhere: number } {
  if (options.all) return importAll(context)
  const captured = options.transcript
    ? importFiles(context, options.transcript)
    : catchUp(context.store, { ...captureOptions(context), look: 'all' })
  return { ...captured, bytesElsewhere: 0 }
}

function importFiles(context: Context, files: readonly string[]): Captured {
  const wrong = files.find((file) => !['file', 'link'].includes(factsOf(file)?.kind ?? ''))
  if (wrong !== undefined) {
    throw new KeeperError(
      'no-transcript',
      `${wrong} is not a file. Give the path of a transcript (.jsonl) with --transcript.`,
    )
  }
  const sources = files.map((file) => ({ session: sessionIdOf(file), transcript: file, isHistory: true }))
  return captureAll(context.store, sources, captureOptions(context))
}

/** Every project but the current one goes to home storage: nothing is written into directories nobody asked about. */
function importAll(context: Context): Captured & { bytesElsewhere: number } {
  const byStore = new Map<Store, Source[]>()
  const stores = new Map<string, Store>()
  for (const file of listAllTranscripts(context.store.places.hostDir)) {
    const launchDir = launchDirOf(file.path)
    if (launchDir === null) continue
    const store = storeFor(context, launchDir, stores)
    byStore.set(store, [
      ...(byStore.get(store) ?? []),
      { session: file.session, transcript: file.path, isHistory: true },
    ])
  }
  const total = { ...NOTHING_CAPTURED, bytesElsewhere: 0 }
  for (const [store, sources] of byStore) {
    const before = sessionBytes(store)
    const captured = captureAll(store, sources, captureOptions(context))
    total.sessions += captured.sessions
    total.entries += captured.entries
    total.bytesIn += captured.bytesIn
    total.badLines += captured.badLines
    total.redactions += captured.redactions
    total.complete &&= captured.complete
    if (store !== context.store) total.bytesElsewhere += sessionBytes(store) - before
  }
  return total
}

function captureOptions(context: Context): CaptureOptions {
  return {
    waitMs: COMMAND_WAIT_MS,
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
  const state = context.store.readState()
  const files = options.transcript
    ? options.transcript.map((path) => ({ path, session: sessionIdOf(path), size: sizeOf(path) ?? 0 }))
    : options.all
      ? listAllTranscripts(context.store.places.hostDir)
      : listCandidates(context.store.places).filter((file) => isOwn(context.store.places, file.path))
  const behind = files.filter((file) => readOf(state, file.session) !== file.size)
  const bytesIn = behind.reduce((sum, file) => sum + file.size - readOf(state, file.session), 0)
  context.out.json({ dryRun: true, sessions: behind.length, bytesIn, transcripts: behind.map((file) => file.path) })
  context.out.say(
    `Would read ${count(behind.length, 'transcript')} (${bytes(Math.max(0, bytesIn))}):`,
    ...behind.map((file) => `  ${file.path}`),
  )
  return 0
}

function sessionBytes(store: Store): number {
  return allSessions(store.readState()).reduce((sum, [, session]) => sum + session.bytes, 0)
}

function readOf(state: State, session: string): number {
  return sessionIn(state, session)?.offset ?? 0
}
