/** What the demo shows of each step of the cycle. */
import path from 'node:path'
import { previewBriefing } from '../briefing/disk/compacted.ts'
import { readFacts } from '../knowledge/disk/knowledge.ts'
import { allFacts, type Fact } from '../knowledge/fact.ts'
import { bold, bytes, count, dim, good, harmless, oneLine, percent, width } from '../memory/commands/output.ts'
import type { Store } from '../memory/disk/store.ts'
import { notesIn, parseMemory } from '../memory/note.ts'
import { sessionIn } from '../memory/state.ts'
import { readMemory } from '../notes/disk/memory.ts'
import { listNotes } from '../notes/disk/note-list.ts'
import { parseSummary } from '../notes/summary.ts'
import { readRules } from '../pages/disk/rules.ts'
import { renderRules } from '../pages/rule.ts'
import { readText, sizeOf } from '../platform/disk/files.ts'
import { MEMORY_FILE, SESSIONS_DIR, sessionSummaryFile } from '../platform/layout.ts'
import type { Captured } from '../sessions/disk/capture.ts'
import type { VerifiedSession } from '../sessions/disk/verify.ts'
import { estimateTokens } from '../text/tokens.ts'
import { entryId, parseSession } from '../transcript/session.ts'
import type { SampleSession } from './demo-sample.ts'

export interface DemoScreen {
  dir: string
  store: Store
  session: SampleSession
  transcript: string
  captured: Captured
  verified: VerifiedSession
}

const INDENT = '   '
const BRIEFING_LINES = 7
const SUMMARY_LINES = 2
const MAX_FACTS = 5

type Lines = (columns: number) => string[]

/** After the first session: captured, redacted, proved, noted, and what was learned from it. */
export function showFirst(shown: DemoScreen): { bytesOut: number; lines: Lines } {
  const { dir, store, session, transcript, captured, verified } = shown
  const file = sessionIn(store.readState(), session.id)?.file ?? ''
  const stored = path.join(store.dir, SESSIONS_DIR, file)
  const text = readText(stored) ?? ''
  const [before, after] = [sizeOf(transcript) ?? 0, Buffer.byteLength(text)]
  const { entries } = parseSession(text)
  const note =
    parseMemory(readMemory(store))
      .findLast((block) => block.note !== null)
      ?.raw.trim() ?? ''
  const facts = allFacts(readFacts(store))
  const summary = readText(path.join(store.dir, SESSIONS_DIR, sessionSummaryFile(file))) ?? ''
  const { prompts, answers, tools } = verified
  return {
    bytesOut: after,
    lines: (columns) => [
      bold('1. Claude Code recorded a session'),
      `${INDENT}${path.relative(dir, transcript)}  ${bytes(before)}`,
      ...step(2, 'Memory Keeper captured it, by plain code'),
      `${INDENT}${path.relative(dir, stored)}  ${bytes(after)}, ${percent(before - after, before)} smaller, every word kept`,
      ...entries.map((entry) => `${INDENT}${oneLine(renderShort(entry), columns - INDENT.length)}`),
      ...step(3, 'Secrets never reached the memory, and nothing else is missing'),
      `${INDENT}${count(captured.redactions, 'secret')} replaced before writing`,
      `${INDENT}${good('complete')}: prompts ${prompts.captured}/${prompts.present}, answers ${answers.captured}/${answers.present}, tool uses ${tools.captured}/${tools.present}`,
      ...step(4, `The session ended: its note, made by code, in ${MEMORY_FILE}`),
      ...wrapped(note, columns),
      ...step(5, 'Facts, each with the words that prove it, and a summary of the session'),
      ...facts.slice(0, MAX_FACTS).map((fact) => `${INDENT}${oneLine(renderFact(fact), columns - INDENT.length)}`),
      `${INDENT}${path.relative(dir, path.join(store.dir, SESSIONS_DIR, sessionSummaryFile(file)))}  about ${count(estimateTokens(summary), 'token')}`,
    ],
  }
}

