/** Real transcripts of many versions, checked against a count of their own that knows nothing of our parser. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { tallyLine } from '../../../src/extras/agents/claude/tally.ts'
import { newSession } from '../../../src/kernel/memory/session-state.ts'
import { createRedactor } from '../../../src/kernel/redact/redact.ts'
import { renderOpen, settle } from '../../../src/kernel/sessions/capture.ts'
import { reportsAmong } from '../../../src/kernel/transcript/agent-report.ts'
import { type Entry, spokenIn } from '../../../src/kernel/transcript/session.ts'
import { compare, isComplete, newTally } from '../../../src/kernel/transcript/verify.ts'
import { PLAIN, readAll } from '../../support/transcript.ts'

const FOLDER = path.resolve(import.meta.dirname, '..', '..', '..', '..', 'shared', 'transcripts')

/** Measured reduction in percent; a file may not fall more than 0.3 below it. */
const MEASURED: Readonly<Record<string, number>> = {
  '01-v1.0.53-tiny-rejected.jsonl': 83.3,
  '02-v1.0.53-images.jsonl': 98.2,
  '03-v1.0.53-sidechain-compaction.jsonl': 93.4,
  '04-v1.0.119-mcp-tiny.jsonl': 59,
  '05-v2.0.9-text-only.jsonl': 5.3,
  '06-v2.0.67-headless-command.jsonl': 92.3,
  '07-v2.1.51-progress-subagents.jsonl': 92.1,
  '08-v2.1.12-mixed-shapes.jsonl': 93.2,
  '09-v2.1.12-glued-lines.jsonl': 95.3,
  '10-v2.1.12-compact-microcompact.jsonl': 97.4,
  '11-v2.1.231-attachments-advisor.jsonl': 97.1,
  '12-v2.1.232-korean-interactive.jsonl': 95,
}

interface Said {
  role: 'user' | 'assistant' | 'subagent' | 'teammate'
  text: string
}

interface Expected {
  said: Said[]
  tools: string[]
}

interface Block {
  type?: string
  text?: string
  name?: string
  id?: string
  tool_use_id?: string
  content?: unknown
  is_error?: boolean
}

interface Line {
  type?: string
  subtype?: string
  operation?: string
  content?: unknown
  isMeta?: boolean
  isSidechain?: boolean
  isCompactSummary?: boolean
  promptSource?: string
  origin?: { kind?: string }
  attachment?: { type?: string; prompt?: unknown; commandMode?: string }
  message?: { content?: string | Block[] }
}

const HOST_TAGS =
  'system-reminder command-message command-contents local-command-stdout local-command-stderr local-command-caveat bash-stdout bash-stderr task-notification agent-notification agent-message teammate-message ide_opened_file ide_selection user-prompt-submit-hook'.split(
    ' ',
  )
const HOST_SENTENCES = [
  '[Request interrupted by user',
  'Caveat: The messages below',
  'Another Claude session sent a message:',
  'Stop hook feedback:',
  'This session is being continued from a previous conversation',
]

function objectsOf(text: string): Line[] {
  return text.split('\n').flatMap((line) => {
    if (line.trim() === '') return []
    try {
      return [JSON.parse(line) as Line]
    } catch {
      return splitGlued(line)
    }
  })
}

/** Cuts at every brace that closes the first level. */
function splitGlued(line: string): Line[] {
  const objects: Line[] = []
  let depth = 0
  let from = 0
  let inString = false
  for (let i = 0; i < line.length; i++) {
    const char = line[i]
    if (inString) {
      if (char === '\\') i++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '{' && depth++ === 0) from = i
    else if (char === '}' && --depth === 0) objects.push(JSON.parse(line.slice(from, i + 1)) as Line)
  }
  return objects
}

function between(text: string, tag: string): string | null {
  const from = text.indexOf(`<${tag}>`)
  const to = text.indexOf(`</${tag}>`)
  return from < 0 || to < from ? null : text.slice(from + tag.length + 2, to)
}

/** What a person typed in this text, or nothing. */
function typedIn(text: string): string[] {
  const command = text.trimStart().startsWith('<command-') ? between(text, 'command-name')?.trim() : undefined
  if (command !== undefined) {
    const args = between(text, 'command-args')?.trim() ?? ''
    return args === '' ? (command.startsWith('/') ? [command] : []) : [command, args]
  }
  const shell = between(text, 'bash-input')
  if (shell !== null) return [shell.trim()]
  let rest = text
  for (const tag of HOST_TAGS) rest = rest.replace(new RegExp(`<${tag}[^>]*>[^]*?</${tag}>`, 'g'), '')
  rest = rest.trim()
  return rest === '' || HOST_SENTENCES.some((sentence) => rest.startsWith(sentence)) ? [] : [rest]
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  const blocks = Array.isArray(content) ? (content as Block[]) : []
  return blocks
    .map((block) => block.text ?? '')
    .filter((text) => text !== '')
    .join('\n')
}

