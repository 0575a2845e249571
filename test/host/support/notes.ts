/** What became of the sessions of a world: notes, state and model calls on disk, and what of them is in a request. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { BUILT_IN_LINE, BUILT_IN_RULES, renderRules } from '../../../src/core/pages/rule.ts'
import { type Note, notesIn } from '../../../src/kernel/memory/note.ts'
import type { SessionState } from '../../../src/kernel/memory/session-state.ts'
import { allSessions, parseState, type State } from '../../../src/kernel/memory/state.ts'
import type { ModelRequest, RequestKind } from './request.ts'
import type { World } from './world.ts'

/** With a prompt, and at the start of a session. */
export const RULES = BUILT_IN_LINE
export const RULES_IN_FULL = renderRules(BUILT_IN_RULES)
export const BRIEFING = /<(memory-keeper-[a-z2-9]{8})>[\s\S]*?<\/\1>/g
/** The end of anything that is or looks like a frame of ours. */
export const FRAME_END = /<\/memory-keeper[^>]*>/g
/** How we ask Claude for a note; the host's list of skills speaks of the mark alone. */
export const NOTE_REQUEST = /\[MEMORY_KEEPER_DELTA\] file=/g
export const SUMMARY_REQUEST = /\[MEMORY_KEEPER_ROTATE\] file=/g

interface CallRecord {
  id: string
  /** What was asked for: note, facts, summary, reflection. */
  kind?: string
  ok?: boolean
  why?: string | null
  tokens?: { input: number; output: number }
  costUsd?: number | null
}

function memoryPath(world: World, ...parts: string[]): string {
  return world.file('.claude', 'memory', ...parts)
}

export function readMemoryFile(world: World, name: string): string {
  const path = memoryPath(world, name)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** Those of archives first, then those of memory.md, oldest first. */
export function notesOf(world: World): Note[] {
  return [...archivesOf(world), 'memory.md'].flatMap((name) => notesIn(readMemoryFile(world, name)))
}

export function archivesOf(world: World): string[] {
  const dir = memoryPath(world)
  if (!existsSync(dir)) return []
  return readdirSync(dir)
    .filter((name) => /^memory_\d{8}_\d{6}(?:_\d+)?\.md$/.test(name))
    .sort()
}

export function stateOf(world: World): State {
  const state = parseState(readMemoryFile(world, 'memory-index.json'))
  if (state === null) throw new Error('There is no memory-index.json.')
  return state
}

export function onlySessionState(world: World): SessionState {
  const [first, ...others] = allSessions(stateOf(world))
  if (first === undefined || others.length > 0) throw new Error(`${others.length + 1} sessions are in the state.`)
  return first[1]
}

/** Every entry of every session stands in exactly one note, nothing waits, and no delta is left behind. */
export function expectAllNoted(world: World): void {
  const notes = notesOf(world)
  for (const [id, session] of allSessions(stateOf(world))) {
    const ranges = notes
      .filter((note) => note.session === id.slice(0, 8))
      .map(({ from, to }) => [from, to] as const)
      .sort(([a], [b]) => a - b)
    const ends = [0, ...ranges.map(([, to]) => to)]
    expect(ranges.map(([from]) => from)).toEqual(ends.slice(0, -1))
    expect([ends.at(-1), session.watermark]).toEqual([session.entries, session.entries])
  }
  expect(readMemoryFile(world, 'delta_temp.txt')).toBe('')
}

/** The ledger of model calls, started and settled lines joined. */
export function callsOf(world: World): CallRecord[] {
  const path = join(world.home, '.claude', 'memory-keeper', 'model-calls.jsonl')
  if (!existsSync(path)) return []
  const calls = new Map<string, CallRecord>()
  for (const line of readFileSync(path, 'utf8')
    .split('\n')
    .filter((each) => each !== '')) {
    const record = JSON.parse(line) as CallRecord
    calls.set(record.id, { ...calls.get(record.id), ...record })
  }
  return [...calls.values()]
}

export function requestsOf(world: World, kind: RequestKind): ModelRequest[] {
  return world.requests.filter((request) => request.kind === kind)
}

/** What a child is told besides the data that it reports on, in characters. */
export function instructionChars({ system, text }: ModelRequest): number {
  return system.length + text.replace(/(<data-([\w.-]+)>)[\s\S]*(<\/data-\2>)/g, '$1$3').length
}

export function briefingsIn({ text }: ModelRequest): string[] {
  return text.match(BRIEFING) ?? []
}

export function countIn(text: string, pattern: RegExp | string): number {
  return typeof pattern === 'string' ? text.split(pattern).length - 1 : (text.match(pattern)?.length ?? 0)
}

/** The id in the first line of a delta, as an agent finds it in what it read. */
export function deltaIdIn(text: string): string {
  return /# Delta ([\w-]+):/.exec(text)?.[1] ?? 'no-delta'
}