/** After all sessions: memory.md became full, and a new session starts. */
export function showAfter(shown: DemoScreen): {
  summary: { notes: number; rotations: number; facts: number; briefingChars: number }
  lines: Lines
} {
  const { dir, store } = shown
  const state = store.readState()
  const archive = state.rotatedFiles.at(-1)
  const read = (name: string | undefined): string =>
    name === undefined ? '' : (readText(path.join(store.dir, name)) ?? '')
  const archived = notesIn(read(archive?.file)).length
  const parsed = parseSummary(read(archive?.summary))
  const kept = notesIn(readMemory(store)).length
  const briefing = previewBriefing(store, null)?.text ?? ''
  const rules = readRules(store)
  const facts = allFacts(readFacts(store)).length
  return {
    summary: {
      notes: listNotes(store).notes.length,
      rotations: state.stats.totalRotations,
      facts,
      briefingChars: briefing.length,
    },
    lines: (columns) => [
      ...step(6, `Four more sessions, and a full ${MEMORY_FILE} became an archive`),
      `${INDENT}${path.relative(dir, path.join(store.dir, archive?.file ?? ''))}  ${count(archived, 'note')}, about ${count(archive?.tokenCount ?? 0, 'token')}; ${count(kept, 'note')} stayed`,
      ...('summary' in parsed
        ? wrapped(`Its summary, until a model writes one: ${parsed.summary.overallSummary}`, columns, SUMMARY_LINES)
        : []),
      ...step(
        7,
        `The next session starts with this briefing: ${count(briefing.length, 'character')}, about ${count(estimateTokens(briefing), 'token')}`,
      ),
      ...firstLines(briefing, columns),
      ...step(
        8,
        `And every prompt brings ${count(rules.length, 'rule')}, about ${count(estimateTokens(renderRules(rules)), 'token')}; the first:`,
      ),
      `${INDENT}${oneLine(rules[0] ?? '', columns - INDENT.length)}`,
    ],
  }
}

function renderFact({ id, type, status, text, evidence }: Fact): string {
  return `${id} ${status === null ? type : `${status} ${type}`} (entry ${evidence.entry}): ${text}`
}

function step(n: number, what: string): string[] {
  return ['', bold(`${n}. ${what}`)]
}

function firstLines(text: string, columns: number): string[] {
  const lines = text.split('\n')
  const rest = lines.length - BRIEFING_LINES
  return [
    ...lines.slice(0, BRIEFING_LINES).map((line) => `${INDENT}${oneLine(line, columns - INDENT.length)}`),
    ...(rest > 0 ? [dim(`${INDENT}… ${count(rest, 'more line')}`)] : []),
  ]
}

/** Words that fit, line by line, indented; at most so many lines. */
function wrapped(text: string, columns: number, max = Number.POSITIVE_INFINITY): string[] {
  const lines = allLines(text, columns)
  return lines.length <= max ? lines : [...lines.slice(0, max - 1), `${lines[max - 1]} …`]
}

function allLines(text: string, columns: number): string[] {
  return harmless(text)
    .split('\n')
    .flatMap((paragraph) => {
      const lines: string[] = []
      for (const word of paragraph.split(' ')) {
        const last = lines.at(-1)
        if (last !== undefined && width(`${INDENT}${last} ${word}`) <= columns)
          lines[lines.length - 1] = `${last} ${word}`
        else lines.push(word)
      }
      return lines.map((line) => `${INDENT}${line}`)
    })
}

function renderShort(entry: ReturnType<typeof parseSession>['entries'][number]): string {
  if (entry.role === 'tombstone') return 'removed'
  if ('text' in entry) return `${entry.role}: ${entry.text}`
  const outcome = entry.ok ? '' : ' (failed)'
  return `${entry.name}: ${entry.cmd}${outcome}${entry.output ? ` → ${entry.output.replace(/\n/g, ' ⏎ ')}` : ''}`
}

/** What became permanent because it recurred. */
export function showLearned(store: Store): { facts: number; lines: (columns: number) => string[] } {
  const facts = allFacts(readFacts(store))
  return {
    facts: facts.length,
    lines: (columns) => [
      '',
      bold('9. An answer is a decision; a task left undone is an open issue, until it is done'),
      ...facts.map(({ id, type, text, status, resolution, session, evidence }) => {
        const end = resolution === null ? '' : `: ${resolution}`
        const words = `${id} ${status ?? type}${end} – ${text} [${entryId(session, evidence.entry)}]`
        return INDENT + oneLine(words, columns - INDENT.length)
      }),
    ],
  }
}
