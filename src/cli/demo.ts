/** `demo`: the whole memory cycle on sample sessions, in a temporary project, without Claude and without a model. */
import path from 'node:path'
import { briefSession, previewBriefing } from '../briefing/disk/briefing.ts'
import { readFacts } from '../knowledge/disk/knowledge.ts'
import { allFacts } from '../knowledge/fact.ts'
import { type CliWorld, type CommonOptions, underLock } from '../memory/commands/context.ts'
import { bold, bytes, count, createOutput, dim, good, harmless, oneLine, percent } from '../memory/commands/output.ts'
import { COMMAND_WAIT_MS, openStore, type Store, sessionPath, stateEffect } from '../memory/disk/store.ts'
import { notesIn, parseMemory } from '../memory/note.ts'
import { sessionIn, withSessions } from '../memory/state.ts'
import { readMemory } from '../notes/disk/memory.ts'
import { listNotes } from '../notes/disk/note-list.ts'
import { noteByCode } from '../notes/disk/notes.ts'
import { summariseSession } from '../notes/disk/summaries.ts'
import { cutSession } from '../notes/pending.ts'
import { disk, list, makeDir, readText, removeTree, sizeOf, statOf } from '../platform/disk/files.ts'
import { locate } from '../platform/disk/locate.ts'
import { KeeperError } from '../platform/error.ts'
import { CONFIG_FILE, HOME_DIR, hostSlug, MEMORY_FILE, SESSIONS_DIR, sessionSummaryFile } from '../platform/layout.ts'
import { openSearcher } from '../search/disk/search.ts'
import { type Captured, captureSession } from '../sessions/disk/capture.ts'
import { verifySession } from '../sessions/disk/verify.ts'
import { dayOf } from '../text/memory-words.ts'
import { estimateTokens } from '../text/tokens.ts'
import { type Entry, parseSession } from '../transcript/session.ts'
import { isComplete } from '../transcript/verify.ts'
import { type SampleSession, sampleSessions } from './demo-sample.ts'

/** Small, so that three sessions fill memory.md. */
const SETTINGS = { rotationThresholdTokens: 1000, carryoverTokens: 300, summarizer: 'extractive' }
const QUERY = 'floating point cents'
const HITS = 3
const SHOWN_LINES = 7

/** One step of the cycle, as shown. */
interface Shown {
  title: string
  /** Printed whole: paths, a note. */
  text?: string[]
  /** Cut at the width of the terminal. */
  lines?: string[]
}

export function runDemo(world: CliWorld, options: CommonOptions): number {
  const out = createOutput(world.streams, options.json === true)
  const dir = path.join(world.tempDir, `memory-keeper-demo-${world.now().replace(/\D/g, '')}`)
  try {
    const { summary, steps } = play(dir)
    const room = world.columns - 3
    out.json(summary)
    for (const [i, { title, text = [], lines = [] }] of steps.entries()) {
      const shown = [...text, ...lines.map((line) => oneLine(line, room))]
      out.say(...(i === 0 ? [] : ['']), bold(`${i + 1}. ${title}`), ...shown.map((line) => `   ${line}`))
    }
    return 0
  } finally {
    removeTree(dir)
  }
}

/** All times come from the sample: the output is the same on every day. */
function play(dir: string): { summary: object; steps: Shown[] } {
  const root = path.join(dir, 'shop')
  makeDir(root)
  const around = { home: path.join(dir, 'home'), configDir: undefined, cacheDir: path.join(dir, 'cache') }
  const places = locate(root, around)
  disk.replace(path.join(places.hostDir, HOME_DIR, CONFIG_FILE), JSON.stringify(SETTINGS))
  const secret = `ghp_${'Zk3vW9qLx2Tn7Rb5Yc8M'.repeat(2).slice(0, 36)}`
  const sessions = sampleSessions(places.project.root, secret)
  const [first, last] = [sessions[0], sessions.at(-1)]
  if (first === undefined || last === undefined) throw new KeeperError('demo', 'The demo has no sample session.')
  const store = openStore(places, { now: () => first.endedAt })
  const transcriptOf = ({ id }: SampleSession): string =>
    path.join(places.hostDir, 'projects', hostSlug(places.project.root), `${id}.jsonl`)

  const captured = live(store, first, transcriptOf(first))
  const one = lookAtFirst(store, dir, first, { captured, transcript: transcriptOf(first) })
  for (const session of sessions.slice(1)) live(store, session, transcriptOf(session))
  const all = lookAtAll(store, dir)
  const { found, step } = findAgain(store, last.endedAt)
  const isSound = one.isComplete && all.summary.rotations > 0 && all.summary.facts > 0 && found.length > 0
  if (!isSound || contains(store, secret))
    throw new KeeperError('demo', 'The demo failed: something is missing or a secret was saved. Please report this.')
  return {
    summary: { ...one.summary, ...all.summary, found },
    steps: [...one.steps, ...all.steps, step],
  }
}

/** A session as with the host and its hooks: recorded, captured, and at its end noted and summarised. */
function live(store: Store, session: SampleSession, transcript: string): Captured {
  // Before the first session there is nothing to inject.
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
  })
  return captured
}

