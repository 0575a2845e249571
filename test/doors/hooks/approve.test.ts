/** Which of our own tools run without a question. */

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { handOut } from '../../../src/core/notes/disk/handout.ts'
import { TOOL_NAMES, TOOLS } from '../../../src/core/tools.ts'
import { stateEffect } from '../../../src/kernel/memory/disk/store.ts'
import { withSummary } from '../../../src/kernel/memory/work.ts'
import { PIECE_TOKENS } from '../../../src/kernel/sessions/delta.ts'
import { decide } from '../../support/decided.ts'
import { locked } from '../../support/notes.ts'
import { type Json, runHook } from '../../support/process.ts'
import { makeProject, NOW, quietProject, sessionId, storeOf, type TestProject, treeOf } from '../../support/project.ts'
import { hookHere, OWED, owing, saveOwed, work } from '../../support/world.ts'

const SESSION = sessionId(1)
const OURS = 'mcp__plugin_memory-keeper_memory__'
const ARCHIVE = 'memory_20260113_080000.md'

function ask(project: TestProject, event: string, tool: string, input: unknown = {}, more: object = {}): string {
  const payload = { hook_event_name: event, session_id: SESSION, tool_name: tool, tool_input: input, ...more }
  return hookHere(project, payload).out
}

/** What both events answer, in one word; they must agree. */
function verdict(project: TestProject, tool: string, input: unknown = {}, more: object = {}): string {
  const before: Json = JSON.parse(ask(project, 'PreToolUse', OURS + tool, input, more) || '{}')
  const request: Json = JSON.parse(ask(project, 'PermissionRequest', OURS + tool, input, more) || '{}')
  const said = [before.hookSpecificOutput?.permissionDecision, request.hookSpecificOutput?.decision?.behavior]
  expect(said[0]).toBe(said[1])
  return said[0] ?? 'nothing'
}

function rotated(): TestProject {
  const project = quietProject()
  work(project, 0, 1)
  const store = storeOf(project)
  const rotatedFile = { file: ARCHIVE, rotatedAt: NOW, tokenCount: 1, summary: 'x', summaryGenerated: false }
  const done = { ...rotatedFile, file: 'memory_20260112_080000.md', summaryGenerated: true }
  store.perform([stateEffect(withSummary({ ...store.readState(), rotatedFiles: [done, rotatedFile] }, ARCHIVE, false))])
  return project
}

describe('reading a file', () => {
  const agent = { agent_id: 'a1', agent_type: 'memory-keeper:memory-keeper' }
  const read = (project: TestProject, file: string, who: object = agent): string =>
    JSON.parse(ask(project, 'PreToolUse', 'Read', { file_path: file }, who) || '{}').hookSpecificOutput
      ?.permissionDecision ?? 'nothing'

  it('is allowed to our own agents, for what they are to summarise and nothing else', async () => {
    const project = await owing()
    const delta = path.join(project.memory, 'delta_temp.txt')

    expect(read(project, delta)).toBe('allow')
    expect(read(project, delta, {})).toBe('nothing')
    expect(read(project, delta, { agent_id: 'a1', agent_type: 'someone:else' })).toBe('nothing')
    expect(read(project, path.join(project.memory, 'memory-index.json'))).toBe('nothing')
    expect(read(project, path.join(project.root, 'delta_temp.txt'))).toBe('nothing')
  })

  it('is not allowed through a link in the place of it', async () => {
    const project = await owing()
    const [delta, key] = [path.join(project.memory, 'delta_temp.txt'), path.join(project.home, 'key')]
    fs.writeFileSync(key, 'secret')
    fs.rmSync(delta)
    fs.symlinkSync(key, delta)

    expect([read(project, key), read(project, delta)]).toEqual(['nothing', 'nothing'])
  })
})

describe('a tool that reads', () => {
  it.each(TOOL_NAMES.filter((name) => TOOLS[name].does === 'reads'))(
    '%s is allowed in the form that each event wants',
    (tool) => {
      const project = makeProject()

      expect(JSON.parse(ask(project, 'PreToolUse', OURS + tool))).toEqual({
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'allow',
          permissionDecisionReason: expect.any(String),
        },
      })
      expect(JSON.parse(ask(project, 'PermissionRequest', OURS + tool))).toEqual({
        hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
      })
    },
  )

  it('is allowed inside a subagent and in plan mode', () => {
    expect(verdict(makeProject(), 'get_memory', { id: 'x' }, { agent_id: 'a1', permission_mode: 'plan' })).toBe('allow')
  })
})

