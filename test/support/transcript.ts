/** Builds transcript lines as Claude Code writes them, and reads them the way capture does. */

import { type Cursor, newCursor } from '../../src/kernel/memory/session-state.ts'
import { readPiece } from '../../src/kernel/sessions/capture.ts'
import { openEntries } from '../../src/kernel/transcript/open-entries.ts'
import type { RefineOptions } from '../../src/kernel/transcript/refine.ts'
import type { Entry } from '../../src/kernel/transcript/session.ts'

type Json = Record<string, unknown>

export const BASE = '/home/ada/engine'
export const PLAIN: RefineOptions = { outputChars: 300, redact: (text) => text }

/** `2026-03-01T10:00:<second>.000Z`. */
export function at(second: number): string {
  return new Date(Date.UTC(2026, 2, 1, 10, 0, second)).toISOString()
}

function envelope(type: string, message: Json, more: Json): string {
  const before = { parentUuid: 'p', isSidechain: false, cwd: BASE, sessionId: 's1', version: '2.1.12' }
  return `${JSON.stringify({ ...before, type, message, uuid: 'u', timestamp: at(0), ...more })}\n`
}

/** A prompt, or whatever else stands in a person's name. */
export function user(content: unknown, more: Json = {}): string {
  return envelope('user', { role: 'user', content }, more)
}

export function assistant(blocks: readonly Json[] | string, more: Json = {}): string {
  return envelope('assistant', { id: 'msg_1', role: 'assistant', content: blocks, usage: { output_tokens: 1 } }, more)
}

export function says(text: string, more: Json = {}): string {
  return assistant([{ type: 'text', text }], more)
}

export function uses(id: string, name: string, input: Json, more: Json = {}): string {
  return assistant([{ type: 'tool_use', id, name, input }], more)
}

export function result(id: string, content: unknown, more: Json = {}): string {
  return user([{ type: 'tool_result', tool_use_id: id, content }], { toolUseResult: { stdout: content }, ...more })
}

export function failure(id: string, content: unknown, more: Json = {}): string {
  return user([{ type: 'tool_result', tool_use_id: id, content, is_error: true }], {
    toolUseResult: `Error: ${String(content)}`,
    ...more,
  })
}

export function queueLine(operation: string, content?: string, more: Json = {}): string {
  const words = content === undefined ? {} : { content }
  return `${JSON.stringify({ type: 'queue-operation', operation, timestamp: at(0), sessionId: 's1', ...words, ...more })}\n`
}

export function queuedCommand(prompt: unknown, commandMode = 'prompt', more: Json = {}): string {
  const attachment = { type: 'queued_command', prompt, commandMode }
  return `${JSON.stringify({ parentUuid: 'p', isSidechain: false, attachment, type: 'attachment', timestamp: at(0), ...more })}\n`
}

/** What happens to prompts while Claude works: `add A | remove | handed A | says x`. `take`: dequeue; `back`: popAll; \n as in code. */
export function play(history: string): string[] {
  return history.split(' | ').map((step) => {
    const [, verb = '', words] = /^(\w+)(?: ([\s\S]*))?$/.exec(step.replaceAll('\\n', '\n')) ?? []
    switch (verb) {
      case 'add':
        return queueLine('enqueue', words)
      case 'remove':
        return queueLine('remove', words)
      case 'take':
        return queueLine('dequeue')
      case 'back':
        return queueLine('popAll', words)
      case 'handed':
        return queuedCommand(words)
      case 'user':
        return user(words)
      default:
        return says(words ?? verb)
    }
  })
}

export function localCommand(content: string): string {
  const line = { parentUuid: 'p', type: 'system', subtype: 'local_command', content, timestamp: at(0), isMeta: false }
  return `${JSON.stringify(line)}\n`
}

/** Lines that hold nothing anybody said. */
export const PROGRESS = `${JSON.stringify({ parentUuid: 'p', type: 'progress', data: { type: 'bash_progress', output: 'building' }, timestamp: at(0) })}\n`
export const SNAPSHOT = `${JSON.stringify({ type: 'file-history-snapshot', messageId: 'm', snapshot: { trackedFileBackups: {} }, isSnapshotUpdate: false })}\n`
export const HOOK_NOTE = `${JSON.stringify({ parentUuid: 'p', attachment: { type: 'hook_success', content: 'fine' }, type: 'attachment', timestamp: at(0) })}\n`

export interface Read {
  entries: Entry[]
  open: Entry[]
  bad: number
  cursor: Cursor
}

/** The whole transcript in one piece. */
export function readAll(transcript: string | Buffer, options: RefineOptions = PLAIN): Read {
  return readOn(newCursor('t.jsonl'), transcript, options)
}

export function readOn(cursor: Cursor, transcript: string | Buffer, options: RefineOptions = PLAIN): Read {
  const bytes = typeof transcript === 'string' ? Buffer.from(transcript) : transcript
  const read = readPiece(cursor, { bytes, isLast: true }, options)
  const open = openEntries(read.cursor.refine)
  return { entries: read.entries, open, bad: read.badLines, cursor: read.cursor }
}

/** `user: hello`, `tool: Bash ls ok`: one short line per entry. */
export function brief(entries: readonly Entry[]): string[] {
  return entries.map((entry) => {
    if ('text' in entry) return `${entry.role}: ${entry.text}`
    const end = entry.ok === null ? 'unknown' : entry.ok ? 'ok' : 'failed'
    return `${entry.role}: ${entry.name} ${entry.cmd} ${end}`
  })
}

/** What the state file does to a value. */
export function stored<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}
