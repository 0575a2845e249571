/** The MCP server as the host talks to it: lines of JSON-RPC on its standard streams. */
import { describe, expect, it } from 'vitest'
import { envOf, type Json, MCP, type Ran, runHook, runNode, start } from '../support/process.ts'
import { append, linesFor, makeProject, sessionId, type TestProject, treeOf, turn, turns } from '../support/project.ts'

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
    ])
    for (const one of answers[1].result.tools) expect(one.annotations).toMatchObject({ readOnlyHint: true })
    expect(ran).toMatchObject({ code: 0, err: '' })
  })

  it('answers the newer greeting as well', () => {
    const { answers } = talk(rememberingProject(), [modern('server/discover'), modern('tools/list')])

    expect(answers[0].result.supportedVersions).toContain(NEW)
    expect(answers[1].result.tools).toHaveLength(2)
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
