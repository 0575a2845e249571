/** A simulated year of sessions through the hook programs, each at its own time: how much is stored, and what an event costs. */
import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createSpeaker } from '../support/generated.ts'
import { createRandom } from '../support/random.ts'
import { type Cost, type Lived, liveSession, makeProject, type Project, type Ran, transcriptOf } from './programs.ts'
import { writeTurn } from './written.ts'

export interface YearOptions {
  days: number
  perDay: number
  seed: number
}

const DAY_MS = 24 * 60 * 60_000
const TURNS = 3
/** The host deletes transcripts that are older. */
const KEPT_DAYS = 30
/** The first and the last so many days are compared: one session alone says little on a busy machine. */
const COMPARED_DAYS = 5
const EVENTS = ['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd', 'finisher'] as const
type Event = (typeof EVENTS)[number]

interface Day {
  costs: Record<Event, Cost[]>
  stateBytes: number
}

export async function runYear(options: YearOptions): Promise<boolean> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'mk-year-'))
  try {
    const project = makeProject(dir, { summarizer: 'extractive' })
    const days: Day[] = []
    const began = Date.now()
    const first = Date.now() - options.days * DAY_MS
    const speak = createSpeaker(createRandom(options.seed))
    for (let n = 0; n < options.days; n++) {
      days.push(await liveDay(project, n, first + n * DAY_MS, options, speak))
      if (n % 30 === 29)
        console.log(
          `day ${n + 1}: ${Math.round((Date.now() - began) / 1000)} s, state ${days.at(-1)?.stateBytes} bytes`,
        )
    }
    console.log(`\n${render(project, days, options)}`)
    return days.every(({ costs }) => EVENTS.every((event) => costs[event].length > 0))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function liveDay(
  project: Project,
  n: number,
  at: number,
  { perDay, days }: YearOptions,
  speak: () => string[],
): Promise<Day> {
  const day: Day = {
    costs: { SessionStart: [], UserPromptSubmit: [], Stop: [], SessionEnd: [], finisher: [] },
    stateBytes: 0,
  }
  for (let i = 0; i < perDay; i++) {
    const number = n * perDay + i + 1
    const began = at + i * 60 * 60_000
    const all = Array.from({ length: TURNS }, (_, turn) =>
      writeTurn(
        idOf(number),
        project.root,
        began + turn * 60_000,
        `k${number}x${turn + 1}`,
        sayings(speak, number, turn),
      ),
    )
    // What is not compared goes through fewer processes: the same lines with one prompt.
    const turns = isCompared(n, days)
      ? all
      : [{ prompt: all[0]?.prompt ?? '', lines: all.map(({ lines }) => lines).join('') }]
    note(day, await liveSession(project, { id: idOf(number), at: began, turns }))
    const old = number - KEPT_DAYS * perDay
    if (old > 0) rmSync(transcriptOf(project, idOf(old)), { force: true })
  }
  day.stateBytes = sizeOf(path.join(project.memory, 'memory-index.json'))
  return day
}

function isCompared(n: number, days: number): boolean {
  return n < COMPARED_DAYS || n >= days - COMPARED_DAYS
}

function idOf(n: number): string {
  return `${(0xb0000000 + n).toString(16)}-0000-4000-8000-${String(n).padStart(12, '0')}`
}

/** Words of a language that is made up, and one decision, so that facts are found as well. */
function sayings(speak: () => string[], session: number, turn: number): string {
  const [a = '', b = '', c = ''] = speak().filter((word) => word.length > 4)
  const decision = `We decided to use ${a} instead of ${b} for the ${c} of part ${session}-${turn}, because it is simpler.`
  return `${speak().join(' ')}. ${decision}`
}

function note({ costs }: Day, { start, prompts, stops, end, finisher }: Lived): void {
  const add = (event: Event, runs: readonly Ran[]): void => {
    costs[event].push(...runs.flatMap(({ cost }) => cost ?? []))
  }
  add('SessionStart', [start])
  add('UserPromptSubmit', prompts)
  add('Stop', stops)
  add('SessionEnd', [end])
  if (finisher !== null) costs.finisher.push(finisher)
}

function render(project: Project, days: readonly Day[], { perDay }: YearOptions): string {
  const [first, last] = [days.slice(0, COMPARED_DAYS), days.slice(-COMPARED_DAYS)]
  const median = (of: readonly Day[], event: Event, what: 'cpuMs' | 'read'): number => {
    const all = of.flatMap(({ costs }) => costs[event].map((cost) => cost[what])).toSorted((a, b) => a - b)
    return all[Math.floor(all.length / 2)] ?? 0
  }
  const events = EVENTS.map((event) => {
    const [before, after] = [median(first, event, 'cpuMs'), median(last, event, 'cpuMs')]
    const [readBefore, readAfter] = [median(first, event, 'read'), median(last, event, 'read')]
    const cells = [before.toFixed(0), after.toFixed(0), (after / before).toFixed(2), kB(readBefore), kB(readAfter)]
    return `| ${event} | ${cells.join(' | ')} |`
  })
  const sizes = [...bytesByKind(project)].map(([kind, { files, bytes }]) => `| ${kind} | ${files} | ${kB(bytes)} |`)
  return [
    `${days.length} days of ${perDay} sessions of ${TURNS} turns; the host deletes transcripts after ${KEPT_DAYS} days`,
    `memory-index.json, which every hook reads: ${days[0]?.stateBytes} bytes after the first day, ${days.at(-1)?.stateBytes} after the last`,
    '',
    `| medians of ${COMPARED_DAYS} days | CPU, first, ms | CPU, last, ms | ratio | read, first, kB | read, last, kB |`,
    '|---|--:|--:|--:|--:|--:|',
    ...events,
    '',
    '| kind of file | files | kB |',
    '|---|--:|--:|',
    ...sizes,
  ].join('\n')
}

function bytesByKind({ memory, keeper, cache }: Project): Map<string, { files: number; bytes: number }> {
  const kinds = new Map<string, { files: number; bytes: number }>()
  for (const [place, dir] of Object.entries({ memory, keeper, cache })) {
    for (const name of existsSync(dir) ? readdirSync(dir, { recursive: true, encoding: 'utf8' }) : []) {
      const facts = lstatSync(path.join(dir, name))
      if (!facts.isFile()) continue
      const kind = `${place}/${name.replace(/[0-9a-f]{8,}|\d+/g, '*').replace(/(?:\*[-_]?)+/g, '*')}`
      const known = kinds.get(kind) ?? { files: 0, bytes: 0 }
      kinds.set(kind, { files: known.files + 1, bytes: known.bytes + facts.size })
    }
  }
  return new Map([...kinds].toSorted(([, a], [, b]) => b.bytes - a.bytes))
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0
}

function kB(bytes: number): string {
  return (bytes / 1024).toFixed(1)
}
