/** The final report of a subagent: where the host writes it, how much of it is kept, and where it is stored. */

import { GAP_MARK, headWithin } from '../text/ends.ts'
import { cut } from '../text/shorten.ts'
import type { KeptOutput, ToolOptions } from './refine-state.ts'
import type { Entry, Numbered } from './session.ts'
import { tidyOutput, unwrappedOutput } from './tool-line.ts'
import type { Block } from './transcript.ts'

/** A report is kept up to this length, on whole lines. */
export const REPORT_CHARS = 8_000
/** This much at the end of an agent's own transcript tells its last text from others. */
const SAME_END_CHARS = 200

export function isAgentUse({ name }: { name: string }): boolean {
  return name === 'Agent' || name === 'Task'
}

/**
 * The agent's last text, as the host recorded it beside the text for Claude, else that text; without the host's frame, which stands in
 * both. If it is stored with the agent's own entries, only its beginning is kept here. It is empty while the agent works in the background.
 */
export function keptReport(block: Extract<Block, { type: 'result' }>, options: ToolOptions): KeptOutput {
  const { ran, text } = block.report()
  const said = unwrappedOutput(text || block.text(Number.MAX_SAFE_INTEGER))
  const whole = options.redact(said.trim()).trim()
  if (whole === '') return { output: '', ran }
  const isStored =
    options.isStored?.(whole) === true || (ran !== undefined && options.isInOwnFile?.(ran, said) === true)
  if (!isStored) return { output: reportWithin(whole), ran }
  const output = cut(tidyOutput(whole), options.outputChars).trim()
  return { output, cut: output.length < tidyOutput(whole).length || undefined, ran }
}

/** `text` is already redacted. */
function reportWithin(text: string): string {
  return text.length <= REPORT_CHARS ? text : `${headWithin(text, REPORT_CHARS - GAP_MARK.length - 1)}\n${GAP_MARK}`
}

/** What an agent's own transcript contains near its end if it ends with this report, as it is written there. */
export function endOfReport(report: string): string {
  const end = report
    .trim()
    .slice(-SAME_END_CHARS)
    .replace(/^[\udc00-\udfff]/, '')
  return JSON.stringify(end).slice(1, -1)
}

interface AgentReport {
  agent: string
  text: string
}

const NOTIFICATION = '<task-notification>'
const NOTIFICATION_END = '</task-notification>'

/** The reports in the host's message that agents in the background have finished. */
export function reportsIn(text: string): AgentReport[] {
  const notices: string[] = []
  for (const part of text.split(NOTIFICATION_END)) {
    if (part.trimStart().startsWith(NOTIFICATION)) notices.push(part)
    // The report itself contains the tag.
    else if (notices.length > 0) notices.push(notices.pop() + NOTIFICATION_END + part)
    else return []
  }
  return notices.flatMap((notice) => reportIn(notice) ?? [])
}

/** Null: it has none, or an agent told an event before. */
function reportIn(notice: string): AgentReport | null {
  const from = notice.indexOf('<result>')
  const to = notice.lastIndexOf('</result>')
  const head = notice.slice(0, Math.max(0, from))
  const agent = (head.split(/<\/?task-id>/)[1] ?? '').trim()
  if (to < from || head.includes('<event>') || !/^[\w@-]{1,64}$/.test(agent)) return null
  return { agent, text: notice.slice(from + '<result>'.length, to).trim() }
}

/** Such a report as it is stored; empty: it is stored with the agent's own entries. */
export function keptNotice({ agent, text }: AgentReport, { redact, isInOwnFile }: ToolOptions): AgentReport {
  return { agent, text: isInOwnFile?.(agent, text) === true ? '' : reportWithin(redact(text)) }
}

export function reportEntry({ agent, text }: AgentReport, ts: string): Entry {
  return { role: 'subagent', by: 'assistant', agent: agent.slice(0, 8), ts, text, report: true }
}

/** The report of each agent among these entries that has finished, by the number of the tool use that started it. */
export function reportsAmong(entries: readonly Numbered[]): Map<number, string> {
  const texts = entries.flatMap(({ entry }) => (entry.role === 'subagent' && 'text' in entry ? [entry] : []))
  const found = new Map<number, string>()
  for (const { n, entry } of entries) {
    if (!('name' in entry) || !isAgentUse(entry) || entry.ok !== true) continue
    const { ran, output = '', cut: isBeginning } = entry
    const text = isBeginning || output === '' ? (ownReport(texts, ran, output) ?? output) : output
    if (text !== '') found.set(n, text)
  }
  return found
}

/**
 * Among the texts of agents: what the host delivered of this one, else its last text. Entries of versions before 0.7 do not name the agent,
 * and old hosts give all agents one name: then the text that begins like this.
 */
function ownReport(texts: readonly AgentText[], ran: string | undefined, beginning: string): string | undefined {
  const own = texts.filter(({ agent }) => agent === ran)
  const last = own.findLast(({ report }) => report) ?? own.at(-1)
  if (last !== undefined || beginning === '') return last?.text
  return texts.findLast(({ text }) => tidyOutput(text).startsWith(beginning))?.text
}

type AgentText = Extract<Entry, { role: 'subagent'; text: string }>
