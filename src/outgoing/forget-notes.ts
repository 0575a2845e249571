/** Notes, summaries and tiers without what is forgotten: made anew by code from what stays, or gone with it. */

import { type Forgetting, type Gone, isTouched, type Outcome, unchanged } from '../forget/forget-context.ts'
import type { Facts } from '../knowledge/fact.ts'
import { fingerprintOfNote, formatNote, madeByCode, type Note, notesIn, parseMemory } from '../memory/note.ts'
import { digestEntries } from '../notes/digest.ts'
import { noteText } from '../notes/note-by-code.ts'
import { formatSummary, parseSummary, standInSummary, summaryText } from '../notes/summary.ts'
import { formatTier, parseTier, type TierBlock, type TierLine } from '../notes/tier.ts'
import type { Period } from '../notes/tier-period.ts'
import { toTell } from '../sessions/delta.ts'
import { handLines, withMarks } from '../text/own-lines.ts'
import { parseEntryId } from '../transcript/session.ts'
import { cutProse, isSaidIn } from './forget-cut.ts'
import { renderSessionSummary } from './session-summary.ts'

/** memory.md and archives. What people wrote between the notes loses the sentences that say it. */
export function forgetNotes(text: string, timezone: string, about: Forgetting): Outcome {
  const gone: Gone[] = []
  const blocks = parseMemory(text).map(({ raw, note }) => {
    if (note === null) {
      const cut = cutProse(raw, about.isSaidByHand)
      gone.push(...cut.gone.map((one) => ({ id: '', kind: 'text', text: one })))
      return cut.left
    }
    const kept = keepNote(note, about)
    const next = kept === null ? '' : formatNote(kept, timezone)
    // Written anew before, it says the same.
    if (kept === note || next.trim() === raw.trim()) return raw
    gone.push({ id: note.id, kind: kept === null ? 'note' : 'note, written anew', text: note.text })
    return next
  })
  return gone.length === 0 ? unchanged(text) : { text: blocks.join(''), gone }
}

/** The same note: it tells of nothing that goes. Null: nothing is left of it. */
function keepNote(note: Note, about: Forgetting): Note | null {
  if (about.ids.has(note.id.toLowerCase())) return null
  if (note.session !== null && isTouched(about, note.session, note.from, note.to)) {
    const left = about.left(note.session).filter(({ n }) => n >= note.from && n < note.to)
    if (toTell(left).length === 0) return null
    const text = cutProse(noteText(left), about.isSaid).left.trim()
    return text === '' ? null : madeByCode({ ...note, text })
  }
  const { left, gone } = cutProse(note.text, about.isSaid)
  if (gone.length === 0) return note
  if (left.trim() === '') return null
  const cut = { ...note, text: left.trim() }
  return note.fingerprint === fingerprintOfNote(note.text) ? madeByCode(cut) : cut
}

/** The summary of an archive. `archive`: the archive as it stays; null: it is gone. */
export function forgetArchiveSummary(
  file: string,
  text: string,
  archive: { before: string | null; after: string | null },
  facts: Facts,
  about: Forgetting,
): Outcome {
  const parsed = parseSummary(text)
  const words = 'error' in parsed ? text : summaryText(parsed.summary)
  if (archive.before === archive.after && !about.isSaid(words)) return unchanged(text)
  const gone = [
    { id: file, kind: 'summary of an archive', text: 'error' in parsed ? '' : parsed.summary.overallSummary },
  ]
  const notes = notesIn(archive.after ?? '')
  if (notes.length === 0) return { text: null, gone }
  const at = 'error' in parsed ? (notes.at(-1)?.at ?? '') : parsed.summary.generatedAt
  const made = standInSummary(file, at, notes, facts)
  const clean = isSaidIn(made, about.isSaid) ? { ...made, themes: [], keyDecisions: [], issues: [] } : made
  const overallSummary = cutProse(clean.overallSummary, about.isSaid).left
  const next = formatSummary({ ...clean, overallSummary })
  return next === text ? unchanged(text) : { text: next, gone }
}

