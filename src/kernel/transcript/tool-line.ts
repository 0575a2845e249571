/** One line per tool use: its most important argument, and its output if that is informative. */
import { cut } from '../text/shorten.ts'
import type { TaskItem, TaskState } from './session.ts'

/** Tools whose result is a file's content or a listing: the project has it, so that it is not copied. */
const SILENT = new Set(
  'Read Write Edit MultiEdit NotebookEdit NotebookRead Glob Grep LS TodoWrite TodoRead TaskCreate TaskUpdate TaskList TaskGet ToolSearch Skill EnterPlanMode ExitPlanMode AskUserQuestion EnterWorktree ExitWorktree LSP'.split(
    ' ',
  ),
)
/** For all other tools: arguments in the order of their usefulness. */
const TELLING =
  'command file_path notebook_path path pattern query url skill subject description prompt message name id task_id shell_id bash_id'.split(
    ' ',
  )
const MAX_ARGUMENT = 200
/** For a subagent's task: its description and the beginning of its prompt are kept. */
const MAX_TASK = 120
/** One sentence of a file tool's error is enough. */
const FILE_ERROR = 120
/** Shell commands that only show files, listings or the repository: a little of their output is enough. */
const LOOKING =
  /^(?:cat|bat|head|tail|less|more|nl|sed -n|awk|grep|egrep|fgrep|rg|ag|ls|ll|find|fd|tree|wc|sort|uniq|cut|tr|column|jq|yq|file|stat|du|df|xxd|od|git(?: -C \S+)? (?:diff|show|log|status|blame|grep|ls-files|ls-tree|cat-file|branch|remote|stash list|reflog)|gh \S+ (?:diff|view|list|checks))(?:\s|$)/
/** Commands that do not change what the command line shows. */
const NEUTRAL = /^(?:cd|pwd|echo|printf|true|:|test|\[|export|set|source|\.)(?:\s|$)|^$/
/** How much of such an output is kept. */
const GLANCE = 80
const OUR_TOOLS = /^mcp__plugin_memory-keeper_/
/** Matches calls, not mentions: a project's directory may have that name. Bounded, because a command may contain a whole file. */
const OUR_COMMAND =
  /(?:^|[;&|\n(])[^\S\n]{0,80}(?:\w{1,80}=\S{0,200}\s{1,80}){0,8}(?:npx\s{1,80})?(?:"[^"\n]{0,400}[/\\]|'[^'\n]{0,400}[/\\]|[^\s"';&|]{0,400}[/\\]|["'])?memory-keeper(?:\.cmd)?["']?(?:\s|$)/

/** `base`: the launch directory of the session. Paths below it are stored relative to it. */
export function commandOf(name: string, input: Readonly<Record<string, unknown>>, base: string): string {
  const get = (key: string): string => (typeof input[key] === 'string' ? relativeTo(base, input[key] as string) : '')
  switch (name) {
    case 'Bash':
    case 'PowerShell':
      return typeof input.command === 'string' ? input.command : ''
    case 'Grep':
    case 'Glob':
      return join([get('pattern'), get('path'), get('glob')])
    case 'Agent':
    case 'Task':
      return join([bracket(get('subagent_type')), get('description'), cut(get('prompt'), MAX_TASK)])
    case 'Skill':
      return join([get('skill') || get('command'), get('args')])
    case 'WebFetch':
      return get('url')
    case 'TodoWrite':
      return todos(input.todos)
    case 'ExitPlanMode':
      return get('plan')
    case 'AskUserQuestion':
      return questions(input.questions)
    case 'SendMessage':
      return join([get('to') || get('recipient'), cut(get('message') || get('content'), MAX_ARGUMENT)])
    case 'ReadMcpResourceTool':
    case 'ListMcpResourcesTool':
      return join([get('server'), get('uri')])
    case 'TaskUpdate':
      return join([get('taskId'), get('status'), get('subject')])
    default:
      return relativeTo(base, anyArgument(name, input))
  }
}

const TASK_STATES: ReadonlySet<unknown> = new Set(['pending', 'in_progress', 'completed', 'deleted'])

/** The tasks named in a call; undefined: the tool keeps no list of tasks. */
export function itemsOf(name: string, input: Readonly<Record<string, unknown>>): TaskItem[] | undefined {
  if (name === 'TodoWrite') return Array.isArray(input.todos) ? input.todos.flatMap(todoItem) : undefined
  if (name !== 'TaskCreate' && name !== 'TaskUpdate') return undefined
  const { taskId, subject, status } = input
  const text = typeof subject === 'string' ? { text: subject } : {}
  if (name === 'TaskCreate') return [{ state: 'pending', ...text }]
  return [{ ...(typeof taskId === 'string' ? { id: taskId } : {}), ...stateOf(status), ...text }]
}

function todoItem(todo: unknown): TaskItem[] {
  const { content, status } = (todo ?? {}) as Record<string, unknown>
  return typeof content === 'string' ? [{ state: stateOf(status).state ?? 'pending', text: content }] : []
}

function stateOf(status: unknown): { state?: TaskState } {
  return TASK_STATES.has(status) ? { state: status as TaskState } : {}
}

export function errorWorth(name: string, max: number): number {
  return SILENT.has(name) ? Math.min(FILE_ERROR, max) : max
}

/** Whether a failure of this tool says more than one sentence: then both ends of it are kept. */
export function isTellingFailure(name: string): boolean {
  return !SILENT.has(name)
}

/** How many characters of a successful tool's output to keep. None of our own tools: the memory must not store its own output. */
export function outputWorth(name: string, command: string, max: number): number {
  if (SILENT.has(name) || isOurTool(name, command)) return 0
  return isShell(name) && isLooking(command) ? Math.min(GLANCE, max) : max
}

export function isOurTool(name: string, command: string): boolean {
  const isOurServer = name.endsWith('McpResourceTool') && command.startsWith('plugin:memory-keeper:')
  return OUR_TOOLS.test(name) || isOurServer || (isShell(name) && isOurCommand(command))
}

/** The pattern is slow on long commands, and few commands contain the name at all. */
function isOurCommand(command: string): boolean {
  return command.includes('memory-keeper') && OUR_COMMAND.test(command)
}

export function isShell(name: string): boolean {
  return name === 'Bash' || name === 'PowerShell'
}

function isLooking(command: string): boolean {
  if (command.length > 2000) return false
  const parts = command.split(/&&|\|\||[;|\n]/).map((part) => part.trim().replace(/^(?:[A-Z_]+=\S*\s+)+/, ''))
  return parts.some((part) => LOOKING.test(part)) && parts.every((part) => LOOKING.test(part) || NEUTRAL.test(part))
}

/** The host's frame around a subagent's report; it would use up the whole limit. A line ends for `^` where it ends for the rest. */
const SUBAGENT_FRAME =
  /^[ \t]*(<tools-used-before-summary>)|^\[Subagent hand-back\][^\n]*|^agentId: \w+ \((?:use SendMessage|for resuming) [\s\S]*$/gm
const TOOLS_USED_END = '</tools-used-before-summary>'

/** Messages of the host in place of an output, about the host only. */
const HOST_TALK =
  /^\(Bash completed with no output\)$|^Sibling tool call errored$|^Shell cwd was reset to .*$|^(?:Async agent launched|Spawned) successfully\. \([\s\S]*$|^Command running in background with ID: .*$|^Output too large \([^)\n]{0,99}\)\. Full output saved to: .*$|^Preview \(first [^)\n]{0,99}\):$/gm

/** The output as a person would read it, without colours and without the host's reminders and wrappers. */
export function plainOutput(text: string): string {
  return tidyOutput(unwrappedOutput(text))
}

export function unwrappedOutput(text: string): string {
  let plain = text
  if (plain.includes('<')) {
    plain = withoutFrame(
      plain
        .replace(/<system-reminder>[\s\S]*?(?:<\/system-reminder>|$)/g, '')
        .replace(/<\/?(?:tool_use_error|persisted-output)>/g, ''),
    )
  }
  if (plain.includes('\u001b')) plain = plain.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '')
  return plain.replace(HOST_TALK, '')
}

