/** A project whose memory holds files of nearly every kind, and the same project again after a test has broken it. */
import fs from 'node:fs'
import path from 'node:path'
import type { BrokenPlaces } from './broken-files.ts'
import { addSession } from './old-sessions.ts'
import { runCommand } from './process.ts'
import {
  append,
  copyTree,
  dialog,
  fastDir,
  linesFor,
  makeProject,
  removeTree,
  sessionId,
  setAtHome,
  storeOf,
  story,
  type TestProject,
  turns,
  write,
} from './project.ts'
import { begin, finishHere, hookHere, LATER, prompt, stop } from './world.ts'

export interface Whole {
  /** Everything as it was. */
  reset(): void
  remove(): void
}

export interface Furnished extends Whole {
  project: TestProject
  places: BrokenPlaces
}

const DAY_MS = 24 * 60 * 60_000

export async function furnish(): Promise<Furnished> {
  const project = makeProject('app', fastDir())
  setAtHome(project, { summarizer: 'extractive', rawBackup: true })
  const store = storeOf(project)
  for (const [n, days] of [60, 50, 40, 16, 15, 14].entries()) {
    const at = new Date(Date.parse(LATER) - days * DAY_MS).toISOString()
    addSession(store, { n: 100 + n, at, word: `word${n}` }, { isEnded: true })
  }
  for (const n of [1, 2]) {
    const lines = linesFor(sessionId(n), project.root)
    append(
      project.transcriptOf(sessionId(n)),
      story(lines) + turns(lines, 10, 12) + dialog(lines, 130, `Which parser, ${n}?`, 'The small one'),
    )
    begin(project, sessionId(n))
    stop(project, {}, {}, sessionId(n))
  }
  await finishHere(project, { for: 'end', session: sessionId(2) }, { now: () => LATER, isAlive: () => false })
  for (const args of [
    ['note', '--text', 'We keep the parser small.'],
    ['page', 'set', 'project', '--text', '# Project\n\nA parser for lines.\n\nIt is written by hand.'],
    ['rules', 'add', 'Never push on a Friday.'],
    ['facts', 'add', 'decision', 'The parser skips empty lines.'],
    ['lesson', 'add', 'Run the tests before a commit.'],
    ['search', 'parser'],
    ['stats'],
    ['forget', `L1:${sessionId(1).slice(0, 8)}#7`, '--yes'],
    ['export', '--out', path.join(project.base, 'bundle.jsonl')],
  ])
    runCommand(project, args)
  write(path.join(project.memory, 'config.json'), '{\n  "saveInterval": 30,\n  "summarizer": "extractive"\n}\n')
  write(
    path.join(project.memory, 'concepts.json'),
    '{"version":1,"concepts":[\n{"id":"c001","name":"parser","summary":"Reads lines.","files":[],"keywords":["parser"],"exchanges":1,"aliases":[]}\n],"nextId":2}\n',
  )
  const archive = path.join(project.memory, 'memory_20260110_120000.md')
  write(
    archive,
    '## 2026-01-10 12:00:00 UTC\n<!-- note n-20260110120000-aaaaaa author=user at=2026-01-10T12:00:00.000Z -->\nThe first archive.\n\n',
  )
  write(path.join(project.memory, 'sessions', 'week-2025-50.md.before-0.7'), '# Week 2025-50\n\nMary had the key.\n')
  write(
    path.join(project.keeper, 'model-calls.jsonl'),
    `${JSON.stringify({ id: 'a', at: LATER, project: 'app', kind: 'note', estimatedTokens: 3 })}\n`,
  )
  write(path.join(project.keeper, 'headless.json'), '{"version":1,"failuresInRow":0,"last":null,"pausedUntil":null}\n')
  prompt(project, { prompt: 'What did we decide about empty lines in the parser, and why?' })
  hookHere(project, { hook_event_name: 'SessionEnd', session_id: sessionId(1) })
  await finishHere(project, { for: 'end', session: sessionId(1) }, { now: () => LATER, isAlive: () => false })
  begin(project, sessionId(1), 'resume')
  await finishHere(project, { for: 'catch-up' }, { now: () => LATER, isAlive: () => false })
  const places = {
    memory: project.memory,
    keeper: project.keeper,
    cache: project.around.cacheDir ?? '',
    key: project.places.project.key,
  }
  return { project, places, ...keepWhole(project) }
}

/** Everything as it is now, again and again. */
export function keepWhole({ base }: TestProject): Whole {
  const copy = `${base}-whole`
  fs.cpSync(base, copy, { recursive: true, preserveTimestamps: true })
  return {
    reset: () => {
      removeTree(base)
      copyTree(copy, base)
    },
    remove: () => fs.rmSync(copy, { recursive: true, force: true }),
  }
}