/** `sessions/….md`: what a person wrote into it stays, unless it says so. */
export function forgetSummary(id8: string, text: string, maxTokens: number, about: Forgetting): Outcome {
  const gone = [{ id: `S:${id8}`, kind: 'summary', text: handlessText(text) }]
  const hand = cutProse(handLines(text).join('\n'), about.isSaid)
    .left.split('\n')
    .filter((line) => line !== '')
  if (about.ids.has(`s:${id8}`)) return { text: null, gone }
  if (!about.sessions.has(id8)) {
    if (!about.isSaid(text)) return unchanged(text)
    const lines = text.split('\n').filter((line) => !line.startsWith('<!-- ours:'))
    const cut = cutProse(lines.join('\n'), about.isSaid)
    const isHand = new Set(handLines(text))
    const own = cut.left.split('\n').filter((line) => !isHand.has(line.trimEnd()))
    return {
      text: withMarks(own.join('\n'), hand),
      gone: cut.gone.map((one) => ({ id: `S:${id8}`, kind: 'summary', text: one })),
    }
  }
  const left = about.left(id8)
  const told = left.flatMap(({ entry }) => (entry.role === 'tombstone' ? [] : [entry]))
  if (told.length === 0) return { text: hand.length === 0 ? null : `${hand.join('\n')}\n`, gone }
  const meta = {
    id: id8,
    startedAt: told[0]?.ts ?? '',
    endedAt: told.at(-1)?.ts ?? '',
    entries: Number(/ entries=(\d+) -->/.exec(text)?.[1] ?? left.length),
    prompts: told.filter(({ role }) => role === 'user').length,
    tools: told.filter(({ role }) => role === 'tool').length,
    parent: null,
  }
  const notes = about.notesOf(id8).filter(({ author }) => author !== 'extractive')
  const words = notes.map((note) => cutProse(note.text, about.isSaid).left)
  const made = withMarks(renderSessionSummary(meta, digestEntries(toTell(left)), words, maxTokens), hand)
  return made === text ? unchanged(text) : { text: made, gone }
}

function handlessText(text: string): string {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^(?:#|<!--)/.test(line))
    .slice(1, 3)
    .join(' ')
}

/** A week or month: lines that come from what goes, or say it. */
export function forgetTier(period: Period, text: string, about: Forgetting): Outcome {
  const tier = parseTier(period, text)
  const gone: Gone[] = []
  const lineGoes = (line: TierLine): boolean => {
    const place = parseEntryId(line.link)
    // Nobody knows which entry it comes from: it may be one that goes.
    const isOfGone =
      place !== null && (place.n === null ? about.sessions.has(place.id8) : about.isGone(place.id8, place.n))
    return isOfGone || about.isSaid(line.text)
  }
  const handOf = (hand: readonly string[]): string[] => {
    const cut = cutProse(hand.join('\n'), about.isSaid)
    gone.push(...cut.gone.map((one) => ({ id: period.file, kind: 'text', text: one })))
    return cut.gone.length === 0 ? [...hand] : cut.left.split('\n')
  }
  const blocks = tier.blocks.flatMap((block): TierBlock[] => {
    const isOut = about.whole.has(block.id8) || about.ids.has(`s:${block.id8}`)
    const lines = isOut ? [] : block.lines.filter((line) => !lineGoes(line))
    gone.push(
      ...block.lines
        .filter((line) => !lines.includes(line))
        .map((line) => ({ id: `S:${block.id8}`, kind: period.is, text: line.text })),
    )
    const hand = handOf(block.hand)
    return isOut && hand.every((line) => line.trim() === '') ? [] : [{ ...block, lines, hand }]
  })
  const next = formatTier(period, { blocks, hand: handOf(tier.hand) })
  const isSame = gone.length === 0 && blocks.length === tier.blocks.length
  if (isSame) return unchanged(text)
  return { text: blocks.length === 0 && tier.hand.length === 0 ? null : next, gone }
}

/** delta_temp.txt: the next one who asks for the delta writes it anew, from what stays. */
export function forgetDelta(text: string, about: Forgetting): Outcome {
  const [, id8 = '', from, to] = /^# Delta ([0-9a-z]{8})-(\d+)-(\d+):/.exec(text) ?? []
  const isOut = isTouched(about, id8, Number(from), Number(to)) || about.isSaid(text)
  return isOut ? { text: null, gone: [{ id: `${id8}-${from}-${to}`, kind: 'delta', text: '' }] } : unchanged(text)
}
