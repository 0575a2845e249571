/** Core Decisions and Known Issues of memory.md of v3 and v4: their bullets as facts. */

import type { Fact, FactKind } from '../../core/knowledge/item.ts'
import { addItem, type Items, NO_ITEMS, textKey } from '../../core/knowledge/items.ts'
import {
  bulletsIn,
  type EarlierBullet,
  type EarlierSection,
  earlierSectionsIn,
  stateRows,
} from '../../kernel/memory/earlier-sections.ts'
import { parseMemory } from '../../kernel/memory/note.ts'
import { shownHeading } from './legacy-note.ts'
import { datedAt, type LegacyWhen } from './legacy-session.ts'

/** In facts.json of these versions a reason has one of these names. */
const REASONS: readonly string[] = ['reason', 'rationale', 'why']

const DAY_CHARS = '2025-11-03'.length
/** `2025/11/03`, at the beginning. */
const SLASHES = /^([[(]?\d{4})\/(\d\d)\/(\d\d)(?!\d)/

/** `source`: the version. Ids of its own. */
export function factsOfSections(memory: string, timezone: string, source: string): Items {
  const said = sectionsOf(memory)
  const at = saidIn(said, timezone).at(-1)?.at ?? ''
  const known = new Set<string>()
  let facts = NO_ITEMS
  for (const { section, raw } of said) {
    const type = section === 'decisions' ? 'decision' : section === 'issues' ? 'issue' : null
    if (type === null) continue
    for (const bullet of bulletsIn(raw, section)) {
      const { text, reason, day } = partsOf(bullet, timezone)
      const key = `${type} ${textKey(text)}`
      if (text === '' || known.has(key)) continue
      known.add(key)
      facts = addItem<Fact>(facts, {
        kind: type,
        text,
        reason,
        status: statusOf(type, bullet),
        resolution: null,
        at: day || at,
        session: '',
        evidence: { entry: -1, quote: bullet.raw },
        files: [],
        concept: null,
        state: 'fresh',
        by: 'agent',
        source,
      }).items
    }
  }
  return facts
}

/** Version 4 gave the state a row for the project's version. */
export function hasVersionRow(memory: string): boolean {
  return sectionsOf(memory).some(
    ({ section, raw }) => section === 'state' && stateRows(raw).some(({ name }) => name === 'Version'),
  )
}

/** When the memory was last written, as it says itself, in order: the newest session of its context, then "Last updated". */
export function writtenWhen(memory: string, timezone: string): string[] {
  return saidIn(sectionsOf(memory), timezone).map(({ instant }) => instant)
}

function sectionsOf(memory: string): { section: EarlierSection; raw: string }[] {
  return [...earlierSectionsIn(parseMemory(memory))].map(([{ raw }, section]) => ({ section, raw }))
}

/** `at`: a day alone stays one. */
function saidIn(
  said: readonly { section: EarlierSection; raw: string }[],
  timezone: string,
): { instant: string; at: string }[] {
  const newestOf = (texts: readonly string[]): { instant: string; at: string }[] =>
    texts
      .flatMap((text) => dated(text, timezone) ?? [])
      .map((when) => ({ instant: when.at, at: momentOf(when, timezone) }))
      .sort((a, b) => (a.instant < b.instant ? -1 : 1))
      .slice(-1)
  const rawOf = (wanted: EarlierSection): string[] =>
    said.flatMap(({ section, raw }) => (section === wanted ? [raw] : []))
  return [
    ...newestOf(rawOf('context').flatMap((raw) => bulletsIn(raw).map(({ text }) => text))),
    ...newestOf(rawOf('state').flatMap((raw) => stateRows(raw).map(({ value }) => value))),
  ]
}

function dated(text: string, timezone: string): ReturnType<typeof datedAt> {
  return datedAt(text.replace(SLASHES, '$1-$2-$3'), timezone)
}

function momentOf(when: LegacyWhen, timezone: string): string {
  return when.isDay ? shownHeading(when, timezone) : when.at
}

function statusOf(type: FactKind, { isDone }: EarlierBullet): 'open' | 'resolved' | null {
  return type !== 'issue' ? null : isDone ? 'resolved' : 'open'
}

/** A date in brackets before or behind the words is when it was said. */
function partsOf(
  { text, nested }: EarlierBullet,
  timezone: string,
): { text: string; reason: string | null; day: string } {
  const isReason = (line: string): boolean => REASONS.includes(line.slice(0, line.indexOf(':')).trim().toLowerCase())
  const reasons = nested.filter(isReason).map((line) => line.slice(line.indexOf(':') + 1).trim())
  const { words, day } = undated(text, timezone)
  const more = nested.filter((line) => !isReason(line))
  return {
    text: [words, ...(more.length === 0 ? [] : [`(${more.join('; ')})`])].join(' ').trim(),
    reason: reasons.join(' ') || null,
    day,
  }
}

function undated(text: string, timezone: string): { words: string; day: string } {
  const first = dated(text, timezone)
  if (first !== null) {
    // Without a sign of its own it is a part of the sentence.
    const isApart = text.startsWith('[') || text.startsWith('(') || text[DAY_CHARS] === ':'
    return { words: isApart ? first.rest : text, day: momentOf(first, timezone) }
  }
  const open = Math.max(text.lastIndexOf('('), text.lastIndexOf('['))
  const isClosed = open > 0 && [')', ']'].includes(text.at(-1) ?? '')
  const last = isClosed ? dated(text.slice(open + 1, -1), timezone) : null
  if (last === null || last.rest !== '') return { words: text, day: '' }
  return { words: text.slice(0, open).trim(), day: momentOf(last, timezone) }
}
