/** Findings are sentences between tool uses that announce nothing: their place decides, no list of words. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { announcementsIn, type FoundSentence, findingsIn } from '../../../src/core/notes/findings.ts'
import { storyOf } from '../../../src/core/notes/story.ts'
import type { Entry } from '../../../src/kernel/transcript/session.ts'
import { wildSession } from '../../support/briefing.ts'
import { failed, interrupted, numbered, ran, said, storyWith, typed, used } from '../../support/story.ts'

const never = (_: string): boolean => false
const found = (entries: readonly Entry[], isAnnouncement = never, told = ''): FoundSentence[] =>
  findingsIn(storyWith(entries), isAnnouncement, told, () => true)
const textsIn = (entries: readonly Entry[], isAnnouncement = never): string[] =>
  found(entries, isAnnouncement).map(({ text }) => text)

const CAUSE = 'The parser in `dates.ts` reads the header of the export twice, once per worker.'
const EFFECT = 'Because of that the export of 300 rows takes as long as the parser of all workers.'
/** Words have worth only if another text of the session uses them, and not all do. */
const ECHO = said('The parser and the export share the header, and each of the workers reads rows.')
const session = (...texts: string[]): Entry[] => [
  typed('Hello.'),
  said('Hello.'),
  typed('Why is it slow?'),
  ...texts.flatMap((text) => [said(text), ran('cat dates.ts')]),
  ECHO,
  // No answer closes the turn.
  ran('ls'),
]

describe('a finding', () => {
  it('is a concrete sentence before a tool use, with its turn and entry', () => {
    expect(found(session(`${CAUSE} I read on.`))).toEqual([{ n: 3, turn: 1, text: CAUSE }])
  })

  it('is none in a turn that an answer closes, nor in one that the user interrupted to say something else', () => {
    const open = session(`${CAUSE} I read on.`)

    expect(textsIn([...open, said('It is the header.')])).toEqual([])
    expect(textsIn([...open, interrupted(), typed('No, look at the workers.'), ran('ls')])).toEqual([])
    expect(textsIn([...open, interrupted()])).toEqual([CAUSE])
  })

  it('is never the last sentence of its text: that announces', () => {
    expect(textsIn(session(CAUSE))).toEqual([])
  })

  it('is none in a text that closes its turn', () => {
    expect(textsIn([typed('Why?'), ran('ls'), said(`${CAUSE} That is all.`), typed('Ok.'), ECHO])).toEqual([])
  })

  it.each([
    ['a to-do', used('TodoWrite', '')],
    ['a saved note', used('mcp__plugin_memory-keeper_memory__save_note', 'x')],
  ])('is none in an answer that only %s follows', (_, use) => {
    expect(
      textsIn([typed('Hi.'), said('Hi.'), typed('Why?'), said(`${CAUSE} That is all.`), use, typed('Ok.'), ECHO]),
    ).toEqual([])
  })

  it.each([
    ['too short', 'The parser reads `rows` of workers.'],
    ['too long', `The parser reads the header, ${'and the export, '.repeat(25)}and 3 workers.`],
    ['a question', 'Does the parser in `dates.ts` read the header of the export twice, once per worker?'],
    ['a lead-in', 'The parser in `dates.ts` reads the header of the export twice, once per worker:'],
    ['not concrete', 'The parser reads the header of the export more than once, for all of the workers.'],
    ['a heading', '## The parser in `dates.ts` reads the header of the export twice, once per worker\n'],
  ])('is nothing that is %s', (_, sentence) => {
    expect(textsIn(session(`${sentence} I read on.`, 'Nothing here. I read on.'))).toEqual([])
  })

  it('is no sentence that opens like an announcement', () => {
    expect(textsIn(session(`${CAUSE} ${EFFECT} I read on.`), (text) => text.startsWith('The parser'))).toEqual([EFFECT])
  })

  it('is worth more behind a failure, and before an edit', () => {
    const other = CAUSE.replace('dates', 'times')
    const plain = [said(`${other} I read on.`), ran('cat dates.ts')]
    const behindFailure = [failed('npm test', 'no'), said(`${CAUSE} I read on.`), ran('cat dates.ts')]
    const beforeEdit = [said(`${CAUSE} I mend it.`), used('Edit', 'dates.ts')]
    const first = (...parts: Entry[][]): string | undefined =>
      textsIn([typed('Why?'), ran('ls'), ...parts.flat(), ECHO, ran('ls')])[0]

    expect(first(plain, behindFailure)).toBe(CAUSE)
    expect(first(plain, beforeEdit)).toBe(CAUSE)
  })

  it('is worth less if its words are told already', () => {
    const entries = session(`${CAUSE} ${EFFECT} I read on.`)
    const first = (told: string): string | undefined => found(entries, never, told)[0]?.text

    expect(first(CAUSE)).toBe(EFFECT)
    expect(first(EFFECT)).toBe(CAUSE)
  })

  it('is left out if there is no room for it', () => {
    const entries = session(`${CAUSE} ${EFFECT} I read on.`)
    const chosen = findingsIn(storyWith(entries), never, '', ({ text }) => text === EFFECT)

    expect(chosen.map(({ text }) => text)).toEqual([EFFECT])
  })
})

describe('announcements', () => {
  const turn = (...texts: string[]): Entry[] => [
    typed('Go on.'),
    ...texts.flatMap((text) => [said(text), ran('ls')]),
    said('Done.'),
  ]

  it('are openers that stand three times, and mostly, at the end of a text before a tool use', () => {
    const story = storyWith(turn('One. Let me look at it.', 'Two. Let me read it.', 'Three. Let me run it.'))
    const isAnnouncement = announcementsIn([story])

    expect(isAnnouncement('Let me see what `a.ts` says.')).toBe(true)
    expect(isAnnouncement('The file `a.ts` says so.')).toBe(false)
  })

  it('are learnt in any language', () => {
    const story = storyWith(
      turn('찾았다. 이제 파일을 읽겠습니다.', '좋다. 이제 파일을 고치겠습니다.', '이제 파일을 봅니다.'),
    )

    expect(announcementsIn([story])('이제 파일을 지웁니다.')).toBe(true)
  })

  it('are learnt from all sessions of the project together', () => {
    const stories = ['look', 'read', 'run'].map((verb) => storyWith(turn(`Let me ${verb} it.`)))

    expect(announcementsIn(stories)('Let me go.')).toBe(true)
    expect(announcementsIn(stories.slice(1))('Let me go.')).toBe(false)
  })

  it('are not openers that mostly stand elsewhere', () => {
    const story = storyWith(
      turn('The test fails.', 'The test hangs.', 'The test ends.', ...Array(4).fill('The test passes. I go on.')),
    )

    expect(announcementsIn([story])('The test is slow.')).toBe(false)
  })
})

it('findings are sentences of their entry, each once, whatever happened', () => {
  fc.assert(
    fc.property(wildSession, (entries) => {
      const story = storyOf('aaaa1111', numbered(entries))
      const chosen = findingsIn(story, announcementsIn([story]), '', () => true)

      expect(new Set(chosen.map(({ n, text }) => `${n} ${text}`)).size).toBe(chosen.length)
      for (const { n, turn, text } of chosen) {
        expect(text.length).toBeLessThanOrEqual(320)
        expect(story.turns[turn]?.entries.some((one) => one.n === n && one.entry.role === 'assistant')).toBe(true)
      }
    }),
    { numRuns: 200 },
  )
})
