/** Rows of claude-mem's database, or of its JSON export → notes and facts. Columns come and go with its versions: what is there is read. */
import type { NewFact } from '../knowledge/fact.ts'
import type { Note } from '../memory/note.ts'
import type { Brought } from '../outgoing/neighbour.ts'
import { isObject, parseObject, textOr, texts } from '../platform/json.ts'
import { formatStamp, parseInstant } from '../platform/time.ts'
import { fingerprint } from '../text/fingerprint.ts'

export type ClaudeMemRow = Readonly<Record<string, unknown>>

export interface Rows {
  observations: readonly ClaudeMemRow[]
  summaries: readonly ClaudeMemRow[]
  prompts: readonly ClaudeMemRow[]
}

const SOURCE = 'claude-mem'
const SUMMARY_FIELDS: readonly (readonly [string, string])[] = [
  ['request', 'Asked'],
  ['investigated', 'Looked into'],
  ['learned', 'Learned'],
  ['completed', 'Done'],
  ['next_steps', 'Next'],
  ['notes', 'Notes'],
]

/** Null: no export of claude-mem. */
export function parseExport(text: string): Rows | null {
  const raw = parseObject(text.replace(/^\ufeff/, ''))
  if (raw === null) return null
  const rowsOf = (...names: string[]): ClaudeMemRow[] => names.flatMap((name) => listOf(raw[name]).filter(isObject))
  const rows = {
    observations: rowsOf('observations'),
    summaries: rowsOf('summaries', 'session_summaries'),
    prompts: rowsOf('prompts', 'user_prompts'),
  }
  return rows.observations.length + rows.summaries.length + rows.prompts.length === 0 ? null : rows
}

/** Projects are named after their directory, or by its path. A row without a project belongs to whoever was asked for. */
export function isOfProject(row: ClaudeMemRow, root: string): boolean {
  const named = textOr(row.project, '').replace(/\\/g, '/').replace(/\/+$/, '')
  const path = root.replace(/\\/g, '/')
  return (
    named === '' ||
    named === path ||
    named === path.slice(path.lastIndexOf('/') + 1) ||
    (named.includes('/') && path.endsWith(`/${named}`))
  )
}

/** Decisions become facts, all else notes. Nothing of it counts as the user's own words. */
export function fromClaudeMem({ observations, summaries, prompts }: Rows): Brought {
  const isDecision = (row: ClaudeMemRow): boolean => textOr(row.type, '') === 'decision' && titleOf(row) !== ''
  return {
    pages: [],
    facts: observations.filter(isDecision).map(factOf),
    notes: [
      ...observations.filter((row) => !isDecision(row)).flatMap((row) => noteOf(row, observed(row))),
      ...summaries.flatMap((row) => noteOf(row, summed(row))),
      ...bySession(prompts).flatMap((rows) => noteOf(rows[0] ?? {}, asked(rows))),
    ],
  }
}

function factOf(row: ClaudeMemRow): NewFact {
  const text = [titleOf(row), textOr(row.subtitle, '')].filter((one) => one !== '').join(': ')
  const why = [textOr(row.narrative, ''), textOr(row.text, ''), ...listIn(row.facts)].filter((one) => one !== '')
  const fact: NewFact = {
    type: 'decision',
    text,
    reason: why.length === 0 ? null : why.join(' '),
    status: null,
    resolution: null,
    at: whenOf(row),
    session: '',
    evidence: { entry: -1, quote: text },
    files: [...new Set([...listIn(row.files_modified), ...listIn(row.files_read)])],
    concept: null,
    state: 'fresh',
    author: 'agent',
  }
  return { ...fact, ...{ source: SOURCE } }
}

function noteOf(row: ClaudeMemRow, body: string): Note[] {
  const at = whenOf(row)
  if (body === '' || at === '') return []
  const text = `(${SOURCE}) ${body}`
  const id = `n-${formatStamp(at)}-${fingerprint(text).slice(0, 6)}`
  return [{ id, at, session: null, from: 0, to: 0, author: 'agent', text }]
}

function observed(row: ClaudeMemRow): string {
  const type = textOr(row.type, '')
  const title = [titleOf(row), textOr(row.subtitle, '')].filter((one) => one !== '').join(': ')
  const files = [...new Set([...listIn(row.files_modified), ...listIn(row.files_read)])]
  const lines = [
    title === '' || type === '' ? title : `${type}: ${title}`,
    textOr(row.narrative, ''),
    textOr(row.text, ''),
    ...listIn(row.facts).map((fact) => `- ${fact}`),
    files.length === 0 ? '' : `Files: ${files.join(', ')}`,
  ]
  return lines.filter((line) => line !== '').join('\n')
}

function summed(row: ClaudeMemRow): string {
  return SUMMARY_FIELDS.flatMap(([field, label]) => {
    const said = textOr(row[field], '').trim()
    return said === '' ? [] : [`${label}: ${said}`]
  }).join('\n')
}

function asked(rows: readonly ClaudeMemRow[]): string {
  const said = rows.map((row) => textOr(row.prompt_text, textOr(row.text, '')).trim()).filter((one) => one !== '')
  return said.length === 0 ? '' : ['Prompts of a session:', ...said.map((one) => `- ${one}`)].join('\n')
}

function bySession(rows: readonly ClaudeMemRow[]): ClaudeMemRow[][] {
  const sessions = new Map<unknown, ClaudeMemRow[]>()
  for (const row of rows) {
    const id =
      row.content_session_id ??
      row.claude_session_id ??
      row.memory_session_id ??
      row.sdk_session_id ??
      row.session_id ??
      ''
    sessions.set(id, [...(sessions.get(id) ?? []), row])
  }
  return [...sessions.values()].map((all) => all.toSorted((a, b) => (whenOf(a) < whenOf(b) ? -1 : 1)))
}

function titleOf(row: ClaudeMemRow): string {
  return textOr(row.title, '').trim()
}

/** Seconds or milliseconds, or an ISO text. Empty: it does not say. */
function whenOf(row: ClaudeMemRow): string {
  const epoch = Number(row.created_at_epoch ?? row.timestamp_epoch ?? Number.NaN)
  if (Number.isFinite(epoch) && epoch > 0 && epoch < 1e14)
    return new Date(epoch < 1e11 ? epoch * 1000 : epoch).toISOString()
  return parseInstant(row.created_at) ?? parseInstant(row.timestamp) ?? ''
}

/** Lists are kept as JSON in a text, or as lines. */
function listIn(value: unknown): string[] {
  if (Array.isArray(value)) return texts(value)
  const text = textOr(value, '').trim()
  if (text === '') return []
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? texts(list) : [text]
  } catch {
    return text.split(/\n|(?<=\w),\s*(?=[\w./]+(?:,|$))/).map((one) => one.trim())
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
