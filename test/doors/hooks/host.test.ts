/** The host's hook JSON: what is understood of it, and the forms that go back. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatReply, type HookEvent, parseHookEvent, type Reply } from '../../../src/doors/hooks/host.ts'
import { decide } from '../../../src/doors/hooks/plan.ts'

const EVENTS = [
  ...['SessionStart', 'UserPromptSubmit', 'Stop', 'PreCompact', 'SubagentStop', 'SessionEnd', 'PreToolUse'],
  ...['PermissionRequest', 'PostToolUse', 'PostToolUseFailure'],
]

function parse(raw: object): HookEvent | null {
  return parseHookEvent(JSON.stringify(raw))
}

describe('an event', () => {
  it.each(EVENTS)('%s is known, whatever is missing in it', (name) => {
    expect(parse({ hook_event_name: name })).toMatchObject({ name, session: '', transcript: '', cwd: '' })
  })

  it('of a person is told from one of a machine by how it begins', () => {
    const isMachine = (prompt: string): boolean | undefined => {
      const event = parse({ hook_event_name: 'UserPromptSubmit', prompt })
      return event?.name === 'UserPromptSubmit' ? event.isMachine : undefined
    }

    expect(isMachine('<task-notification>\n<task-id>b</task-id>')).toBe(true)
    expect(isMachine('\n <teammate-message teammate_id="x">')).toBe(true)
    expect(isMachine('what is a <task-notification>?')).toBe(false)
    expect(isMachine('<task-notifications> is my own tag')).toBe(false)
    expect(isMachine('')).toBe(false)
  })

  it('counts as held back only when the host says so in so many words', () => {
    const held = (value: unknown): unknown => {
      const event = parse({ hook_event_name: 'Stop', stop_hook_active: value })
      return event?.name === 'Stop' ? event.alreadyBlocked : undefined
    }

    expect([true, false, 'true', 1, undefined].map(held)).toEqual([true, false, false, false, false])
  })

  it.each(EVENTS)('%s inside a subagent concerns us only at its end, and for our own tools', (name) => {
    const isOurs = ['SubagentStop', 'PreToolUse', 'PermissionRequest'].includes(name)

    expect(parse({ hook_event_name: name, agent_id: 'a1' }) !== null).toBe(isOurs)
  })

  it('of an agent inside an agent does not concern us, nor does a failure that the user interrupted', () => {
    const launch = { hook_event_name: 'PreToolUse', tool_name: 'Agent', tool_input: { prompt: 'Look.' } }

    expect(parse(launch)).toMatchObject({ tool: 'Agent' })
    expect(parse({ ...launch, agent_id: 'a1' })).toBeNull()
    expect(parse({ hook_event_name: 'PostToolUseFailure', is_interrupt: true })).toBeNull()
  })

  it('is never an error, whatever the host sends', () => {
    const field = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.array(fc.string()), fc.object())
    const payload = fc.dictionary(
      fc.constantFrom(...'session_id transcript_path cwd prompt source tool_name tool_input agent_id'.split(' ')),
      field,
    )
    fc.assert(
      fc.property(payload, fc.constantFrom(...EVENTS, 'Unknown', ''), (fields, name) => {
        const event = parse({ ...fields, hook_event_name: name })
        if (event === null) return
        expect(typeof event.session).toBe('string')
        expect(decide(event).finisher).toMatch(/^(?:first|ifBehind|never)$/)
      }),
    )
    for (const text of ['[1,2]', 'null', '7']) expect(parseHookEvent(text)).toBeNull()
    fc.assert(
      fc.property(fc.string(), (text) => {
        parseHookEvent(text)
      }),
    )
  })
})

describe('a reply', () => {
  const stop = parse({ hook_event_name: 'Stop' }) as HookEvent
  const before = parse({ hook_event_name: 'PreToolUse' }) as HookEvent
  const asked = parse({ hook_event_name: 'PermissionRequest' }) as HookEvent
  const said = (event: HookEvent, reply: Reply): unknown => JSON.parse(formatReply(event, reply))

  it('goes to nobody, to the user, to the model, or to both; to a compaction as plain text', () => {
    const hookSpecificOutput = { hookEventName: 'Stop', additionalContext: 'hi' }

    expect(formatReply(stop, { say: 'nothing' })).toBe('')
    expect(said(stop, { say: 'notice', text: 'hi' })).toEqual({ systemMessage: 'hi' })
    expect(said(stop, { say: 'context', text: 'hi', notice: null })).toEqual({ hookSpecificOutput })
    expect(said(stop, { say: 'context', text: 'hi', notice: 'ho' })).toEqual({
      systemMessage: 'ho',
      hookSpecificOutput,
    })
    expect(said(stop, { say: 'block', text: 'first this' })).toEqual({ decision: 'block', reason: 'first this' })
    expect(formatReply(stop, { say: 'guidance', text: 'Keep "this".' })).toBe('Keep "this".')
  })

  it('about a tool has the form of its event', () => {
    expect(said(before, { say: 'deny', text: 'no' })).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'no',
      },
    })
    expect(said(asked, { say: 'deny', text: 'no' })).toEqual({
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny', message: 'no' } },
    })
    expect(said(before, { say: 'allow' })).toMatchObject({ hookSpecificOutput: { permissionDecision: 'allow' } })
  })
})
