/** What became of an approved plan: the session that carried it out, and its last commit. */

import { textOnOneLine } from '../../kernel/text/memory-words.ts'
import { chaptersOf } from '../notes/chapters.ts'
import type { RoomLine, StoryInput } from './briefing-input.ts'

const LEAST_HEADING = 8

/** Adds it to lines that end with the heading of such a plan. `stories`: newest first. */
export function withOutcome(stories: readonly StoryInput[]): (line: RoomLine) => RoomLine {
  const outcomes = stories.flatMap(({ story }) => {
    const chapters = chaptersOf(story)
    const heading = textOnOneLine(chapters.find(({ turn }) => turn.plan !== null)?.turn.plan?.heading ?? '')
    const commit = chapters.flatMap(({ commits }) => commits).findLast(({ isBegun, hash }) => !isBegun && hash !== '')
    const text = ` – carried out in [${story.id8}]${commit === undefined ? '' : `, committed ${commit.hash}`}`
    return heading.length < LEAST_HEADING ? [] : [{ heading, text }]
  })
  return (line) => {
    const outcome = outcomes.find(({ heading }) => line.text.endsWith(heading))
    if (outcome === undefined) return line
    const dated = line.dated === undefined ? {} : { dated: { ...line.dated, text: line.dated.text + outcome.text } }
    return { ...line, text: line.text + outcome.text, ...dated }
  }
}
