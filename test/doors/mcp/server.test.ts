/** The built MCP server as the host talks to it: what it offers, what it answers, and when it ends. */

import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { OWN_SHARE } from '../../../src/core/health/commands/status.ts'
import { TOOL_NAMES, TOOLS } from '../../../src/core/tools.ts'
import { stateEffect } from '../../../src/kernel/memory/disk/store.ts'
import { notesIn } from '../../../src/kernel/memory/note.ts'
import { isAlive } from '../../../src/kernel/platform/disk/lock.ts'
import { estimateTokens } from '../../../src/kernel/text/tokens.ts'
import { converse, initialize, modern, NEW, OLD, saidIn, talk, tool } from '../../support/mcp.ts'
import { FALSE_NOTE, memoryOf, TRUE_NOTE } from '../../support/notes.ts'
import { envOf, type Json, MCP, ROOT, runNode, start, until } from '../../support/process.ts'
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
} from '../../support/project.ts'
import { finishHere, stop, work } from '../../support/world.ts'

const SESSION = sessionId(1)
const READING = TOOL_NAMES.filter((name) => TOOLS[name].does === 'reads')

function rememberingProject(): TestProject {
  const project = makeProject()
  append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 0, 3))
  stop(project)
  return project
}

describe('the server', () => {
  it('answers the older greeting, lists its tools, and ends when its input ends', async () => {
    const { answers, ran } = await talk(rememberingProject(), [initialize, { method: 'tools/list' }])

    expect(answers[0].result).toMatchObject({ protocolVersion: OLD, serverInfo: { name: 'memory' } })
    const { tools } = answers[1].result
    expect(tools.map((one: Json) => one.name)).toEqual(TOOL_NAMES)
    const reading = tools.filter((one: Json) => one.annotations.readOnlyHint)
    expect(reading.map((one: Json) => one.name)).toEqual(READING)
    for (const one of tools) expect(one.annotations.destructiveHint ?? false).toBe(false)
    expect(ran).toMatchObject({ code: 0, err: '' })
  })

  it('has one tool that Claude always sees; status says what all of ours takes in a request', async () => {
    const { answers } = await talk(rememberingProject(), [initialize, { method: 'tools/list' }])
    const { tools } = answers[1].result
    const always = tools.filter((one: Json) => one._meta?.['anthropic/alwaysLoad'] === true)
    const [search] = always
    const heads = ['agents/memory-keeper.md', 'skills/pending/SKILL.md'].map((name) => {
      const text = fs.readFileSync(path.join(ROOT, 'plugin', name), 'utf8')
      return [...text.matchAll(/^(?:name|description|tools): (.*)$/gm)].map(([, value]) => value).join(' ')
    })
    const names = tools.map((one: Json) => `mcp__plugin_memory-keeper_memory__${one.name}`)
    const schema = JSON.stringify({ description: search.description, input_schema: search.inputSchema })
    const tokens = estimateTokens([...heads, ...names, schema].join('\n'))

    expect(always).toHaveLength(1)
    expect(search.name).toBe('search_memory')
    expect(Math.abs(tokens - OWN_SHARE), String(tokens)).toBeLessThan(OWN_SHARE * 0.1)
  })

  it('answers the newer greeting as well', async () => {
    const { answers } = await talk(rememberingProject(), [modern('server/discover'), modern('tools/list')])

    expect(answers[0].result.supportedVersions).toContain(NEW)
    expect(answers[1].result.tools).toHaveLength(TOOL_NAMES.length)
  })

  it('leaves at once inside a child of our own', async () => {
    const project = makeProject()
    const { ended } = start([MCP], project.root, envOf(project, { MEMORY_KEEPER_CHILD: '1' }), null)

    expect(await ended).toMatchObject({ code: 0, out: '' })
  })
})

