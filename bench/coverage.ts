/**
 * Does the program ask about what a model left out, and about nothing else? Labelled sessions of our own, each with all of
 * its facts, half of them, and none that say anything; then how often it asks on the shared transcripts.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { NO_CONCEPTS } from '../src/knowledge/concept.ts'
import { NO_FACTS } from '../src/knowledge/fact.ts'
import { checkDrafts } from '../src/knowledge/fact-check.ts'
import type { Draft, DraftQuestion } from '../src/knowledge/fact-draft.ts'
import { newCursor } from '../src/memory/session-state.ts'
import { LIMITS, uncovered } from '../src/outgoing/coverage.ts'
import { extractFacts } from '../src/outgoing/fact-extract.ts'
import { createRedactor } from '../src/redact/redact.ts'
import { readPiece } from '../src/sessions/capture.ts'
import { toTell } from '../src/sessions/delta.ts'
import type { Numbered } from '../src/sessions/digest-types.ts'
import { estimateTokens } from '../src/text/tokens.ts'
import { openEntries } from '../src/transcript/refine.ts'
import { type Labelled, labelledSessions } from './support/coverage-labels.ts'

const TRANSCRIPTS = path.resolve('../shared/transcripts')
const PIECE_TOKENS = { agent: 18_000, headless: 60_000 } as const
const MAX_FACTS = 10
const LAST_BATCH = 4
const SETS = ['complete', 'half', 'unrelated'] as const

const sessions = labelledSessions()
const { redact } = createRedactor({ enabled: true, extraPatterns: [] })

console.log(renderLabels())
console.log(renderThresholds())
for (const line of process.argv.includes('--misses') ? missesOf() : []) console.log(line)
console.log(renderTranscripts())

interface Tally {
  asked: number
  right: number
  missing: number
  found: number
}

/** Right: an entry of a fact that is missing. Found: a missing fact that one of its entries is asked about. */
function tally(session: Labelled, set: (typeof SETS)[number], limits?: typeof LIMITS): Tally {
  const drafts = draftsOf(session, set)
  const given = new Set(drafts.flatMap(({ key }) => (key === undefined ? [] : [key])))
  const missing = session.facts.map(({ key }) => key).filter((key) => !given.has(key))
  const questions = questionsFor(session, drafts, limits)
  const isRight = ({ entry }: DraftQuestion): boolean =>
    session.worth[entry]?.some((key) => missing.includes(key)) === true
  const found = missing.filter((key) => questions.some(({ entry }) => session.worth[entry]?.includes(key)))
  return {
    asked: questions.length,
    right: questions.filter(isRight).length,
    missing: missing.length,
    found: found.length,
  }
}

function draftsOf({ facts, half, unrelated }: Labelled, set: (typeof SETS)[number]): (Draft & { key?: string })[] {
  if (set === 'complete') return facts
  return set === 'half' ? facts.filter(({ key }) => half.includes(key)) : unrelated
}

function questionsFor(session: Labelled, drafts: readonly Draft[], limits?: typeof LIMITS): DraftQuestion[] {
  const checked = check(session.entries, drafts)
  if (limits === undefined) return checked.questions
  return uncovered(
    session.entries,
    checked.sound.map(({ fact }) => fact),
    new Set(),
    limits,
  )
}

function check(entries: readonly Numbered[], drafts: readonly Draft[]): ReturnType<typeof checkDrafts> {
  return checkDrafts({
    session: '00000000',
    entries,
    drafts,
    nothingIn: [],
    facts: NO_FACTS,
    concepts: NO_CONCEPTS,
    author: 'agent',
    conceptSimilarity: 0.7,
    room: MAX_FACTS,
  })
}

function sum(tallies: readonly Tally[]): Tally {
  const add = (name: keyof Tally): number => tallies.reduce((all, one) => all + one[name], 0)
  return { asked: add('asked'), right: add('right'), missing: add('missing'), found: add('found') }
}

