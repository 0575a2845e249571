/** The summary of one session (`sessions/….md`): what happened, in about 500 tokens. */
import { renderDigest } from '../notes/digest-render.ts'
import type { Digest } from '../sessions/digest-types.ts'
import { estimateTokens } from '../text/tokens.ts'

export interface SummaryMeta {
  id: string
  startedAt: string
  endedAt: string
  entries: number
  prompts: number
  tools: number
  parent: string | null
}

/** The digest keeps at least this much of its room beside the notes. */
const DIGEST_SHARE = 0.4
const RECORD = /^<!-- session \S+ entries=(\d+) -->$/m

/** `notes`: what a model wrote about the session, oldest first; whole notes, the latest ones if not all fit. */
export function renderSessionSummary(
  meta: SummaryMeta,
  digest: Digest,
  notes: readonly string[],
  maxTokens: number,
): string {
  const head = [
    `# Session ${meta.id}, ${day(meta.startedAt)} UTC`,
    `<!-- session ${meta.id} entries=${meta.entries} -->`,
    '',
    counts(meta),
  ].join('\n')
  const room = Math.max(60, maxTokens - estimateTokens(head))
  const told = lastFitting(
    notes.map(harmless).filter((note) => note !== ''),
    room * (1 - DIGEST_SHARE),
  )
  const left = Math.floor(room - told.reduce((sum, note) => sum + estimateTokens(note), 0))
  return `${[head, ...told, renderDigest(digest, { maxTokens: left })].join('\n\n')}\n`
}

/** How many entries the summary tells about; null: it does not say. */
export function entriesInSummary(text: string): number | null {
  const match = RECORD.exec(text)
  return match === null ? null : Number(match[1])
}

function counts({ startedAt, endedAt, entries, prompts, tools, parent }: SummaryMeta): string {
  const time = `${startedAt.slice(11, 16)}–${endedAt.slice(0, 10) === startedAt.slice(0, 10) ? '' : `${day(endedAt)} `}${endedAt.slice(11, 16)}`
  const from = parent === null ? '' : `, goes on from ${parent}`
  return `${time} UTC, ${count(prompts, 'prompt')}, ${count(tools, 'tool use')}, ${count(entries, 'entry', 'entries')}${from}`
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

function day(at: string): string {
  return at.slice(0, 10)
}

function lastFitting(notes: readonly string[], tokens: number): string[] {
  const kept: string[] = []
  let room = tokens
  for (const note of notes.toReversed()) {
    const cost = estimateTokens(note) + 2
    if (cost > room) break
    room -= cost
    kept.unshift(note)
  }
  return kept
}

/** A note cannot begin a heading nor carry a record of its own. */
function harmless(note: string): string {
  return note.trim().replace(/^#+ /gm, '').replace(/<!--/g, '<! --').replace(/-->/g, '-- >')
}