/** Messages of other sessions, without the notices of their state. */
function messagesIn(text: string): string[] {
  return [...text.matchAll(/<(teammate-message|agent-message)\b[^>]*>([\s\S]*?)<\/\1>/g)]
    .map((match) => (match[2] ?? '').trim())
    .filter((words) => !words.startsWith('{"type":"idle_notification"'))
}

/** A comment on a refused tool, or the answers to questions. */
function typedInResult(tool: string | undefined, block: Block): string[] {
  const text = textOf(block.content)
  if (block.is_error) {
    const mark = 'the user said:'
    return text.startsWith("The user doesn't want to") && text.includes(mark)
      ? [
          text
            .slice(text.indexOf(mark) + mark.length)
            .split('\n\nNote: The user')[0]
            ?.trim() ?? '',
        ]
      : []
  }
  return tool === 'AskUserQuestion' ? [...text.matchAll(/"="([^"]*)"/g)].map((match) => match[1] ?? '') : []
}

function expectedOf(lines: readonly Line[]): Expected {
  const said: Said[] = []
  const tools: string[] = []
  const names = new Map<string, string>()
  let waiting: string[] = []
  const person = (texts: readonly string[]): void => {
    for (const text of texts) said.push({ role: 'user', text })
  }
  for (const line of lines) {
    const content = line.message?.content
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
    if (line.type === 'assistant') {
      for (const block of blocks as Block[]) {
        if (block.type === 'text' && block.text?.trim())
          said.push({ role: line.isSidechain ? 'subagent' : 'assistant', text: block.text.trim() })
        if (block.type === 'tool_use' || block.type === 'server_tool_use') {
          tools.push(block.name ?? '')
          names.set(block.id ?? '', block.name ?? '')
        }
      }
    }
    if (line.type === 'user' && !line.isSidechain) {
      for (const block of blocks as Block[])
        if (block.type === 'tool_result') person(typedInResult(names.get(block.tool_use_id ?? ''), block))
      const isHost =
        line.isMeta ||
        line.isCompactSummary ||
        line.promptSource === 'system' ||
        (line.origin?.kind ?? 'human') !== 'human'
      const sent = (blocks as Block[]).flatMap((block) => (block.type === 'text' ? messagesIn(block.text ?? '') : []))
      for (const text of sent) said.push({ role: 'teammate', text })
      if (!isHost) for (const block of blocks as Block[]) if (block.type === 'text') person(typedIn(block.text ?? ''))
    }
    if (line.type === 'system' && line.subtype === 'local_command') person(typedIn(textOf(line.content)))
    if (line.attachment?.type === 'queued_command' && line.attachment.commandMode !== 'task-notification')
      person(typedIn(textOf(line.attachment.prompt)))
    if (line.operation === 'popAll') waiting = []
    if (line.operation === 'enqueue' && !textOf(line.content).startsWith('{'))
      waiting.push(...typedIn(textOf(line.content)))
  }
  // Most queued prompts have a line of their own as well.
  person(waiting.filter((text) => !said.some((one) => one.role === 'user' && one.text === text)))
  return { said, tools }
}

const files = fs.existsSync(FOLDER) ? fs.readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl')) : []
if (files.length === 0) console.log(`skipped: no transcripts in ${FOLDER}`)

function readFile(name: string): { bytes: Buffer; entries: Entry[]; sessionBytes: number; bad: number } {
  const bytes = fs.readFileSync(path.join(FOLDER, name))
  const { entries, open, bad, cursor } = readAll(bytes, PLAIN)
  const { session, text } = settle({ ...newSession(name), ...cursor }, entries)
  return { bytes, entries: [...entries, ...open], sessionBytes: Buffer.byteLength(text + renderOpen(session)), bad }
}

const spokenBy = (entries: readonly Entry[], role: string): string[] =>
  entries.flatMap((entry) => (entry.role === role && 'text' in entry ? [entry.text] : []))

describe.skipIf(files.length === 0)('real transcripts', () => {
  it.each(files)('%s keeps every word under the name of whoever said it, and every tool use, once', (name) => {
    const { bytes, entries, bad } = readFile(name)
    const { said, tools } = expectedOf(objectsOf(bytes.toString('utf8')))
    const left = entries.flatMap((entry) => ('text' in entry ? [{ role: entry.role, text: entry.text }] : []))
    const missing = said.filter(({ role, text }) => {
      const found = left.find((one) => one.role === role && one.text.includes(text))
      // A part that was found does not stand for an equal one.
      if (found !== undefined) found.text = found.text.replace(text, () => '')
      return found === undefined
    })

    expect(said.length).toBeGreaterThan(0)
    expect([missing, bad]).toEqual([[], 0])
    const countOf = (...roles: string[]): number => said.filter(({ role }) => roles.includes(role)).length
    expect(spokenBy(entries, 'teammate').length).toBe(countOf('teammate'))
    // The host delivered the report of an agent in the background: it stands in a line of the host's.
    const own = entries.filter((entry) => !('report' in entry))
    const answers = [...spokenBy(own, 'assistant'), ...spokenBy(own, 'subagent')]
    expect(answers.length).toBe(countOf('assistant', 'subagent'))
    expect(entries.flatMap((entry) => ('name' in entry ? [entry.name] : [])).sort()).toEqual(tools.sort())
  })

  it('keep the final report of every agent whole, and once', () => {
    const reports = files.flatMap((name) => {
      const { entries } = readFile(name)
      const all = reportsAmong(entries.map((entry, n) => ({ n, entry })))
      return [...all.values()].map((text) => ({
        text,
        kept: entries.filter((one) => spokenIn(one).includes(text)).length,
      }))
    })

    expect(reports.map(({ text }) => text.length).toSorted((a, b) => a - b)).toEqual([349, 428, 768, 1039, 3791, 6085])
    expect(reports.map(({ kept }) => kept)).toEqual(reports.map(() => 1))
    for (const { text } of reports) expect(text).not.toMatch(/^agentId: |<usage>/m)
  })

  it('hold two messages of teammates', () => {
    expect(files.flatMap((name) => spokenBy(readFile(name).entries, 'teammate'))).toHaveLength(2)
  })

  it('name an author for every entry: of every prompt the user, but for the one that only the queue tells of, and for interruptions', () => {
    const all = files.flatMap((name) => readFile(name).entries)
    const prompts = all.filter((entry) => entry.role === 'user')
    const others = prompts.filter((entry) => entry.by !== 'user')

    const interrupted = { by: 'machine', via: 'interrupt' }
    const ways = others.map(({ by, via }) => ({ by, via }))
    expect(ways.filter(({ via }) => via !== 'interrupt')).toEqual([{ by: 'machine', via: 'queue' }])
    expect(ways.filter(({ via }) => via === 'interrupt')).toEqual(Array(5).fill(interrupted))
    for (const entry of all) expect(entry.by).toBeDefined()
  })

  it.each(files)('%s tells nothing in a person’s name that a machine wrote', (name) => {
    const { entries } = readFile(name)

    const prompts = entries.filter((entry) => !(entry.role === 'user' && entry.by === 'machine'))
    for (const text of spokenBy(prompts, 'user')) {
      for (const sentence of HOST_SENTENCES) expect(text.startsWith(sentence), text).toBe(false)
      for (const tag of HOST_TAGS) expect(text).not.toContain(`<${tag}>`)
    }
    for (const entry of entries) expect(JSON.stringify(entry)).not.toContain('<system-reminder>')
  })

  it.each(files)('%s is complete for verify, with secrets taken out on both sides', (name) => {
    const { redact } = createRedactor({ enabled: true, extraPatterns: [] })
    const clean = (text: string): string => redact(text).text
    const bytes = fs.readFileSync(path.join(FOLDER, name))
    const { entries, open } = readAll(bytes, { outputChars: 300, redact: clean })
    const tally = newTally()
    for (const line of bytes.toString('utf8').split('\n')) tallyLine(tally, line, false, clean)
    const verified = compare(tally, [...entries, ...open])

    expect(verified.missing).toEqual([])
    expect(isComplete(verified)).toBe(true)
    expect(verified.badLines).toBe(0)
  })

  it('shrinks each file as far as measured, and never below the words themselves', () => {
    const rows = files.map((name) => {
      const { bytes, sessionBytes } = readFile(name)
      const { said } = expectedOf(objectsOf(bytes.toString('utf8')))
      const wordBytes = said.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
      const percent = (kept: number): number => Math.round((1 - kept / bytes.length) * 1000) / 10
      return { name, reduction: percent(sessionBytes), words: percent(wordBytes) }
    })
    for (const { name, reduction, words } of rows) {
      expect(reduction, name).toBeGreaterThanOrEqual((MEASURED[name] ?? 0) - 0.3)
      expect(reduction, name).toBeLessThanOrEqual(words)
    }
    expect(rows.map((row) => row.name)).toEqual(expect.arrayContaining(Object.keys(MEASURED)))
  })
})
