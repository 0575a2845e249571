/** Learned and Known Issues: what holds beyond its session, and what is open. */

import type { NamedAuthor } from '../../kernel/memory/document.ts'
import { quotedWords, shortenTo, textOnOneLine } from '../../kernel/text/memory-words.ts'
import type { OpenWork } from '../notes/open-work.ts'
import { listedLine, writtenLine } from '../receipts/authored-line.ts'
import { type InContext, issueLines } from './briefing-facts.ts'
import type { BriefingInput, RoomLine } from './briefing-input.ts'
import { shortDay } from './when.ts'

const LINE_CHARS = 240
const MOST_LEARNED = 5
const MOST_REPORTS = 2

export function learnedLines({ learned, reports }: BriefingInput): RoomLine[] {
  const found = learned.slice(0, MOST_LEARNED).map(({ text, said, at, session, n }): RoomLine => {
    const source = `${session}#${n}`
    // The user's words stand apart from ours, in their own quotes.
    const words = said === '' ? '' : `; the user: ${quotedWords(textOnOneLine(said))}`
    return {
      text: `- ${shortDay(at)} [${source}] ${textOnOneLine(text)}${words}`,
      reason: `learned, ${source}`,
      about: source,
    }
  })
  // The same task may have been given to an agent in several sessions: the newest report counts.
  const newest = reports.filter(({ text }, i) => reports.findIndex((one) => one.text === text) === i)
  const reported = newest.slice(0, MOST_REPORTS).map(({ text, about, at, source }): RoomLine => {
    const line = (words: string): string =>
      `- ${shortDay(at)} [${source}] ${writtenLine({ by: 'claude', kind: 'report', text: words, source })}`
    const title = line(text)
    return {
      text: about === '' ? title : line(`${text} (${about})`),
      reason: `report of an agent, ${source}`,
      // That there is a report is worth more than what it is about.
      shorten: (room) => (title.length <= room ? title : null),
    }
  })
  return [...found, ...reported]
}

/** A question and a task are Claude's words; the others are made from what programs printed. */
const LEFT_BY: Readonly<Record<OpenWork['kind'], NamedAuthor>> = {
  question: 'Claude',
  task: 'Claude',
  failing: 'from a tool',
  unpushed: 'from git',
}

/** Issues of a model or a person, then what the last session left. */
export function openLines({ facts, work }: BriefingInput, inContext: InContext): RoomLine[] {
  const left = work.flatMap(({ kind, source, text }): RoomLine[] => {
    const words = shortenTo(textOnOneLine(text), LINE_CHARS)
    if (words === null || words === '') return []
    return [
      {
        text: listedLine(source === '' ? 'now' : `[${source}]`, LEFT_BY[kind], words),
        reason: 'left open by the last session',
      },
    ]
  })
  return [...issueLines(facts, inContext), ...left]
}
