/** The MCP server as the host talks to it: lines of JSON-RPC on its standard streams. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { notesIn } from '../../src/core/note.ts'
import { stateEffect } from '../../src/store/store.ts'
import { FALSE_NOTE, memoryOf, TRUE_NOTE } from '../support/notes.ts'
import { envOf, type Json, MCP, type Ran, runHook, runNode, start } from '../support/process.ts'
import {
  append,
  linesFor,
  makeProject,
  NOW,
  quietProject,
  readStateIn,
  sessionId,
  storeOf,
  type TestProject,
  treeOf,
  turn,
  turns,
} from '../support/project.ts'
import { finishHere, work } from '../support/world.ts'

const OLD = '2025-11-25'
const NEW = '2026-07-28'
const SESSION = sessionId(1)

function rememberingProject(): TestProject {
  const project = makeProject()
  append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 0, 3))
  runHook(project, { hook_event_name: 'Stop', session_id: SESSION })
  return project
}

interface Call {
  method: string
  params?: object
}

const initialize: Call = {
  method: 'initialize',
  params: { protocolVersion: OLD, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

/** The newer protocol says with every request who is asking. */
function modern(method: string, params: object = {}): Call {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': NEW,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return { method, params: { ...params, _meta } }
}

/** Answers by the number of the call; standard input is closed behind the last one. */
function talk(project: TestProject, calls: readonly Call[], env = {}): { answers: Json[]; ran: Ran } {
  const lines = calls.map((call, id) => `${JSON.stringify({ jsonrpc: '2.0', id, ...call })}\n`)
  const ran = runNode([MCP], project.root, envOf(project, env), lines.join(''))
  const said = ran.out
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Json => JSON.parse(line))
  return { answers: calls.map((_, id) => said.find((answer) => answer.id === id)), ran }
}

function tool(name: string, args: object = {}): Call {
  return { method: 'tools/call', params: { name, arguments: args } }
}

describe('the server', () => {
  it('answers the older greeting, lists its tools, and ends when its input ends', () => {
    const { answers, ran } = talk(rememberingProject(), [initialize, { method: 'tools/list' }])

    expect(answers[0].result).toMatchObject({ protocolVersion: OLD, serverInfo: { name: 'memory' } })
    expect(answers[1].result.tools.map((one: { name: string }) => one.name).sort()).toEqual([
      'get_memory',
      'memory_status',
      'save_note',
      'save_summary',
    ])
    const reading = answers[1].result.tools.filter((one: Json) => one.annotations.readOnlyHint)
    expect(reading.map((one: Json) => one.name).sort()).toEqual(['get_memory', 'memory_status'])
    for (const one of answers[1].result.tools) expect(one.annotations.destructiveHint ?? false).toBe(false)
    expect(ran).toMatchObject({ code: 0, err: '' })
  })

  it('answers the newer greeting as well', () => {
    const { answers } = talk(rememberingProject(), [modern('server/discover'), modern('tools/list')])

    expect(answers[0].result.supportedVersions).toContain(NEW)
    expect(answers[1].result.tools).toHaveLength(4)
  })

  it('refuses an unknown method instead of hanging', () => {
    const { answers } = talk(rememberingProject(), [initialize, { method: 'memory/erase' }])

    expect(answers[1].error.code).toBe(-32_601)
  })

  it('ends when its input is closed without a word', async () => {
    const project = makeProject()
    const { ended } = start([MCP], project.root, envOf(project))

    expect(await ended).toMatchObject({ code: 0, out: '', err: '' })
  })

  it('leaves at once inside a child of our own', async () => {
    const project = makeProject()
    const { ended } = start([MCP], project.root, envOf(project, { MEMORY_KEEPER_CHILD: '1' }), null)

    expect(await ended).toMatchObject({ code: 0, out: '' })
  })
})

