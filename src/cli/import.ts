/** `import`: transcripts that are still on the machine → sessions. */
import { KeeperError } from '../core/error.ts'
import { captureSession } from '../store/capture.ts'
import { addTo, type CaughtUp, catchUp } from '../store/catch-up.ts'
import { factsOf, sizeOf } from '../store/files.ts'
import { locate } from '../store/locate.ts'
import { COMMAND_WAIT_MS, openStore, type Store } from '../store/store.ts'
import { launchDirOf, listAllTranscripts, listCandidates, sessionIdOf } from '../store/transcripts.ts'
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
  const total = options.transcript
    ? importFiles(context, options.transcript)
    : options.all
      ? importAll(context)
      : {
          ...catchUp(context.store, { waitMs: COMMAND_WAIT_MS, now: context.world.now, onProgress: progress(context) }),
          bytesElsewhere: 0,
        }
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

interface Imported extends CaughtUp {
  /** Written to the stores of other projects. */
  bytesElsewhere: number
}

function importFiles(context: Context, files: readonly string[]): Imported {
  const total = nothing()
  files.forEach((file, i) => {
    const facts = factsOf(file)
    if (facts === null || facts.kind === 'dir') {
      throw new KeeperError(
        'no-transcript',
        `${file} is not a file. Give the path of a transcript (.jsonl) with --transcript.`,
      )
    }
    addTo(
      total,
      captureSession(
        context.store,
        { session: sessionIdOf(file), transcript: file },
        { waitMs: COMMAND_WAIT_MS, now: context.world.now, isHistory: true },
      ),
    )
    progress(context)(i + 1, files.length)
  })
  return total
}

/** Every project but the current one goes to home storage: nothing is written into directories nobody asked about. */
function importAll(context: Context): Imported {
  const total = nothing()
  const files = listAllTranscripts(context.store.places.hostDir)
  const stores = new Map<string, Store>()
  files.forEach((file, i) => {
    const launchDir = launchDirOf(file.path)
    if (launchDir !== null) {
      const store = storeFor(context, launchDir, stores)
      const before = store === context.store ? 0 : sessionBytes(store)
      addTo(
        total,
        captureSession(
          store,
          { session: file.session, transcript: file.path },
          { waitMs: COMMAND_WAIT_MS, now: context.world.now, isHistory: true },
        ),
      )
      if (store !== context.store) total.bytesElsewhere += sessionBytes(store) - before
    }
    progress(context)(i + 1, files.length)
  })
  return total
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
      : listCandidates(context.store.places)
  const behind = files.filter((file) => (state.sessions[file.session]?.offset ?? 0) !== file.size)
  const bytesIn = behind.reduce((sum, file) => sum + file.size - (state.sessions[file.session]?.offset ?? 0), 0)
  context.out.json({ dryRun: true, sessions: behind.length, bytesIn, transcripts: behind.map((file) => file.path) })
  context.out.say(
    `Would read ${count(behind.length, 'transcript')} (${bytes(Math.max(0, bytesIn))}):`,
    ...behind.map((file) => `  ${file.path}`),
  )
  return 0
}

function sessionBytes(store: Store): number {
  return Object.values(store.readState().sessions).reduce((sum, session) => sum + session.bytes, 0)
}

function nothing(): Imported {
  return { sessions: 0, entries: 0, bytesIn: 0, badLines: 0, redactions: 0, complete: true, bytesElsewhere: 0 }
}

function progress(context: Context): (done: number, of: number) => void {
  return (done, of) => context.out.progress(done, of, 'transcripts')
}
