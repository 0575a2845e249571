/** `demo`: the whole memory cycle on sample sessions, in a temporary project, without Claude and without a model. */

import path from 'node:path'
import { briefSession } from '../briefing/disk/briefing.ts'
import { reflect } from '../knowledge/disk/reflection.ts'
import type { ExitCode } from '../memory/commands/command.ts'
import { type CliWorld, type CommonOptions, underLock } from '../memory/commands/context.ts'
import { bold, count, createOutput, dim, oneLine } from '../memory/commands/output.ts'
import { COMMAND_WAIT_MS, openStore, type Store, stateEffect } from '../memory/disk/store.ts'
import { sessionIn, withSessions } from '../memory/state.ts'
import { noteByCode } from '../notes/disk/notes.ts'
import { summariseSession } from '../notes/disk/summaries.ts'
import { cutSession } from '../notes/pending.ts'
import { disk, list, makeDir, readText, removeTree, sizeOf, statOf } from '../platform/disk/files.ts'
import { locate, type Surroundings } from '../platform/disk/locate.ts'
import { KeeperError } from '../platform/error.ts'
import { CONFIG_FILE, HOME_DIR, hostSlug, SESSIONS_DIR } from '../platform/layout.ts'
import { recallFor } from '../recall/disk/recall.ts'
import { judgePrompt } from '../recall/recall.ts'
import { openIndex } from '../search/disk/index/index.ts'
import { type Hit, openSearcher } from '../search/disk/search.ts'
import { type Captured, captureSession } from '../sessions/disk/capture.ts'
import { verifySession } from '../sessions/disk/verify.ts'
import { dayOf } from '../text/memory-words.ts'
import { estimateTokens } from '../text/tokens.ts'
import { isComplete } from '../transcript/verify.ts'
import { runDashboard } from './dashboard.ts'
import { type SampleSession, sampleSessions } from './demo-sample.ts'
import { type DemoScreen, showAfter, showFirst, showLearned } from './demo-show.ts'

/** Small, so that five sessions fill memory.md. */
const SETTINGS = { rotationThresholdTokens: 1000, carryoverTokens: 300, summarizer: 'extractive' }

export interface DemoOptions extends CommonOptions {
  dashboard?: boolean
  open?: boolean
}

export function runDemo(world: CliWorld, options: DemoOptions): ExitCode {
  const out = createOutput(world.streams, options.json === true)
  const dir = path.join(world.tempDir, `memory-keeper-demo-${world.now().replace(/\D/g, '')}`)
  const end = (): void => removeTree(dir)
  try {
    const shown = play(dir)
    out.json(shown.summary)
    out.say(...shown.lines(world.columns))
    if (options.dashboard !== true) {
      end()
      return 0
    }
    const context = { world: { ...world, around: shown.around }, out, store: shown.store, isDryRun: false }
    const served = Promise.resolve(runDashboard(context, options.open === true ? { open: true } : {}))
    return served.finally(end)
  } catch (error) {
    end()
    throw error
  }
}

interface Played {
  around: Surroundings
  store: Store
  summary: object
  lines: (columns: number) => string[]
}

/** Every clock in it is the sample's own: the same demo, letter by letter, on every day. */
function play(dir: string): Played {
  const root = path.join(dir, 'shop')
  makeDir(root)
  const around = { home: path.join(dir, 'home'), configDir: undefined, cacheDir: path.join(dir, 'cache') }
  const places = locate(root, around)
  disk.replace(path.join(places.hostDir, HOME_DIR, CONFIG_FILE), JSON.stringify(SETTINGS))
  const secret = `ghp_${'Zk3vW9qLx2Tn7Rb5Yc8M'.repeat(2).slice(0, 36)}`
  const [first, ...others] = sampleSessions(places.project.root, secret)
  if (first === undefined) throw new KeeperError('demo', 'The demo has no sample session. Please report this.')

  const store = openStore(places, { now: () => first.endedAt })
  const transcriptOf = ({ id }: SampleSession): string =>
    path.join(places.hostDir, 'projects', hostSlug(places.project.root), `${id}.jsonl`)
  const captured = live(store, first, transcriptOf(first))
  const verified = verifySession(store, store.readState(), first.id, transcriptOf(first))
  const one: DemoScreen = { dir, store, session: first, transcript: transcriptOf(first), captured, verified }
  const before = showFirst(one)
  for (const session of others) live(store, session, transcriptOf(session))
  const after = showAfter(one)
  const learned = showLearned(store)
  const found = demoFind(store, () => others.at(-1)?.endedAt ?? first.endedAt)
  const isFound = found.hits.length > 0 && found.recalled !== '' && found.unrelated === ''
  if (
    !isComplete(verified) ||
    holds(store, secret) ||
    after.summary.rotations === 0 ||
    !isFound ||
    learned.facts === 0
  ) {
    throw new KeeperError('demo', 'The demo went wrong: something is missing or a secret was kept. Please report this.')
  }
  return {
    around,
    store,
    summary: {
      entries: captured.entries,
      bytesIn: sizeOf(one.transcript) ?? 0,
      bytesOut: before.bytesOut,
      redactions: captured.redactions,
      complete: true,
      ...after.summary,
      facts: learned.facts,
      found: found.hits.map(({ id }) => id),
      recalled: found.recalled,
    },
    lines: (columns) => [
      ...before.lines(columns),
      ...after.lines(columns),
      ...learned.lines(columns),
      ...showFound(found, columns),
    ],
  }
}

