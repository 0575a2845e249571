/** Reports of subagents in a real memory: each is stored once, found by its words, and shown whole. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { lookUp } from '../../../../src/core/search/disk/lookup.ts'
import { openSearcher } from '../../../../src/core/search/disk/search.ts'
import { captureSession } from '../../../../src/kernel/sessions/disk/capture.ts'
import { verifySession } from '../../../../src/kernel/sessions/disk/verify.ts'
import { reportsAmong } from '../../../../src/kernel/transcript/agent-report.ts'
import { type Entry, formatEntry } from '../../../../src/kernel/transcript/session.ts'
import { isComplete } from '../../../../src/kernel/transcript/verify.ts'
import {
  agentPath,
  entriesIn,
  fastDir,
  linesFor,
  makeProject,
  now,
  readStateIn,
  sessionId,
  storeOf,
  type TestProject,
  turn,
  write,
} from '../../../support/project.ts'

const [SESSION, FORK] = [sessionId(1), sessionId(2)]
const AGENT = 'a1b2c3d4e5f60718'
const REPORT = `## Where wheels are counted\n\n${Array.from({ length: 90 }, (_, n) => `Cart ${n} is counted in \`src/cart${n}.ts\`.`).join('\n')}\n\n## Advice\n\nThe axlebox must be greased.`
const NOTICE = `<task-notification>\n<task-id>${AGENT}</task-id>\n<result>${REPORT}</result>\n</task-notification>`

const lines = linesFor(SESSION, '/made/up')
const withRecord = (line: string, toolUseResult: object): string =>
  `${JSON.stringify({ ...(JSON.parse(line) as object), toolUseResult })}\n`
const start =
  lines.prompt(1, 'Explore.') + lines.use(2, 't1', 'Agent', { description: 'Count wheels', prompt: 'Look.' })
const FRAMED = `The report follows:\n${REPORT}\nagentId: ${AGENT} (use SendMessage to go on)\n<usage>1</usage>`
const FOREGROUND =
  start +
  withRecord(lines.result(5, 't1', FRAMED), {
    status: 'completed',
    agentId: AGENT,
    content: [{ type: 'text', text: REPORT }],
  }) +
  lines.answer(6, 'I know it now.')
const BACKGROUND =
  start +
  withRecord(lines.result(3, 't1', 'Async agent launched successfully. (Internal.)'), {
    status: 'async_launched',
    agentId: AGENT,
  }) +
  lines.answer(4, 'I wait.') +
  lines.enqueue(5, NOTICE) +
  lines.dequeue(5) +
  withRecord(lines.prompt(6, NOTICE), {}).replace(
    '"type":"user"',
    '"type":"user","origin":{"kind":"task-notification"}',
  ) +
  lines.answer(7, 'I know it now.')
const side = linesFor(SESSION, '/made/up', { isSidechain: true, agentId: AGENT })
const OWN =
  side.prompt(3, 'Look.') +
  side.use(3, 's1', 'Read', { file_path: '/made/up/src/cart1.ts' }) +
  side.result(3, 's1', 'x') +
  side.answer(4, REPORT) +
  side.meta(4)

const KINDS = { FOREGROUND, BACKGROUND }

function captured(transcript: string, own: string | null, project = makeProject('app', fastDir())): TestProject {
  write(project.transcriptOf(SESSION), transcript)
  if (own !== null) write(agentPath(project.transcriptOf(SESSION), AGENT), own)
  capture(project)
  return project
}

function capture(project: TestProject, session = SESSION): void {
  const source = { session, transcript: project.transcriptOf(session) }
  expect(captureSession(storeOf(project), source, { waitMs: 1000, now }).complete).toBe(true)
}

function holding(project: TestProject, words: string): string[] {
  return entriesIn(project.memory).flatMap((entry) => (JSON.stringify(entry).includes(words) ? [entry.role] : []))
}

const verified = (project: TestProject, session = SESSION): boolean =>
  isComplete(verifySession(storeOf(project), readStateIn(project.memory), session, project.transcriptOf(session)))

describe.each(Object.entries(KINDS))('a report of an agent in the %s', (kind, transcript) => {
  const withoutFile = kind === 'FOREGROUND' ? 'tool' : 'subagent'

  it.each([
    ['without a transcript of its own', null, withoutFile],
    ['whose own transcript ends with it', OWN, 'subagent'],
    ['whose own transcript ends otherwise', OWN.replace('greased', 'painted'), withoutFile],
  ])('is stored whole and once: an agent %s', (_, own, role) => {
    const project = captured(transcript, own)

    expect(holding(project, 'axlebox must be greased')).toEqual([role])
    expect(verified(project)).toBe(true)
    const numbered = entriesIn(project.memory).map((entry, n) => ({ n, entry }))
    expect([...reportsAmong(numbered).values()]).toEqual([REPORT])
  })

  it('is found by a word near its end, and shown whole', () => {
    const project = captured(transcript, null)
    const store = storeOf(project)
    const searcher = openSearcher(store, { cacheDir: project.places.cacheDir, now })
    const [hit] = searcher.find({ query: 'axlebox greased' }).hits
    searcher.close()

    expect(hit?.snippet).toContain('axlebox must be greased')
    expect(lookUp(store, hit?.id ?? '', 0)?.parts[0]?.text).toContain(REPORT)
  })

  it('stays as it is, and is not stored again, when the state is lost', () => {
    const project = captured(transcript, null)
    const before = entriesIn(project.memory)
    fs.rmSync(path.join(project.memory, 'memory-index.json'))
    capture(project)

    expect(entriesIn(project.memory)).toEqual(before)
  })

  it('does not double an entry that 0.6 stored with the beginning of it, in a lost state or in a fork', () => {
    const project = captured(transcript, null)
    const store = path.join(project.memory, 'sessions')
    const [file = ''] = fs.readdirSync(store).filter((name) => name.endsWith('.l1.jsonl'))
    const older = entriesIn(project.memory).flatMap((entry): Entry[] => {
      if (entry.role === 'tombstone' || ('report' in entry && entry.report)) return []
      if (!('name' in entry)) return [entry]
      const { ran: _, output, ...rest } = entry
      return [{ ...rest, ...(output === undefined ? {} : { output: output.slice(0, 300), cut: true }) } as Entry]
    })
    fs.writeFileSync(path.join(store, file), older.map(formatEntry).join(''))
    fs.rmSync(path.join(project.memory, 'memory-index.json'))
    capture(project)
    const more = turn(linesFor(FORK, '/made/up'), 9)
    write(project.transcriptOf(FORK), transcript + more)
    capture(project, FORK)

    const all = entriesIn(project.memory)
    expect(all.slice(0, older.length)).toEqual(older)
    expect(all.slice(older.length).map((entry) => entry.role)).toEqual(['user', 'tool', 'assistant'])
    expect(verified(project)).toBe(true)
    expect(verified(project, FORK)).toBe(true)
  })
})