function renderLabels(): string {
  const entries = sessions.reduce((all, one) => all + one.entries.length, 0)
  const worth = sessions.reduce((all, one) => all + one.worth.filter((keys) => keys.length > 0).length, 0)
  const refused = sessions.flatMap((one) =>
    check(one.entries, one.facts).refused.flatMap(({ number, problem, isMinor }) =>
      isMinor === true ? [] : [`${one.facts[number - 1]?.text}\n    ${problem}`],
    ),
  )
  const lines = [
    `${sessions.length} sessions, ${entries} entries, ${worth} of them worth a fact; limits ${JSON.stringify(LIMITS)}`,
    `of ${sessions.reduce((all, one) => all + one.facts.length, 0)} true facts ${refused.length} refused${refused.map((one) => `\n  ${one}`).join('')}`,
    '',
    '| sessions | facts given | asked | rightly | missing facts | asked about |',
    '|---|---|--:|--:|--:|--:|',
  ]
  const groups: [string, Labelled[]][] = [
    ['first batches (rules made with them)', sessions.filter(({ batch }) => batch < LAST_BATCH)],
    ['last batch (at first sight: 14 of 18)', sessions.filter(({ batch }) => batch === LAST_BATCH)],
    ['English', sessions.filter(({ language }) => language === 'en')],
    ['Korean', sessions.filter(({ language }) => language === 'ko')],
    ['all', sessions],
  ]
  for (const [name, group] of groups)
    for (const set of SETS) {
      const { asked, right, missing, found } = sum(group.map((one) => tally(one, set)))
      lines.push(`| ${name} | ${set} | ${asked} | ${right} | ${missing} | ${found} |`)
    }
  return lines.join('\n')
}

/** Over all sessions and sets: what the two limits cost and bring. */
function renderThresholds(): string {
  const lines = [
    '',
    '| covered from | weight from | precision | recall | asked although complete |',
    '|--:|--:|--:|--:|--:|',
  ]
  for (const minWeight of [1.5, 2, 2.5])
    for (const covered of [0.2, 0.3, 0.35, 0.4, 0.5, 0.6]) {
      const limits = { covered, minWeight }
      const all = sum(sessions.flatMap((one) => SETS.map((set) => tally(one, set, limits))))
      const complete = sum(sessions.map((one) => tally(one, 'complete', limits))).asked
      lines.push(
        `| ${covered} | ${minWeight} | ${(all.right / all.asked).toFixed(2)} | ${(all.found / all.missing).toFixed(2)} | ${complete} |`,
      )
    }
  return lines.join('\n')
}

function missesOf(): string[] {
  return sessions.flatMap((session) =>
    SETS.flatMap((set) => {
      const drafts = draftsOf(session, set)
      const questions = questionsFor(session, drafts)
      const given = new Set(drafts.flatMap(({ key }) => (key === undefined ? [] : [key])))
      const asked = new Set(questions.flatMap(({ entry }) => session.worth[entry] ?? []))
      return [
        `\n${session.name}, ${set}`,
        ...questions
          .filter(({ entry }) => session.worth[entry]?.some((key) => !given.has(key)) !== true)
          .map(({ entry, excerpt, weight }) => `  wrongly #${entry} (${weight}): ${excerpt}`),
        ...session.facts
          .filter(({ key }) => !given.has(key) && !asked.has(key))
          .map(({ text }) => `  not asked: ${text}`),
      ]
    }),
  )
}

function renderTranscripts(): string {
  if (!existsSync(TRANSCRIPTS)) return `skipped: no transcripts in ${TRANSCRIPTS}`
  const names = readdirSync(TRANSCRIPTS).filter((name) => name.endsWith('.jsonl'))
  const lines = ['', '| pieces of | pieces | questions: median | most | slowest |', '|---|--:|--:|--:|--:|']
  for (const [by, tokens] of Object.entries(PIECE_TOKENS)) {
    const counts: number[] = []
    let slowest = 0
    for (const piece of names.flatMap((name) => piecesOf(name, tokens))) {
      const facts = extractFacts('00000000', piece, MAX_FACTS)
      const began = performance.now()
      counts.push(uncovered(piece, facts, new Set()).length)
      slowest = Math.max(slowest, performance.now() - began)
    }
    counts.sort((a, b) => a - b)
    lines.push(
      `| ${by} | ${counts.length} | ${counts[Math.floor(counts.length / 2)]} | ${counts.at(-1)} | ${slowest.toFixed(0)} ms |`,
    )
  }
  return lines.join('\n')
}

/** As capture reads it and as it is handed out. */
function piecesOf(name: string, maxTokens: number): Numbered[][] {
  const bytes = readFileSync(path.join(TRANSCRIPTS, name))
  const options = { outputChars: 300, redact: (text: string) => redact(text).text }
  const { entries, cursor } = readPiece(newCursor(name), { bytes, isLast: true }, options)
  const all = toTell([...entries, ...openEntries(cursor.refine)].map((entry, n): Numbered => ({ n, entry })))
  const pieces: Numbered[][] = []
  let tokens = maxTokens
  for (const one of all) {
    tokens += estimateTokens(JSON.stringify(one.entry))
    if (tokens > maxTokens) {
      pieces.push([])
      tokens = 0
    }
    pieces.at(-1)?.push(one)
  }
  return pieces
}