describe('its life', () => {
  it('ends when its input is closed without a word', async () => {
    const project = makeProject()
    const { ended } = start([MCP], project.root, envOf(project))

    expect(await ended).toMatchObject({ code: 0, out: '', err: '' })
  })

  it.skipIf(process.platform === 'win32').each(['SIGTERM', 'SIGHUP'] as const)('ends with %s', async (signal) => {
    const project = rememberingProject()
    const { child, ended } = start([MCP], project.root, envOf(project), null)
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 0, ...initialize })}\n`)
    await new Promise((resolve) => child.stdout?.once('data', resolve))
    child.kill(signal)

    expect((await ended).signal).toBe(signal)
  })

  it.skipIf(process.platform === 'win32').each([
    ['its input closed', 'pipe'],
    ['its input held open by somebody else', 'inherit'],
  ])('ends when its host is killed, %s', async (_, stdin) => {
    const project = rememberingProject()
    // A host that is killed at once: it starts the server and tells its process id.
    const code = `const child = require('node:child_process').spawn(process.execPath, [${JSON.stringify(MCP)}], { stdio: ['${stdin}', 'ignore', 'ignore'] }); console.log(child.pid); setInterval(() => 0, 1000)`
    const host = spawn(process.execPath, ['-e', code], { env: envOf(project), stdio: ['pipe', 'pipe', 'inherit'] })
    const pid = Number(await new Promise((resolve) => host.stdout.once('data', resolve)))
    expect(isAlive(pid)).toBe(true)
    host.kill('SIGKILL')

    await until(() => !isAlive(pid))
    host.stdin.end()
  })
})

describe('its tools', () => {
  it('tell what is remembered, find it, and read it word for word', async () => {
    const { answers } = await talk(rememberingProject(), [
      initialize,
      tool('memory_status'),
      tool('search_memory', { query: 'question' }),
      tool('get_memory', { id: 'L1:00000001#4', context: 0 }),
      tool('timeline', { around: '2026-01-13' }),
      tool('memory_page'),
    ])
    const text = (n: number): string => saidIn(answers[n]).text

    expect(text(1)).toContain('1 session, 9 entries remembered')
    expect(text(1)).toContain('00000001 2026-01-13 09:00 (3 prompts, 3 tool uses): question 0')
    expect(text(2)).toMatch(/^L1:00000001#\d 2026-01-13 prompt \(the user\): question \d/m)
    expect(text(3)).toContain('L1:00000001#4 2026-01-13T09:00:01.011Z tool Bash (ok): echo 1\n| output 1')
    expect(text(4)).toContain('session 00000001 (code): question 0')
    expect(text(5)).toContain('no pages')
    expect(answers.slice(1).map((answer) => saidIn(answer).isError)).toEqual([false, false, false, false, false])
  })

  it('answer wrong arguments with an error the model can read', async () => {
    const { answers } = await talk(rememberingProject(), [
      initialize,
      tool('get_memory', { id: 'ffffffff' }),
      tool('get_memory', { id: '../../etc/passwd' }),
      tool('search_memory', { query: 'since:someday question' }),
      tool('search_memory', { query: 'question type:nonsense' }),
      tool('get_memory', {}),
      tool('search_memory', {}),
    ])

    for (const answer of answers.slice(1)) expect(answer.error ?? answer.result.isError).toBeTruthy()
    expect(saidIn(answers[3]).text).toContain('since:2026-01-03')
    expect(saidIn(answers[4]).text).toContain('nonsense')
  })

  it('change nothing in the memory, and see what was captured after they were started', async () => {
    const project = rememberingProject()
    const before = treeOf(project.root)
    const talking = converse(project)
    await talking.ask(initialize)
    expect(saidIn(await talking.ask(tool('search_memory', { query: 'question 8' }))).text).not.toContain('00000002')
    await talking.ask(tool('memory_status'))
    expect(treeOf(project.root)).toEqual(before)

    append(project.transcriptOf(sessionId(2)), turn(linesFor(sessionId(2), project.root), 8))
    stop(project, {}, {}, sessionId(2))
    expect(saidIn(await talking.ask(tool('memory_status'))).text).toContain('2 sessions')
    expect(saidIn(await talking.ask(tool('search_memory', { query: 'question 8' }))).text).toContain('L1:00000002#0')
    await talking.end()
  })

  it('find another memory when the project has another one', async () => {
    const project = rememberingProject()
    const talking = converse(project)
    await talking.ask(initialize)
    expect(saidIn(await talking.ask(tool('search_memory', { query: 'question' }))).text).toContain('L1:00000001#0')

    fs.rmSync(project.memory, { recursive: true })
    expect(saidIn(await talking.ask(tool('search_memory', { query: 'question' }))).text).toContain('Nothing')
    append(project.transcriptOf(sessionId(3)), turn(linesFor(sessionId(3), project.root), 0))
    stop(project, {}, {}, sessionId(3))
    expect(saidIn(await talking.ask(tool('search_memory', { query: 'question' }))).text).toContain('L1:00000003#0')
    await talking.end()
  })
})

describe('its builder', () => {
  it('makes the index in a process of its own, and the server finds with it', async () => {
    const project = rememberingProject()
    const builder = path.join(path.dirname(MCP), 'keeper.cjs')
    const cache = path.join(project.home, '.cache', 'memory-keeper', 'index')
    fs.rmSync(cache, { recursive: true, force: true })

    expect(runNode([builder, 'index', project.root], project.base, envOf(project))).toEqual({
      out: '',
      err: '',
      code: 0,
    })
    const files = fs.readdirSync(cache, { recursive: true, encoding: 'utf8' })
    expect(files.filter((name) => name.endsWith('manifest.json'))).toHaveLength(1)
    const { answers } = await talk(project, [initialize, tool('search_memory', { query: 'question' })])
    expect(saidIn(answers[1]).text).toContain('L1:00000001#0')
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

describe('save_memory', () => {
  it('refuses an untrue note with what is wrong in it, and keeps the corrected one, once', async () => {
    const project = await owingProject()
    const save = tool('save_memory', { delta: DELTA, note: TRUE_NOTE })
    const { answers } = await talk(project, [
      initialize,
      tool('save_memory', { delta: DELTA, note: FALSE_NOTE }),
      save,
      save,
      tool('save_memory', { note: TRUE_NOTE }),
    ])

    expect(saidIn(answers[1])).toMatchObject({ isError: true, text: expect.stringContaining('src/never-there.ts') })
    expect(saidIn(answers[2])).toEqual({ isError: false, text: `Saved as n-${DELTA}.` })
    expect(saidIn(answers[3])).toMatchObject({ isError: true, text: expect.stringContaining('already') })
    expect(answers[4].error ?? answers[4].result.isError).toBeTruthy()
    expect(notesIn(memoryOf(project))).toMatchObject([{ from: 0, to: 9, author: 'agent', text: TRUE_NOTE }])
  })

  it('ends after the second refusal: code writes the note, and the model is told to stop', async () => {
    const project = await owingProject()
    const save = tool('save_memory', { delta: DELTA, note: FALSE_NOTE })
    const { answers } = await talk(project, [initialize, save, save])

    expect(saidIn(answers[2])).toMatchObject({ isError: false, text: expect.stringContaining('you are done') })
    expect(notesIn(memoryOf(project))).toMatchObject([{ author: 'extractive' }])
  })

  it('refuses what is not open, and arguments that are none', async () => {
    const project = await owingProject()
    const before = treeOf(project.memory)
    const { answers } = await talk(project, [
      initialize,
      tool('save_memory', { delta: '00000001-0-8', note: TRUE_NOTE }),
      tool('save_memory', { delta: '../../x', note: TRUE_NOTE }),
      tool('save_memory', { note: TRUE_NOTE }),
    ])

    expect(saidIn(answers[1])).toMatchObject({ isError: true, text: expect.stringContaining('00000001-0-8') })
    expect(saidIn(answers[2]).isError).toBe(true)
    expect(answers[3].error ?? answers[3].result.isError).toBeTruthy()
    expect(treeOf(project.memory)).toEqual(before)
  })
})

describe('the tools of 0.6', () => {
  it('are not listed and answer by save_memory', async () => {
    const project = await owingProject()
    const { answers } = await talk(project, [
      initialize,
      tool('check_facts', { piece: '00000001-0-8' }),
      tool('save_facts', { piece: '00000001-0-8', facts: [] }),
      tool('save_note', { delta: DELTA, note: TRUE_NOTE }),
      tool('save_notes', { delta: DELTA, note: TRUE_NOTE }),
    ])

    expect(TOOL_NAMES).not.toContain('save_note')
    for (const answer of answers.slice(1, 3)) expect(saidIn(answer).text).toContain('does not wait for facts')
    expect(saidIn(answers[3])).toEqual({ isError: false, text: `Saved as n-${DELTA}.` })
    expect(answers[4].error ?? answers[4].result.isError).toBeTruthy()
  })
})

describe('save_summary', () => {
  const summary = {
    themes: [{ name: 'Parser', summary: 'It accepts empty lines.' }],
    keyDecisions: [],
    issues: [],
    overallSummary: 'The parser accepts empty lines now.',
  }

  it('refuses one that names what never occurred, and keeps a true one', async () => {
    const project = await owingProject()
    const invented = { ...summary, overallSummary: 'All of it is in `src/never-there.ts`.' }
    const { answers } = await talk(project, [
      initialize,
      tool('save_summary', { archive: ARCHIVE, ...invented }),
      tool('save_summary', { archive: '../memory.md', ...summary }),
      tool('save_summary', { archive: ARCHIVE, ...summary }),
    ])
    const file = ARCHIVE.replace('.md', '.summary.json')

    expect(saidIn(answers[1])).toMatchObject({ isError: true, text: expect.stringContaining('src/never-there.ts') })
    expect(saidIn(answers[2]).isError).toBe(true)
    expect(saidIn(answers[3])).toEqual({ isError: false, text: `Saved as ${file}.` })
    expect(JSON.parse(fs.readFileSync(path.join(project.memory, file), 'utf8'))).toMatchObject(summary)
    expect(readStateIn(project.memory).rotatedFiles).toMatchObject([{ summaryGenerated: true }])
  })
})