export function tidyOutput(text: string): string {
  return text
    .replace(/[ \t]{2,}/g, ' ')
    .replace(/[ \t]?[\r\n]\s*/g, '\n')
    .trim()
}

/** In one pass: a pattern would search for the end of each unclosed tag. */
function withoutFrame(text: string): string {
  const last = text.lastIndexOf(TOOLS_USED_END)
  const frame = new RegExp(SUBAGENT_FRAME)
  let [plain, done] = ['', 0]
  for (let match = frame.exec(text); match !== null; match = frame.exec(text)) {
    const isBlock = match[1] !== undefined
    if (isBlock && last < frame.lastIndex) continue
    if (isBlock) frame.lastIndex = text.indexOf(TOOLS_USED_END, frame.lastIndex) + TOOLS_USED_END.length
    plain += text.slice(done, match.index)
    done = frame.lastIndex
  }
  return plain + text.slice(done)
}

function anyArgument(name: string, input: Readonly<Record<string, unknown>>): string {
  if (!name.startsWith('mcp__')) {
    for (const key of TELLING) {
      const value = input[key]
      if (typeof value === 'string' && value !== '') return cut(value, MAX_ARGUMENT)
    }
  }
  const text = unescapeBreaks(stringify(input))
  return text === '{}' ? '' : cut(text, MAX_ARGUMENT)
}

/** Input nested too deeply for the engine is not informative anyway. */
function stringify(input: object): string {
  try {
    return JSON.stringify(input)
  } catch {
    return '{}'
  }
}

/** Restores line breaks and colours: escaped, they would hide where a secret begins and ends. */
function unescapeBreaks(json: string): string {
  const plain: Record<string, string> = { '\\n': '\n', '\\r': '\r', '\\t': '\t', '\\u001b': '\u001b' }
  return json.replace(/\\(?:u001b|.)/g, (mark) => plain[mark] ?? mark)
}

function relativeTo(base: string, path: string): string {
  if (base.length < 2 || !path.startsWith(base)) return path
  const next = path[base.length]
  return next === '/' || next === '\\' ? path.slice(base.length + 1) : next === undefined ? '.' : path
}

function todos(value: unknown): string {
  if (!Array.isArray(value)) return ''
  const items = value as { status?: unknown; content?: unknown; activeForm?: unknown }[]
  const done = items.filter((item) => item?.status === 'completed').length
  const current = items.find((item) => item?.status === 'in_progress')
  return join(
    [`${done}/${items.length} done`, current ? `now: ${String(current.content ?? current.activeForm)}` : ''],
    '; ',
  )
}

function questions(value: unknown): string {
  if (!Array.isArray(value)) return ''
  return value.map((item: { question?: unknown } | null) => String(item?.question ?? '')).join(' | ')
}

function bracket(text: string): string {
  return text === '' ? '' : `[${text}]`
}

function join(parts: readonly string[], by = ' '): string {
  return parts.filter((part) => part !== '').join(by)
}
