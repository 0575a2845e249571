/** A session on disk: one JSON line per entry, the line's number being the entry's number for ever. */
import { fingerprint } from '../text/fingerprint.ts'
import { cut } from '../text/shorten.ts'
import type { By } from './author.ts'

interface Spoken {
  ts: string
  text: string
}

interface Done {
  ts: string
  name: string
  /** The argument that matters: the whole command for Bash, the path for files. */
  cmd: string
  /** Null: no outcome is known (still running, interrupted, killed). */
  ok: boolean | null
  /** The user refused it, so it never ran: `ok` is false, and there is no output. */
  refused?: true
  output?: string
  /** Capture kept the beginning of the output only. */
  cut?: true
  /** Of the tools that keep a list of tasks: all of the list, or the one that changed. */
  items?: TaskItem[]
}

/** A task on Claude's list. Of a change only what it names: its number, a new text, a new state. */
export interface TaskItem {
  id?: string
  text?: string
  state?: TaskState
}

export type TaskState = 'pending' | 'in_progress' | 'completed' | 'deleted'

interface Written {
  /** Who wrote it, by the host's marks (`author.ts`). Missing in sessions of versions before 0.6: then nobody knows. */
  by?: By
  /** What may still change: the next capture writes it again, and it has no stable number yet. */
  open?: true
  /** The git branch, where it is another one than that of the entry before. */
  branch?: string
}

export type Entry =
  /**
   * `via`: words inside the result of this tool (a comment on a refusal, an answer), or `queue`: a prompt that was queued
   * and whose own line never came. `sent`: a program sent it (`claude -p`, an SDK), or the transcript is not the
   * host's own; without the mark a person typed it.
   */
  | ({ role: 'user'; via?: string; sent?: true } & Spoken & Written)
  | ({ role: 'assistant' } & Spoken & Written)
  /** A message of a teammate, another session, a channel or another sender that is not the user. */
  | ({ role: 'teammate'; from: string } & Spoken & Written)
  | ({ role: 'summary' } & Spoken & Written)
  | ({ role: 'tool' } & Done & Written)
  | ({ role: 'subagent'; agent: string } & Spoken & Written)
  | ({ role: 'subagent'; agent: string } & Done & Written)

/** What stays of a removed entry: its number, and the key that keeps a later import from bringing it back. */
export interface Tombstone {
  role: 'tombstone'
  n: number
  key: string
}

export function formatEntry(entry: Entry | Tombstone): string {
  return `${JSON.stringify(entry)}\n`
}

/** Null for a line that is no entry. */
export function parseEntry(line: string): Entry | Tombstone | null {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return null
  }
  return isEntry(value) ? value : null
}

/** The lines of a session file; a line that is no entry counts as `bad`, an unfinished last line is left out. */
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

/** A session, one of its entries, or a range of them: `to` is the last one, as in `L1:1a2b3c4d#12-56`. */
export function parseEntryId(text: string): { id8: string; n: number | null; to?: number } | null {
  const match = /^(?:L1:)?([0-9a-z]{8})[0-9a-z-]*(?:#(\d+)(?:-(\d+))?)?$/i.exec(text.trim())
  if (!match?.[1]) return null
  const id8 = match[1].toLowerCase()
  if (match[2] === undefined) return { id8, n: null }
  const n = Number(match[2])
  if (match[3] === undefined) return { id8, n }
  return n <= Number(match[3]) ? { id8, n, to: Number(match[3]) } : null
}

/** What one entry is recognised by when a transcript is read again; times are to the millisecond, so equal keys are copies. */
export function entryKey(entry: Entry | Tombstone): string {
  if (entry.role === 'tombstone') return entry.key
  const said = 'text' in entry ? entry.text : `${entry.name} ${planHead(entry)}`
  return fingerprint(`${entry.role}|${entry.ts}|${said}`)
}

/** Versions before 0.6 kept so much of a plan, and their entries must keep their keys. */
function planHead({ name, cmd }: Done): string {
  return name === 'ExitPlanMode' ? cut(cmd, 1_000) : cmd
}

/** A call of our own tools and skills: saving a memory is no work to remember. */
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

/** A person called one of our skills: what follows in that turn repeats what is remembered. */
export function isOurCall(prompt: string): boolean {
  return /^\s*\/(?:memory-keeper:|memory-(?:context|facts|reflect)\b|search-memory\b)/.test(prompt)
}

const OUR_TOOL = /^mcp__plugin_memory-keeper_memory__/
/** With these the host reads what a server offers. */
const RESOURCE_TOOL = /^(?:Read|List)McpResources?(?:Tool)?$/
const OUR_SERVER = /^plugin:memory-keeper:/
/** The host also takes the bare name. */
const OUR_SKILL = /^(?:memory-keeper:|memory-(?:delta|rotate|context|facts|reflect)\b|search-memory\b)/

/** How a tool use ended, in the word that people and models read. */
export function outcomeOf({ ok, refused }: Pick<Done, 'ok' | 'refused'>): 'no result' | 'ok' | 'refused' | 'failed' {
  return ok === null ? 'no result' : ok ? 'ok' : refused === true ? 'refused' : 'failed'
}

/** Why words in the place of a prompt are not the user's own; empty: they are, or a session before 0.6 does not say. */
export function whyNotUsers({ by, via, sent }: Extract<Entry, { role: 'user' }>): string {
  if (by === 'machine') return via === 'queue' ? 'queued' : (via ?? 'by nobody known')
  return sent === true ? 'sent by a program' : ''
}

/** The output without the word that the cut may have divided, and with an ellipsis in its place. */
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

/** All that an entry says. */
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