describe('its tools', () => {
  it('tell what is remembered, and read it word for word', () => {
    const { answers } = talk(rememberingProject(), [
      initialize,
      tool('memory_status'),
      tool('get_memory', { id: '00000001' }),
      tool('get_memory', { id: 'L1:00000001#4', context: 0 }),
    ])
    const text = (n: number): string => answers[n].result.content[0].text

    expect(text(1)).toContain('1 sessions remembered')
    expect(text(1)).toContain('00000001 2026-01-13T09:00 3 prompts, 3 tool uses: question 0')
    expect(text(2).split('\n')[0]).toBe('L1:00000001#0 2026-01-13T09:00:01.000Z user: question 0')
    expect(text(2)).toContain('answer 2')
    expect(text(3)).toBe('L1:00000001#4 2026-01-13T09:00:01.011Z tool Bash (ok): echo 1\n  output 1')
  })

  it('answer a wrong id with an error the model can read', () => {
    const { answers } = talk(rememberingProject(), [
      initialize,
      tool('get_memory', { id: 'ffffffff' }),
      tool('get_memory', { id: '../../etc/passwd' }),
      tool('get_memory', {}),
    ])

    expect(answers[1].result).toMatchObject({ isError: true })
    expect(answers[2].result).toMatchObject({ isError: true })
    expect(answers[3].error ?? answers[3].result.isError).toBeTruthy()
  })

  it('stay within what the host passes on', () => {
    const project = makeProject()
    const lines = linesFor(SESSION, project.root)
    const long = Array.from({ length: 40 }, (_, n) => lines.prompt(n, `${n} ${'word '.repeat(500)}`))
    append(project.transcriptOf(SESSION), long.join(''))
    runHook(project, { hook_event_name: 'Stop', session_id: SESSION })
    const { answers } = talk(project, [initialize, tool('get_memory', { id: '00000001' })])

    const { text } = answers[1].result.content[0]
    expect(text.length).toBeLessThanOrEqual(45_100)
    expect(text).toContain('more entries')
  })

  it('write nothing, and see what was captured after they were started', async () => {
    const project = rememberingProject()
    const before = treeOf(project.base)
    talk(project, [initialize, tool('memory_status'), tool('get_memory', { id: '00000001' })])
    expect(treeOf(project.base)).toEqual(before)

    const { child, ended } = start([MCP], project.root, envOf(project), null)
    const ask = (id: number, call: Call): void => {
      child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...call })}\n`)
    }
    ask(0, initialize)
    await new Promise((resolve) => child.stdout?.once('data', resolve))
    append(project.transcriptOf(sessionId(2)), turn(linesFor(sessionId(2), project.root), 8))
    runHook(project, { hook_event_name: 'Stop', session_id: sessionId(2) })
    ask(1, tool('memory_status'))
    await new Promise((resolve) => child.stdout?.once('data', resolve))
    child.stdin?.end()

    expect((await ended).out).toContain('2 sessions remembered')
  })
})

const DELTA = '00000001-0-9'
const ARCHIVE = 'memory_20260113_080000.md'

/** A delta in the agent's hands, and an archive without its summary. */
async function owingProject(): Promise<TestProject> {
  const project = quietProject({ summarizer: 'agent', saveInterval: 3 })
  work(project, 0, 3)
  await finishHere(project, { for: 'note' })
  const store = storeOf(project)
  const entry = { file: ARCHIVE, rotatedAt: NOW, tokenCount: 30, summary: ARCHIVE.replace('.md', '.summary.json') }
  store.perform([
    { do: 'write', path: ARCHIVE, text: '## 2026-01-12\nThe parser accepts empty lines now.\n' },
    stateEffect({ ...store.readState(), rotatedFiles: [{ ...entry, summaryGenerated: false }] }),
  ])
  return project
}

function saidIn(answer: Json): { isError: boolean; text: string } {
  return { isError: answer.result.isError === true, text: answer.result.content[0].text }
}

describe('save_note', () => {
  it('keeps a true note, once', async () => {
    const project = await owingProject()
    const save = tool('save_note', { delta: DELTA, note: TRUE_NOTE })
    const { answers } = talk(project, [initialize, save, save])

    expect(saidIn(answers[1])).toEqual({ isError: false, text: `Saved as n-${DELTA}.` })
    expect(saidIn(answers[2])).toMatchObject({ isError: true, text: expect.stringContaining('already') })
    expect(notesIn(memoryOf(project))).toMatchObject([{ from: 0, to: 9, author: 'agent', text: TRUE_NOTE }])
  })

  it('refuses an untrue one with what is wrong in it, and takes the corrected one', async () => {
    const project = await owingProject()
    const { answers } = talk(project, [
      initialize,
      tool('save_note', { delta: DELTA, note: FALSE_NOTE }),
      tool('save_note', { delta: DELTA, note: TRUE_NOTE }),
    ])

    expect(saidIn(answers[1])).toMatchObject({ isError: true, text: expect.stringContaining('src/never-there.ts') })
    expect(saidIn(answers[2]).isError).toBe(false)
    expect(memoryOf(project)).not.toContain('never-there')
  })

  it('ends after the second refusal: code writes the note, and the model is told to stop', async () => {
    const project = await owingProject()
    const save = tool('save_note', { delta: DELTA, note: FALSE_NOTE })
    const { answers } = talk(project, [initialize, save, save])

    expect(saidIn(answers[2])).toMatchObject({ isError: false, text: expect.stringContaining('you are done') })
    expect(notesIn(memoryOf(project))).toMatchObject([{ author: 'extractive' }])
  })

  it('refuses what is not open, and arguments that are none', async () => {
    const project = await owingProject()
    const before = treeOf(project.memory)
    const { answers } = talk(project, [
      initialize,
      tool('save_note', { delta: '00000001-0-8', note: TRUE_NOTE }),
      tool('save_note', { delta: '../../x', note: TRUE_NOTE }),
      tool('save_note', { note: TRUE_NOTE }),
    ])

    expect(saidIn(answers[1])).toMatchObject({ isError: true, text: expect.stringContaining('00000001-0-8') })
    expect(saidIn(answers[2]).isError).toBe(true)
    expect(answers[3].error ?? answers[3].result.isError).toBeTruthy()
    expect(treeOf(project.memory)).toEqual(before)
  })
})

describe('save_summary', () => {
  const summary = {
    themes: [{ name: 'Parser', summary: 'It accepts empty lines.' }],
    keyDecisions: [],
    issues: [],
    overallSummary: 'The parser accepts empty lines now.',
  }

  it('keeps a true summary', async () => {
    const project = await owingProject()
    const { answers } = talk(project, [initialize, tool('save_summary', { archive: ARCHIVE, ...summary })])
    const file = ARCHIVE.replace('.md', '.summary.json')

    expect(saidIn(answers[1])).toEqual({ isError: false, text: `Saved as ${file}.` })
    expect(JSON.parse(fs.readFileSync(path.join(project.memory, file), 'utf8'))).toMatchObject(summary)
    expect(readStateIn(project.memory).rotatedFiles).toMatchObject([{ summaryGenerated: true }])
  })

  it('refuses one that names what never occurred, or an archive that is none', async () => {
    const project = await owingProject()
    const before = treeOf(project.memory)
    const invented = { ...summary, overallSummary: 'All of it is in `src/never-there.ts`.' }
    const { answers } = talk(project, [
      initialize,
      tool('save_summary', { archive: ARCHIVE, ...invented }),
      tool('save_summary', { archive: '../memory.md', ...summary }),
    ])

    expect(saidIn(answers[1])).toMatchObject({ isError: true, text: expect.stringContaining('src/never-there.ts') })
    expect(saidIn(answers[2]).isError).toBe(true)
    expect(treeOf(project.memory)).toEqual(before)
  })
})
