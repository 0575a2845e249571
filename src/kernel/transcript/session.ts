/** A session on disk: one JSON line per entry. The line's number is the entry's permanent number. */
import { fingerprint } from '../text/fingerprint.ts'
import { cut } from '../text/shorten.ts'
import type { By } from './author.ts'
import { isHostText } from './words.ts'

interface Spoken {
  ts: string
  text: string
}

interface Done {
  ts: string
  name: string
  /** The most important argument: the whole command for Bash, the path for files. */
  cmd: string
  /** Null: the outcome is unknown (still running, interrupted, killed). */
  ok: boolean | null
  /** The user refused it, so that it never ran: `ok` is false, and there is no output. */
  refused?: true
  output?: string
  /** Only the beginning of the output was kept. Where the end was kept, too, a mark stands between them. */
  cut?: true
  /** For tools that keep a list of tasks: the whole list, or the changed task. */
  items?: TaskItem[]
  /** Of an agent: what Claude called its task, and the short id under which the agent's own entries are stored. */
  title?: string
  ran?: string
  /** For a Read of a part of a file: the first line, and how many lines. */
  offset?: number
  limit?: number
}

/** A task on Claude's list. A change contains only the changed fields and the number. */
export interface TaskItem {
  id?: string
  text?: string
  state?: TaskState
}

export type TaskState = 'pending' | 'in_progress' | 'completed' | 'deleted'

interface Written {
  /** The author, by the host's marks (`author.ts`). Missing in sessions of versions before 0.6: then it is unknown. */
  by?: By
  /** The entry may still change: the next capture writes it again, and it has no stable number yet. */
  open?: true
  /** The git branch, if it differs from that of the entry before. */
  branch?: string
  /** The host's name for the plan at hand, if it differs from that of the entry before. One may cover several plans. */
  slug?: string
  /**
   * The name of the working tree, if it differs from that of the entry before. A session begins in that of its launch directory,
   * which is named only when the session returns to it.
   */
  tree?: string
}

export type Entry =
  /**
   * `via`: the tool whose result contained the words (a comment on a refusal, an answer), `queue`: a queued prompt
   * whose own line never came, `plan`: see `plan`, `interrupt`: the host's mark that the user interrupted Claude, `host`: another
   * text of the host's own. `sent`: a program sent it (`claude -p`, an SDK), or the transcript is not the
   * host's own; without the mark a person typed it. `plan`: the host continues in a new context with a plan that Claude wrote and
   * the user approved; nobody typed it.
   */
  | ({ role: 'user'; via?: string; sent?: true; plan?: true } & Spoken & Written)
  | ({ role: 'assistant' } & Spoken & Written)
  /** A message of a teammate, another session, a channel or another sender that is not the user. */
  | ({ role: 'teammate'; from: string } & Spoken & Written)
  | ({ role: 'summary' } & Spoken & Written)
  | ({ role: 'tool' } & Done & Written)
  /** `report`: the host delivered it when an agent in the background had finished. */
  | ({ role: 'subagent'; agent: string; report?: true } & Spoken & Written)
  | ({ role: 'subagent'; agent: string } & Done & Written)

/** The remains of a deleted entry: its number, and the key that prevents a later import from restoring it. */
export interface Tombstone {
  role: 'tombstone'
  n: number
  key: string
}

export function formatEntry(entry: Entry | Tombstone): string {
  return `${JSON.stringify(entry)}\n`
}

/** Null if the line is not an entry. */
export function parseEntry(line: string): Entry | Tombstone | null {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return null
  }
  return isEntry(value) ? value : null
}

/** Parses a session file. Lines that are not entries are counted in `bad`; an unfinished last line is ignored. */
export function parseSession(text: string): { entries: (Entry | Tombstone)[]; bad: number } {
  const entries: (Entry | Tombstone)[] = []
  let bad = 0
  for (const line of text.split('\n').slice(0, -1)) {
    const entry = parseEntry(line)
    if (entry === null) bad++
    else entries.push(entry)
  }
  return { entries, bad }
}

/** `L1:<id8>#<n>`, n counting from 0. */
export function entryId(id8: string, n: number): string {
  return `L1:${id8}#${n}`
}

