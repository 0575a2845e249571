/** What a session was told, and why: the forms in which the journal keeps it. */
import { parseObject } from '../platform/json.ts'
import { fingerprint } from '../text/fingerprint.ts'

const VERSION = 1

/** One line of a briefing, and why it is in it. */
export interface BriefingLine {
  section: string
  text: string
  reason: string
}

/** The text is its lines, joined by line breaks. */
export interface Briefing {
  text: string
  lines: BriefingLine[]
}

/** Why each line of a briefing is in it. The text itself lies beside it, and is not repeated. */
export function formatWhy(text: string, lines: readonly BriefingLine[]): string {
  const kept = lines.map((line) => [line.section, line.reason, line.text.length])
  return `${JSON.stringify({ version: VERSION, of: fingerprint(text), lines: kept })}\n`
}

/** Null: it tells of another text, or is broken. */
export function parseWhy(kept: string, text: string): BriefingLine[] | null {
  const raw = parseObject(kept)
  if (raw === null || raw.of !== fingerprint(text) || !Array.isArray(raw.lines)) return null
  const lines: BriefingLine[] = []
  let from = 0
  for (const [section, reason, length] of raw.lines.filter(Array.isArray)) {
    if (typeof section !== 'string' || typeof reason !== 'string' || !Number.isInteger(length)) return null
    lines.push({ section, reason, text: text.slice(from, from + length) })
    from += length + 1
  }
  return from === text.length + 1 ? lines : null
}

/** For a text of which only the words are kept. */
export function linesWithoutWhy(text: string): BriefingLine[] {
  let section = ''
  return text.split('\n').map((line, i, all) => {
    if (line.startsWith('## ')) section = line.slice(3)
    return { section: i === all.length - 1 ? '' : section, text: line, reason: '' }
  })
}

/** A whole number in whole parts by weight that add up to it; none is nothing where it can be helped. */
export function sharesOf(total: number, weights: readonly number[]): number[] {
  const least = total >= weights.length ? 1 : 0
  const over = weights.map((weight) => Math.max(0, weight - least))
  const all = over.reduce((sum, weight) => sum + weight, 0)
  const rest = total - least * weights.length
  let [before, given] = [0, 0]
  return over.map((weight, i) => {
    before += weight
    const upTo = i === over.length - 1 ? rest : all === 0 ? 0 : Math.round((rest * before) / all)
    const share = upTo - given
    given = upTo
    return least + share
  })
}

/** What went with one prompt. */
export interface ToldRecall {
  at: string
  session: string
  text: string
}

export function formatToldRecall({ at, session, text }: ToldRecall): string {
  return `${JSON.stringify({ at, session, text })}\n`
}

/** A line that cannot be read is left out. */
export function parseToldRecalls(kept: string): ToldRecall[] {
  return kept.split('\n').flatMap((line) => {
    const { at, session, text } = parseObject(line) ?? {}
    return typeof at === 'string' && typeof session === 'string' && typeof text === 'string'
      ? [{ at, session, text }]
      : []
  })
}
