/** What an agent's report is about, by structure: the files that it names, and its headings. */

import { headingOn } from '../../kernel/text/headings.ts'
import { plain } from '../../kernel/text/sentences.ts'
import { shorten } from '../../kernel/text/shorten.ts'
import { isAgentUse, REPORT_CHARS, reportsAmong } from '../../kernel/transcript/agent-report.ts'
import type { Numbered } from '../../kernel/transcript/session.ts'
import { EDITS, type Line, onOneLine } from './structure-text.ts'

/** A name with an ending, alone or behind its directories. Each run is tried once. */
const FILE_NAME = /(?<![\w@.+/-])[\w@.+/-]*\w\.[a-z]\w{0,7}/gi
const FILE_TOOLS: ReadonlySet<string> = new Set([...EDITS, 'Read'])
const MOST = { files: 6, chars: 300 }

/**
 * The names of the files in a report, the most frequent first. A path is known by its shape; a bare name, only if a tool of the session
 * used a file of this name.
 */
export function filesOfReport(report: string, used: ReadonlySet<string>): string[] {
  const counts = new Map<string, number>()
  for (const [path] of report.matchAll(FILE_NAME)) {
    const name = nameOf(path)
    const isPath = name !== path && !path.startsWith('//')
    if (isPath || used.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([name]) => name)
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

export function usedFiles(entries: readonly Numbered[]): ReadonlySet<string> {
  return new Set(
    entries.flatMap(({ entry }) =>
      'cmd' in entry && FILE_TOOLS.has(entry.name) ? [nameOf(entry.cmd.replaceAll('\\', '/'))] : [],
    ),
  )
}

/** Its files, then its headings as far as they fit, whole ones only. Empty: it names none. */
export function outlineOf(report: string, used: ReadonlySet<string>, room: number): string {
  const files = filesOfReport(report, used).slice(0, MOST.files)
  const lines = report.split('\n').filter((line) => headingOn(line) !== undefined)
  // A line in bold type is a heading where there are no others.
  const marked = lines.filter((line) => line.startsWith('#'))
  const headings = new Set((marked.length > 0 ? marked : lines).flatMap((line) => plain(headingOn(line) ?? '') || []))
  const named = joinedWithin(files, ', ', room)
  const about = joinedWithin([...headings], ' / ', named === '' ? room : room - named.length - 2)
  return [named, about].filter((part) => part !== '').join('; ')
}

/** Those that fit, in their order. */
function joinedWithin(parts: readonly string[], by: string, room: number): string {
  return parts.reduce((text, part) => {
    const next = text === '' ? part : text + by + part
    return next.length <= room ? next : text
  }, '')
}

/** One line for each agent that reported: what Claude called its task, and what the report is about. */
export function reportLines(entries: readonly Numbered[]): Line[] {
  const reports = reportsAmong(entries)
  const used = usedFiles(entries)
  return entries.flatMap(({ n, entry }): Line[] => {
    const report = reports.get(n)?.slice(0, REPORT_CHARS)
    if (report === undefined || entry.role !== 'tool' || !isAgentUse(entry)) return []
    const title = shorten(onOneLine(entry.title ?? entry.cmd), MOST.chars / 3)
    const about = outlineOf(report, used, MOST.chars - title.length)
    return [{ text: `Report of an agent: ${title}${about === '' ? '' : ` (${about})`}`, n }]
  })
}
