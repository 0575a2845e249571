/** Findings: sentences that Claude said between tool uses in a turn that no answer closes, and that are no announcements. Structure and position decide, no list of words. */

import { once } from '../../kernel/text/once.ts'
import { stemsOf } from '../../kernel/text/words.ts'
import type { Numbered } from '../../kernel/transcript/session.ts'
import { isWorkUse, type Story } from './story.ts'
import { EDITS } from './structure-text.ts'
import { isConcrete, type TextUnit, unitsOf } from './units.ts'

export interface FoundSentence {
  n: number
  /** The number of its turn in the story. */
  turn: number
  text: string
}

const CHARS = { least: 50, most: 320 }
/** An opener of announcements stands at least so often, and mostly, at the end of a text before a tool use. */
const LEAST_OPENERS = 3
const MOST_COMPARED = 120

/** Whether a sentence begins like an announcement. Learnt from where the sentences of these sessions stand. */
export function announcementsIn(stories: readonly Story[]): (sentence: string) => boolean {
  const known = once(() => {
    const openers = new Map<string, { all: number; last: number }>()
    for (const story of stories)
      for (const { units, isFollowed } of textsIn(story))
        for (const [i, { text }] of units.entries())
          for (const opener of openersOf(text)) {
            const count = openers.get(opener) ?? { all: 0, last: 0 }
            count.all++
            if (isFollowed && i === units.length - 1) count.last++
            openers.set(opener, count)
          }
    return openers
  })
  return (sentence) =>
    openersOf(sentence).some((opener) => {
      const { all, last } = known().get(opener) ?? { all: 0, last: 0 }
      return last >= LEAST_OPENERS && last * 2 > all
    })
}

/** Its first two words, and its first three: `now i` says nothing, `now i need` announces. */
function openersOf(sentence: string): string[] {
  const words = sentence.toLowerCase().match(/[\p{L}\p{N}'’]+/gu) ?? []
  return [words.slice(0, 2).join(' '), words.slice(0, 3).join(' ')]
}

interface Text {
  n: number
  turn: number
  at: number
  units: readonly TextUnit[]
  /** A tool use follows it in its turn. */
  isFollowed: boolean
  entries: readonly Numbered[]
  /** An answer closes its turn, or the user interrupted it and said something else. */
  isClosed: boolean
}

function textsIn({ turns }: Story): Text[] {
  return turns.flatMap(({ entries, answer, isInterrupted }, turn) => {
    const last = entries.findLastIndex(({ entry }) => isWorkUse(entry))
    const isClosed = answer !== '' || (isInterrupted && turn < turns.length - 1)
    return entries.flatMap(({ n, entry }, at): Text[] =>
      entry.role !== 'assistant' || entry.by === 'machine'
        ? []
        : [{ n, turn, at, units: unitsOf(entry.text), isFollowed: at < last, entries, isClosed }],
    )
  })
}

interface Candidate extends FoundSentence {
  worth: number
  stems: ReadonlySet<number>
}

/** The best findings of a session, best first; `alreadySaid`: what is told of it already. They are taken while `take` accepts them. */
export function findingsIn(
  story: Story,
  isAnnouncement: (sentence: string) => boolean,
  alreadySaid: string,
  take: (finding: FoundSentence) => boolean,
): FoundSentence[] {
  const texts = textsIn(story)
  const counts = new Map<number, number>()
  for (const { units } of texts) {
    const stems = new Set(units.flatMap(({ text }) => stemsOf(text)))
    for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  }
  const all = texts
    // What closes a turn overrules what was found on the way: readers found the latter wrong or of no use.
    .filter(({ isFollowed, isClosed }) => isFollowed && !isClosed)
    .flatMap((text) => candidatesOf(text, counts, texts.length, isAnnouncement))
  const best = all.toSorted((a, b) => b.worth - a.worth).slice(0, MOST_COMPARED)
  return choose(best, new Set(stemsOf(alreadySaid)), take)
}

function candidatesOf(
  { n, turn, at, units, entries }: Text,
  counts: ReadonlyMap<number, number>,
  texts: number,
  isAnnouncement: (sentence: string) => boolean,
): Candidate[] {
  const before = entries.slice(0, at).findLast(({ entry }) => entry.role === 'tool')?.entry
  const after = entries.slice(at + 1).find(({ entry }) => entry.role === 'tool')?.entry
  const isCause = before?.role !== 'tool' || before.ok === false
  const isMended = after?.role === 'tool' && EDITS.has(after.name)
  // The user refused what it led to.
  if (after?.role === 'tool' && after.refused === true) return []
  // The last sentence of a text before a tool use announces it.
  return units.slice(0, -1).flatMap(({ text, kind }): Candidate[] => {
    const isFit = text.length >= CHARS.least && text.length <= CHARS.most && !/[:?：？]$/.test(text)
    if (!isFit || kind !== 'sentence' || !isConcrete(text) || isAnnouncement(text)) return []
    const stems = new Set(stemsOf(text))
    let sum = 0
    for (const stem of stems) {
      const count = counts.get(stem) ?? 0
      if (count >= 2) sum += Math.log(texts / count)
    }
    const shape = (isCause ? 1.5 : 1) * (isMended ? 1.4 : 1)
    return [{ n, turn, text, stems, worth: (sum / Math.sqrt(text.length + 60)) * shape }]
  })
}

function choose(
  candidates: readonly Candidate[],
  known: Set<number>,
  take: (finding: FoundSentence) => boolean,
): FoundSentence[] {
  const left = new Set(candidates)
  const chosen: FoundSentence[] = []
  while (left.size > 0) {
    let [next, most]: [Candidate | null, number] = [null, 0]
    for (const one of left) {
      let fresh = 0
      for (const stem of one.stems) if (!known.has(stem)) fresh++
      const worth = one.worth * (0.2 + (0.8 * fresh) / Math.max(1, one.stems.size))
      if (worth > most) [next, most] = [one, worth]
    }
    if (next === null) break
    left.delete(next)
    const { n, turn, text, stems } = next
    if (!take({ n, turn, text })) continue
    chosen.push({ n, turn, text })
    for (const stem of stems) known.add(stem)
  }
  return chosen
}
