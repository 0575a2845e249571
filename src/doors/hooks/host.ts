/** Claude Code's hook JSON: parses its input, and formats our replies. */

interface Base {
  session: string
  transcript: string
  cwd: string
}

export type HookEvent =
  | ({ name: 'SessionStart'; source: string } & Base)
  | ({ name: 'UserPromptSubmit'; prompt: string; isMachine: boolean; mode: string } & Base)
  /** A skill of ours that a person typed, before it becomes a prompt. `isOurs`: the host expands the plugin's own, as a slash command. */
  | ({ name: 'UserPromptExpansion'; skill: string; words: string; isOurs: boolean } & Base)
  | ({ name: 'Stop'; answer: string; alreadyBlocked: boolean; mode: string } & Base)
  | ({ name: 'PreCompact'; trigger: string } & Base)
  | ({ name: 'SubagentStop'; agent: string } & Base)
  | ({ name: 'SessionEnd'; reason: string } & Base)
  | ({
      name: 'PreToolUse' | 'PermissionRequest'
      tool: string
      input: Record<string, unknown>
      agentType: string
    } & Base)
  | ({ name: 'PostToolUse'; tool: string } & Base)
  /** `command`: empty: another tool than the shell. */
  | ({ name: 'PostToolUseFailure'; command: string; error: string } & Base)

export type Reply =
  | { say: 'nothing' }
  /** A line for the user, none for the model. */
  | { say: 'notice'; text: string }
  /** Text for the model, optionally with a line for the user. */
  | { say: 'context'; text: string; notice: string | null }
  /** Text for the summariser before a compaction. */
  | { say: 'guidance'; text: string }
  /** The turn continues: the text names the pending work. */
  | { say: 'block'; text: string }
  /** Lets one of our own tools run without a question. */
  | { say: 'allow' }
  | { say: 'deny'; text: string }

export const NOTHING: Reply = { say: 'nothing' }

const MACHINE_PROMPT =
  /^\s*<(?:task-notification|agent-notification|agent-message|teammate-message|local-command-stdout)\b/

/** As typed; the words of the skill follow it. */
const OUR_SKILL = /^\/memory-keeper:([\w-]+)(?![^\s])/

/** A typed skill of ours, which is not a question to Claude; null: not a skill. */
export function skillIn(prompt: string): { skill: string; words: string } | null {
  const [line, skill] = OUR_SKILL.exec(prompt) ?? []
  return line === undefined || skill === undefined ? null : { skill, words: prompt.slice(line.length) }
}

/** Null: not one of our events, or not for us. Unknown fields are ignored; missing ones never fail. */
export function parseHookEvent(stdin: string): HookEvent | null {
  let raw: Record<string, unknown>
  try {
    raw = JSON.parse(stdin) as Record<string, unknown>
  } catch {
    return null
  }
  if (typeof raw !== 'object' || raw === null) return null
  const get = (key: string): string => (typeof raw[key] === 'string' ? (raw[key] as string) : '')
  const base: Base = { session: get('session_id'), transcript: get('transcript_path'), cwd: get('cwd') }
  const name = get('hook_event_name')
  // Events inside a subagent are ignored, except for its end and the use of our own tools.
  if (get('agent_id') !== '' && !['SubagentStop', 'PreToolUse', 'PermissionRequest'].includes(name)) return null
  if (get('agent_id') !== '' && isAgentTool(get('tool_name'))) return null
  switch (name) {
    case 'SessionStart':
      return { name, source: get('source'), ...base }
    case 'UserPromptSubmit':
      return {
        name,
        prompt: get('prompt'),
        isMachine: MACHINE_PROMPT.test(get('prompt')),
        mode: get('permission_mode'),
        ...base,
      }
    case 'UserPromptExpansion': {
      const skill = OUR_SKILL.exec(`/${get('command_name')}`)?.[1]
      const isOurs = get('command_source') === 'plugin' && get('expansion_type') === 'slash_command'
      return skill === undefined ? null : { name, skill, words: get('command_args'), isOurs, ...base }
    }
    case 'Stop':
      return {
        name,
        answer: get('last_assistant_message'),
        alreadyBlocked: raw.stop_hook_active === true,
        mode: get('permission_mode'),
        ...base,
      }
    case 'PreCompact':
      return { name, trigger: get('trigger'), ...base }
    case 'SubagentStop':
      return { name, agent: get('agent_id'), ...base }
    case 'SessionEnd':
      return { name, reason: get('reason'), ...base }
    case 'PreToolUse':
    case 'PermissionRequest':
      return { name, tool: get('tool_name'), input: recordOf(raw.tool_input), agentType: get('agent_type'), ...base }
    case 'PostToolUse':
      return { name, tool: get('tool_name'), ...base }
    case 'PostToolUseFailure': {
      const { command } = recordOf(raw.tool_input)
      const isShell = get('tool_name') === 'Bash' && typeof command === 'string'
      // The user stopped it: it did not fail.
      if (raw.is_interrupt === true) return null
      return { name, command: isShell ? command : '', error: get('error'), ...base }
    }
    default:
      return null
  }
}

/** Hosts call it `Agent`; `Task` is its older name. */
function isAgentTool(tool: string): boolean {
  return tool === 'Agent' || tool === 'Task'
}

/** What Claude is about to give an agent to do. Null: no agent is started. */
export function taskOfAgent(event: HookEvent): string | null {
  if (event.name !== 'PreToolUse' || !isAgentTool(event.tool)) return null
  const { prompt } = event.input
  return typeof prompt === 'string' ? prompt : ''
}

/** The running server may answer it. */
export function isForServer(event: HookEvent): boolean {
  return ['UserPromptSubmit', 'Stop', 'PostToolUseFailure'].includes(event.name) || taskOfAgent(event) !== null
}

/** Empty: print nothing. */
export function formatReply(event: HookEvent, reply: Reply): string {
  switch (reply.say) {
    case 'nothing':
      return ''
    case 'notice':
      return JSON.stringify({ systemMessage: reply.text })
    case 'context':
      return JSON.stringify({
        ...(reply.notice === null ? {} : { systemMessage: reply.notice }),
        hookSpecificOutput: { hookEventName: event.name, additionalContext: reply.text },
      })
    case 'guidance':
      return reply.text
    case 'block':
      return JSON.stringify({ decision: 'block', reason: reply.text, ...withoutPrompt(event.name) })
    case 'deny':
      return JSON.stringify({ hookSpecificOutput: { hookEventName: event.name, ...refusal(event.name, reply.text) } })
    case 'allow':
      return JSON.stringify({ hookSpecificOutput: { hookEventName: event.name, ...permission(event.name) } })
  }
}

/** The answer to a skill is shown alone: otherwise the host would repeat the typed text below it. */
function withoutPrompt(event: string): object {
  const isAnswer = event === 'UserPromptExpansion' || event === 'UserPromptSubmit'
  return isAnswer ? { hookSpecificOutput: { hookEventName: event, suppressOriginalPrompt: true } } : {}
}

function permission(event: string): object {
  return event === 'PermissionRequest'
    ? { decision: { behavior: 'allow' } }
    : { permissionDecision: 'allow', permissionDecisionReason: 'Memory Keeper and its own memory' }
}

function refusal(event: string, text: string): object {
  return event === 'PermissionRequest'
    ? { decision: { behavior: 'deny', message: text } }
    : { permissionDecision: 'deny', permissionDecisionReason: text }
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
