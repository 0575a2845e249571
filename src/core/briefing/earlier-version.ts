/** What v3 and v4 left in memory.md: its decisions and issues are told as facts, its state until a session of ours has ended. */

import { bulletsIn, stateText } from '../../kernel/memory/earlier-sections.ts'
import type { Note, WrittenNote } from '../../kernel/memory/note.ts'
import { shortenTo, textOnOneLine } from '../../kernel/text/memory-words.ts'
import { allFacts } from '../knowledge/items.ts'
import { listedLine } from '../receipts/authored-line.ts'
import { knownAsFact } from './briefing-facts.ts'
import type { BriefingInput, RoomLine } from './briefing-input.ts'
import { isPersonsSession } from './current-state.ts'

const STATE_CHARS = 400

type Known = Pick<BriefingInput, 'facts' | 'isLeftOut'>

/** Of decisions and issues only bullets that are no facts: `migrate` has not run, or they were written since. The state is told apart. */
export function withoutTaken(written: readonly WrittenNote[], known: Known): Note[] {
  const quotes = new Set(allFacts(known.facts).flatMap((one) => (one.source === undefined ? [] : [one.evidence.quote])))
  const isKnown = knownAsFact(known)
  return written.flatMap(({ section, raw = '', ...note }): Note[] => {
    if (section === undefined) return [note]
    // Without its heading, which says nothing where only a part of the section is told.
    const context = section === 'context' ? note.text.slice(firstLine(note.text).length).trim() : ''
    if (section === 'context') return context === '' ? [] : [{ ...note, text: context }]
    if (section === 'state') return []
    const left = bulletsIn(raw, section).filter((one) => !quotes.has(one.raw) && !isKnown(one.text))
    return left.length === 0 ? [] : [{ ...note, text: [firstLine(note.text), ...left.map(asBullet)].join('\n') }]
  })
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

function asBullet({ raw }: { raw: string }): string {
  return `- ${raw}`
}

/** The newest one of these texts; empty: there is none. */
export function earlierState(written: readonly WrittenNote[]): string {
  return written.flatMap(({ section, raw = '' }) => (section === 'state' ? [stateText(raw)] : [])).at(-1) ?? ''
}

export function earlierStateLines({ stateBefore = '', facts, stories }: BriefingInput): RoomLine[] {
  const words = shortenTo(textOnOneLine(stateBefore), STATE_CHARS)
  if (words === null || words === '' || stories.some((one) => one.isSeen && isPersonsSession(one) && !one.isRunning))
    return []
  const source =
    allFacts(facts).find((one) => one.source === 'v3' || one.source === 'v4')?.source ?? 'an earlier version'
  return [{ text: listedLine('before', `from ${source}`, words), reason: 'current state of an earlier version' }]
}