function lookAtFirst(
  store: Store,
  dir: string,
  session: SampleSession,
  { captured, transcript }: { captured: Captured; transcript: string },
) {
  const state = store.readState()
  const verified = verifySession(store, state, session.id, transcript)
  const { prompts, answers, tools } = verified
  const file = sessionIn(state, session.id)?.file ?? ''
  const stored = path.join(store.dir, sessionPath(file))
  const text = readText(stored) ?? ''
  const [bytesIn, bytesOut] = [sizeOf(transcript) ?? 0, Buffer.byteLength(text)]
  const summary = path.join(store.dir, SESSIONS_DIR, sessionSummaryFile(file))
  const note = parseMemory(readMemory(store)).findLast((block) => block.note !== null)?.raw ?? ''
  const steps: Shown[] = [
    {
      title: 'Claude Code recorded a session',
      text: [`${path.relative(dir, transcript)}  ${bytes(bytesIn)}`],
    },
    {
      title: 'Memory Keeper captured it, by plain code',
      text: [
        `${path.relative(dir, stored)}  ${bytes(bytesOut)}, ${percent(bytesIn - bytesOut, bytesIn)} smaller, every word kept`,
      ],
      lines: parseSession(text).entries.flatMap((entry) => (entry.role === 'tombstone' ? [] : [renderEntry(entry)])),
    },
    {
      title: 'Secrets never reached the memory, and nothing else is missing',
      lines: [
        `${count(captured.redactions, 'secret')} replaced before writing`,
        `${good('complete')}: prompts ${prompts.captured}/${prompts.present}, answers ${answers.captured}/${answers.present}, tool uses ${tools.captured}/${tools.present}`,
      ],
    },
    {
      title: `The session ended: its note, written by code, in ${MEMORY_FILE}`,
      text: harmless(note).trim().split('\n'),
    },
    {
      title: 'A summary of the session, and facts, each with the words that prove it',
      text: [`${path.relative(dir, summary)}  about ${count(estimateTokens(readText(summary) ?? ''), 'token')}`],
      lines: factLines(store),
    },
  ]
  return {
    isComplete: isComplete(verified),
    summary: { entries: captured.entries, bytesIn, bytesOut, redactions: captured.redactions, complete: true },
    steps,
  }
}

/** After all sessions: memory.md became full, and a new session starts. */
function lookAtAll(store: Store, dir: string) {
  const state = store.readState()
  const archive = state.rotatedFiles.at(-1)
  const file = path.join(store.dir, archive?.file ?? '')
  const briefing = previewBriefing(store, null)?.text ?? ''
  const steps: Shown[] = [
    {
      title: `Two more sessions, and a full ${MEMORY_FILE} became an archive`,
      text: [
        `${path.relative(dir, file)}  ${count(notesIn(readText(file) ?? '').length, 'note')}, about ${count(archive?.tokenCount ?? 0, 'token')}; ${count(notesIn(readMemory(store)).length, 'note')} stayed`,
      ],
    },
    {
      title: 'An answer is a decision; a task left undone is an open issue, until it is done',
      lines: factLines(store),
    },
    {
      title: `The next session starts with this briefing: ${count(briefing.length, 'character')}, about ${count(estimateTokens(briefing), 'token')}`,
      lines: firstOf(briefing.slice(briefing.indexOf('<memory-keeper>')).split('\n')),
    },
  ]
  return {
    summary: {
      notes: listNotes(store).notes.length,
      rotations: state.stats.totalRotations,
      facts: allFacts(readFacts(store)).length,
      briefingChars: briefing.length,
    },
    steps,
  }
}

function findAgain(store: Store, at: string) {
  const searcher = openSearcher(store, { cacheDir: store.places.cacheDir, now: () => at })
  try {
    const { hits } = searcher.find({ query: QUERY, limit: HITS })
    const lines = hits.map(({ id, date, kind, snippet }) => `${id} ${dayOf(date)} ${kind}: ${snippet}`)
    const step = { title: `Everything is found again: memory-keeper search --deep "${QUERY}"`, lines }
    return { found: hits.map(({ id }) => id), step }
  } finally {
    searcher.close()
  }
}

/** Whether any file of the memory contains this text. */
function contains(store: Store, secret: string): boolean {
  const files = [store.dir, path.join(store.dir, SESSIONS_DIR)].flatMap((dir) =>
    list(dir).map((name) => path.join(dir, name)),
  )
  return files.some((file) => statOf(file)?.kind === 'file' && (readText(file) ?? '').includes(secret))
}

function factLines(store: Store): string[] {
  return allFacts(readFacts(store)).map(({ id, type, status, text, resolution, evidence }) => {
    const kind = status === null ? type : `${status} ${type}`
    return `${id} ${kind}${resolution === null ? '' : `, ${resolution}`} (entry ${evidence.entry}): ${text}`
  })
}

function firstOf(lines: readonly string[]): string[] {
  const rest = lines.length - SHOWN_LINES
  return [...lines.slice(0, SHOWN_LINES), ...(rest > 0 ? [dim(`… ${count(rest, 'more line')}`)] : [])]
}

function renderEntry(entry: Entry): string {
  if ('text' in entry) return `${entry.role}: ${entry.text}`
  const outcome = entry.ok ? '' : ' (failed)'
  return `${entry.name}: ${entry.cmd}${outcome}${entry.output ? ` → ${entry.output.replace(/\n/g, ' ⏎ ')}` : ''}`
}