describe('save_memory', () => {
  it('is allowed for a delta that waits, inside a subagent and in plan mode too', async () => {
    const project = await owing()

    expect(verdict(project, 'save_memory', { delta: OWED, note: 'x' })).toBe('allow')
    expect(verdict(project, 'save_memory', { delta: ` ${OWED}\n`, note: 'x' })).toBe('allow')
    expect(verdict(project, 'save_memory', { delta: OWED }, { agent_id: 'a1', permission_mode: 'plan' })).toBe('allow')
  })

  it.each([
    ['another range', { delta: '00000001-0-7' }],
    ['another session', { delta: '00000002-0-6' }],
    ['nothing', {}],
    ['no text', { delta: 5 }],
    ['an empty name', { delta: '' }],
    ['a list', { delta: [OWED, OWED] }],
  ])('is refused for %s, with a reason', async (_, input) => {
    const project = await owing()

    expect(verdict(project, 'save_memory', input)).toBe('deny')
    for (const event of ['PreToolUse', 'PermissionRequest'])
      expect(ask(project, event, `${OURS}save_memory`, input)).toContain('no delta that waits')
  })

  it('is refused once the note is saved', async () => {
    const project = await owing()
    saveOwed(project)

    expect(verdict(project, 'save_memory', { delta: OWED, note: 'x' })).toBe('deny')
  })

  it('is refused where nothing is remembered, and leaves no file', () => {
    const project = makeProject()
    const before = treeOf(project.base)

    expect(verdict(project, 'save_memory', { delta: OWED })).toBe('deny')
    expect(treeOf(project.base)).toEqual(before)
  })
})

describe('save_summary', () => {
  it('is allowed for an archive that waits', () => {
    expect(verdict(rotated(), 'save_summary', { archive: ARCHIVE })).toBe('allow')
  })

  it.each(['memory_20260112_080000.md', 'memory_20260111_080000.md', '../memory.md', '', 'memory.md'])(
    'is refused for %j',
    (archive) => {
      expect(verdict(rotated(), 'save_summary', { archive })).toBe('deny')
    },
  )
})

describe('the tools for facts', () => {
  function mining(): TestProject {
    const project = quietProject({ summarizer: 'agent' })
    const store = storeOf(project)
    decide(store, project)
    locked(store, () => handOut(store, 'agent', PIECE_TOKENS.agent, NOW))
    return project
  }

  it.each([
    ['save_memory', 'delta'],
    ['save_note', 'delta'],
    ['check_facts', 'piece'],
    ['save_facts', 'piece'],
  ])('%s is allowed for a piece that waits, and refused for any other', (tool, field) => {
    const project = mining()
    const agent = { agent_id: 'a1', permission_mode: 'plan' }

    expect(verdict(project, tool, { [field]: '00000001-0-7' }, agent)).toBe('allow')
    expect(verdict(project, tool, { [field]: '00000001-0-8' })).toBe('deny')
    expect(verdict(project, tool, { [field]: ['00000001-0-7', 'x'] })).toBe('deny')
    expect(verdict(project, tool, {})).toBe('deny')
  })

  it('propose_rule is allowed to our own agent; anybody else asks the user', () => {
    const project = mining()

    expect(verdict(project, 'propose_rule', {}, { agent_type: 'memory-keeper:memory-keeper' })).toBe('allow')
    expect(verdict(project, 'propose_rule', {}, { agent_type: 'somebody' })).toBe('nothing')
  })
})

describe('anything else', () => {
  it.each([
    `${OURS}other`,
    `${OURS}memory_pages`,
    `${OURS}propose_rule`,
    `${OURS}get_memory2`,
    `${OURS}get_memory\nx`,
    `x${OURS}get_memory`,
    'mcp__evil__memory_status',
    'mcp__plugin_memory-keeper_evil__get_memory',
    'Bash',
    '',
  ])('%j is left to the user', (tool) => {
    const project = makeProject()

    expect(ask(project, 'PreToolUse', tool)).toBe('')
    expect(ask(project, 'PermissionRequest', tool)).toBe('')
  })

  it.each([null, 'text', [1]])('in the input, like %j, harms nothing', (input) => {
    expect(verdict(makeProject(), 'save_memory', input)).toBe('deny')
  })
})

describe('the real program', () => {
  it('answers the same', async () => {
    const project = await owing()
    const payload = {
      hook_event_name: 'PermissionRequest',
      session_id: SESSION,
      tool_name: `${OURS}save_memory`,
      tool_input: { delta: OWED, note: 'x' },
    }

    expect(runHook(project, payload)).toEqual({
      out: ask(project, 'PermissionRequest', `${OURS}save_memory`, { delta: OWED, note: 'x' }),
      err: '',
      code: 0,
    })
    expect(runHook(project, payload, { MEMORY_KEEPER_CHILD: '1' }).out).toBe('')
  })
})

describe('the table of tools', () => {
  it('is what somebody decided for each tool: a tool that saves must not run as one that reads', () => {
    const decided = {
      search_memory: 'reads',
      get_memory: 'reads',
      timeline: 'reads',
      memory_page: 'reads',
      memory_status: 'reads',
      save_memory: 'saves',
      save_summary: 'saves',
      propose_rule: 'proposes',
    }

    expect(Object.fromEntries(TOOL_NAMES.map((name) => [name, TOOLS[name].does]))).toEqual(decided)
  })

  it('decides for each tool of ours: one that reads is allowed, one that saves only for work that waits, one that proposes asks', () => {
    const project = makeProject()
    const expected = { reads: 'allow', saves: 'deny', proposes: 'nothing' }

    for (const name of TOOL_NAMES)
      expect([name, verdict(project, name, {})]).toEqual([name, expected[TOOLS[name].does]])
  })
})
