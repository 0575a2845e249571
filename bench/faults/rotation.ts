/** A rotation that dies at each of its writes, in three ways: after the next note and a finisher every note exists once. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { removeDoubles, rotateIfFull } from '../../src/core/notes/disk/memory.ts'
import { addOwnNote } from '../../src/core/notes/disk/notes.ts'
import { openStore, type Store } from '../../src/kernel/memory/disk/store.ts'
import { notesIn } from '../../src/kernel/memory/note.ts'
import { locate } from '../../src/kernel/platform/disk/locate.ts'
import { type Kill, Killed, killingDisk } from '../../test/support/killing-disk.ts'
import { makeProject, type Project } from './programs.ts'

const SETTINGS = { summarizer: 'extractive', rotationThresholdTokens: 1_000, carryoverTokens: 300 }
const WORDS = 'The depths were measured twice, in metres, and written into the table of the harbour. '.repeat(6)
const WAYS: readonly Kill['how'][] = ['before', 'partial', 'after']
const MOST_WRITES = 40
const WAIT_MS = 5_000
const now = (): string => '2026-01-13T12:00:00.000Z'

export async function runRotation(): Promise<boolean> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'mk-rotation-'))
  try {
    let cases = 0
    let wrong = 0
    for (const how of WAYS)
      for (let after = 0; after < MOST_WRITES; after++) {
        const project = makePlace(path.join(dir, `${how}${after}`))
        const { isKilled, problem } = killOne(project, { after, how })
        if (!isKilled) break
        cases++
        if (problem === '') continue
        wrong++
        console.log(`write ${after + 1}, killed ${how}: ${problem}`)
      }
    console.log(`\n| kills inside a note with a rotation | wrong |\n|--:|--:|\n| ${cases} | ${wrong} |`)
    return wrong === 0
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

function makePlace(dir: string): Project {
  mkdirSync(dir)
  return makeProject(dir, SETTINGS)
}

function open({ root, dir }: Project, kills: Kill[] = []): Store {
  const places = locate(root, { home: path.join(dir, 'home'), configDir: undefined })
  return openStore(places, kills.length === 0 ? { now } : { now, disk: killingDisk(kills) })
}

function note(store: Store, n: number): void {
  store.whileLocked(WAIT_MS, () => addOwnNote(store, `Note ${n}. ${WORDS}`, now()))
}

/** Notes until one rotates; that one is killed at this write. */
function killOne(project: Project, kill: Kill): { isKilled: boolean; problem: string } {
  let written = 0
  while (!isFull(project)) note(open(project), written++)
  let isKilled = false
  try {
    note(open(project, [kill]), written)
  } catch (error) {
    if (!(error instanceof Killed)) throw error
    isKilled = true
  }
  // The finisher may come first: it rotates as well.
  const store = open(project)
  store.whileLocked(WAIT_MS, () => rotateIfFull(store, now()))
  store.whileLocked(WAIT_MS, () => removeDoubles(store))
  note(open(project), written + 1)
  return { isKilled, problem: problemIn(project, written) }
}

/** The next note makes it rotate. */
function isFull({ memory }: Project): boolean {
  return numbersIn(memory).length >= NOTES_BEFORE
}

const NOTES_BEFORE = 6

function problemIn({ memory }: Project, before: number): string {
  const numbers = numbersIn(memory)
  const missing = [...Array.from({ length: before }, (_, n) => n), before + 1].filter((n) => !numbers.includes(n))
  const doubled = numbers.filter((n, i) => numbers.indexOf(n) !== i)
  const lists = [
    ['missing', missing],
    ['doubled', doubled],
  ] as const
  return lists.flatMap(([name, list]) => (list.length === 0 ? [] : [`notes ${list.join(', ')} ${name}`])).join('; ')
}

/** Of the notes in memory.md and its archives. */
function numbersIn(memory: string): number[] {
  const files = readdirIfThere(memory).filter((name) => /^memory(?:_\d{8}_\d{6}(?:_\d+)?)?\.md$/.test(name))
  return files
    .flatMap((name) => notesIn(readFileSync(path.join(memory, name), 'utf8')))
    .map(({ text }) => Number(/^Note (\d+)/.exec(text)?.[1]))
}

function readdirIfThere(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}