/** Parses the id of a session, an entry, or a range of entries; `to` is the last one, as in `L1:1a2b3c4d#12-56`. */
export function parseEntryId(text: string): { id8: string; n: number | null; to?: number } | null {
  const match = /^(?:L1:)?([0-9a-z]{8})[0-9a-z-]*(?:#(\d+)(?:-(\d+))?)?$/i.exec(text.trim())
  if (!match?.[1]) return null
  const id8 = match[1].toLowerCase()
  if (match[2] === undefined) return { id8, n: null }
  const n = Number(match[2])
  if (match[3] === undefined) return { id8, n }
  return n <= Number(match[3]) ? { id8, n, to: Number(match[3]) } : null
}

/** Identifies an entry when a transcript is read again. Times have milliseconds, so that equal keys mean copies. */
export function entryKey(entry: Entry | Tombstone): string {
  if (entry.role === 'tombstone') return entry.key
  const said = 'text' in entry ? entry.text : `${entry.name} ${planHead(entry)}`
  return fingerprint(`${entry.role}|${entry.ts}|${said}`)
}

/** Versions before 0.6 kept only this much of a plan, and the keys of their entries must not change. */
function planHead({ name, cmd }: Done): string {
  return name === 'ExitPlanMode' ? cut(cmd, 1_000) : cmd
}

/** A call of our own tools or skills: saving a memory is not work to remember. */
export function isOurs(entry: Entry | Tombstone): boolean {
  if (!('name' in entry)) return false
  const { name, cmd } = entry
  return (
    OUR_TOOL.test(name) ||
    (name === 'Skill' && OUR_SKILL.test(cmd)) ||
    (RESOURCE_TOOL.test(name) && OUR_SERVER.test(cmd)) ||
    (name === 'ToolSearch' && cmd.includes('mcp__plugin_memory-keeper_'))
  )
}

/** A command for the host without any words, such as `/clear`. */
export function isBareCommand(prompt: string): boolean {
  return /^\/[\w:-]+$/.test(prompt)
}

/** A person called one of our skills: the answers of that turn repeat the memory. */
export function isOurCall(prompt: string): boolean {
  return /^\s*\/(?:memory-keeper:|memory-(?:context|facts|reflect)\b|search-memory\b)/.test(prompt)
}

const OUR_TOOL = /^mcp__plugin_memory-keeper_memory__/
/** The host's tools for reading a server's resources. */
const RESOURCE_TOOL = /^(?:Read|List)McpResources?(?:Tool)?$/
const OUR_SERVER = /^plugin:memory-keeper:/
/** The host also accepts the bare name. */
const OUR_SKILL = /^(?:memory-keeper:|memory-(?:delta|rotate|context|facts|reflect)\b|search-memory\b)/

/** The outcome of a tool use, as people and models read it. */
export function outcomeOf({ ok, refused }: Pick<Done, 'ok' | 'refused'>): 'no result' | 'ok' | 'refused' | 'failed' {
  return ok === null ? 'no result' : ok ? 'ok' : refused === true ? 'refused' : 'failed'
}

const WHY: ReadonlyMap<string, string> = new Map([
  ['queue', 'queued'],
  ['plan', 'an approved plan'],
  ['interrupt', 'interrupted'],
  ['host', 'by the host'],
])

/** Why the text of a prompt is not the user's own; empty: it is, or a session before 0.6 does not record it. */
export function whyNotUsers({ by, via, sent }: Extract<Entry, { role: 'user' }>): string {
  if (by === 'machine') return (via && (WHY.get(via) ?? via)) || 'by nobody known'
  return sent === true ? 'sent by a program' : ''
}

/** The output with an ellipsis instead of the word that the cut may have divided. */
export function wholeWords(use: Pick<Done, 'output' | 'cut'> & Written): string {
  const { output = '' } = use
  return isCut(use) ? output.replace(/\s*\S+$/, ' …').trimStart() : output
}

/**
 * Entries of versions before 0.6 have neither `cut` nor `by`. These versions cut at 300 characters, or at 80, so an output of
 * about that length counts as cut.
 */
function isCut({ output = '', cut, by }: Pick<Done, 'output' | 'cut'> & Written): boolean {
  if (by !== undefined || cut === true) return cut === true
  return output.length > 284 || (output.length > 73 && output.length <= 80)
}

export function isTool(entry: Entry | Tombstone): boolean {
  return entry.role === 'tool' || (entry.role === 'subagent' && 'name' in entry)
}

/** All text of an entry. */
export function spokenIn(entry: Entry | Tombstone): string {
  if (entry.role === 'tombstone') return ''
  if ('text' in entry) return entry.text
  const items = (entry.items ?? []).flatMap(({ text }) => text ?? [])
  return [`${entry.name} ${entry.cmd}`, ...(entry.output === undefined ? [] : [entry.output]), ...items].join('\n')
}

function isEntry(value: unknown): value is Entry | Tombstone {
  if (typeof value !== 'object' || value === null || !('role' in value)) return false
  if (value.role === 'tombstone') return 'key' in value && typeof value.key === 'string'
  if (!('ts' in value) || typeof value.ts !== 'string') return false
  if ('text' in value) return typeof value.text === 'string'
  return 'name' in value && typeof value.name === 'string' && 'cmd' in value && typeof value.cmd === 'string'
}

export interface Numbered {
  n: number
  entry: Entry | Tombstone
}

/** Commands that the host answers by itself: Claude does not read them. */
const HOST_COMMAND = /^\/(?:clear|config|effort|exit|fast|login|logout|model|quit|theme|vim)(?:\s|$)/

/** Whether Claude begins to work on it: a prompt, also one typed while Claude worked, or an approved plan. */
export function beginsTurn({ via, text }: Extract<Entry, { role: 'user' }>): boolean {
  if (via !== undefined && via !== 'queue' && via !== 'plan') return false
  return !isHostText(text) && !HOST_COMMAND.test(text)
}

/** The approved plan with which the host continues in a new context. Versions before 0.7 did not mark it: then the host's own words do. */
export function isPlan({ plan, via, text }: Extract<Entry, { role: 'user' }>): boolean {
  return plan === true || (via === undefined && isPlanPrompt(text))
}

/** By the words that the host puts before a plan: its prompt arrives without a mark. */
export function isPlanPrompt(text: string): boolean {
  return text.startsWith('Implement the following plan:\n\n')
}

/** The host's mark in the user's place, such as an interruption: no prompt, and nobody's words. */
export function isHostLine(entry: Entry | Tombstone): boolean {
  return entry.role === 'user' && (entry.via === 'interrupt' || entry.via === 'host' || isHostText(entry.text))
}