/** A session as the host and its hooks live through it: recorded, captured, and at its end noted and summed up. */
function live(store: Store, session: SampleSession, transcript: string): Captured {
  // What its start would be told; before the first one there is nothing.
  if (store.isPrepared()) briefSession(store, { session: session.id, source: 'startup' }).keep()
  disk.replace(transcript, session.transcript)
  const now = (): string => session.endedAt
  const captured = captureSession(store, { session: session.id, transcript, host: 0 }, { waitMs: COMMAND_WAIT_MS, now })
  underLock(store, COMMAND_WAIT_MS, () => {
    const state = store.readState()
    const its = sessionIn(state, session.id)
    if (its === undefined) return
    const ended = withSessions(state, [[session.id, { ...its, isEnded: true }]])
    store.perform([stateEffect(cutSession(ended, session.id))])
    noteByCode(store, session.endedAt)
    summariseSession(store, session.id)
    reflect(store, session.endedAt)
  })
  return captured
}

/** Whether any file of the memory holds this text. */
function holds(store: Store, secret: string): boolean {
  const files = [store.dir, path.join(store.dir, SESSIONS_DIR)].flatMap((dir) =>
    list(dir).map((name) => path.join(dir, name)),
  )
  return files.some((file) => statOf(file)?.kind === 'file' && (readText(file) ?? '').includes(secret))
}

interface FoundAgain {
  hits: Hit[]
  /** What would go with a prompt about the past, and with one about something else. */
  recalled: string
  unrelated: string
}

const QUERY = 'floating point cents'
const PROMPT = 'What went wrong with the rounding of prices?'
const UNRELATED = 'Write a poem about the sea.'
const HITS = 3
const RECALL_LINES = 3
const INDENT = '   '

function demoFind(store: Store, now: () => string): FoundAgain {
  const options = { cacheDir: store.places.cacheDir, now }
  const searcher = openSearcher(store, options)
  const recall = (prompt: string): string =>
    recallFor(store, { prompt, session: '' }, () => openIndex(store, options), judgePrompt)?.text ?? ''
  try {
    return {
      hits: searcher.find({ query: QUERY, limit: HITS }).hits,
      recalled: recall(PROMPT),
      unrelated: recall(UNRELATED),
    }
  } finally {
    searcher.close()
  }
}

function showFound({ hits, recalled, unrelated }: FoundAgain, columns: number): string[] {
  const room = columns - INDENT.length
  // Without the fence and the sentence that says what it is.
  const remembered = recalled.split('\n').slice(2, -1)
  const rest = remembered.length - RECALL_LINES
  return [
    '',
    bold(`10. Everything is found again: memory-keeper search --deep "${QUERY}"`),
    ...hits.map((hit) => INDENT + oneLine(`${hit.id} ${dayOf(hit.date)} ${hit.kind}: ${hit.snippet}`, room)),
    '',
    bold(`11. Another day: what goes with "${PROMPT}", about ${count(estimateTokens(recalled), 'token')}`),
    ...remembered.slice(0, RECALL_LINES).map((line) => INDENT + oneLine(line, room)),
    ...(rest > 0 ? [dim(`${INDENT}… ${count(rest, 'more line')}`)] : []),
    dim(`${INDENT}With "${UNRELATED}" goes ${unrelated === '' ? 'nothing' : oneLine(unrelated, room)}.`),
  ]
}
