/** Lines of the host in the user's place reach no list of what the user said, and a plan that Claude wrote is no evidence. */

import { describe, expect, it } from 'vitest'
import { speakerOf } from '../../../src/core/knowledge/evidence.ts'
import { carryWeight } from '../../../src/core/knowledge/session-facts.ts'
import { isSmallPiece } from '../../../src/core/notes/disk/handout.ts'
import { turnLines, turnsOf } from '../../../src/core/notes/structure-turns.ts'
import { rowsOfSession } from '../../../src/core/search/timeline.ts'
import { entryUnit, NOTHING_OURS, withEntry } from '../../../src/kernel/sessions/documents.ts'
import type { Entry, Numbered } from '../../../src/kernel/transcript/session.ts'

const ts = '2026-01-13T12:00:00.000Z'
const RULE = 'From now on every cart has a counter of its wheels.'
const mark: Entry = { role: 'user', by: 'machine', via: 'interrupt', ts, text: '[Request interrupted by user]' }
const host: Entry = { ...mark, via: 'host', text: 'Operation stopped by hook: another session is active in this tree.' }
const plan: Entry = {
  ...{ role: 'user', by: 'machine', via: 'plan', plan: true, ts },
  text: `Implement the following plan:\n\n# Count the wheels\n\n${RULE}`,
}
const olderPlan: Entry = { role: 'user', by: 'user', ts, text: plan.text }
const olderHost: Entry = { role: 'user', by: 'user', ts, text: host.text }
const answer: Entry = { role: 'assistant', by: 'assistant', ts, text: 'The counter is in src/wheels.ts now.' }
const numbered = (...entries: Entry[]): Numbered[] => entries.map((entry, n) => ({ n, entry }))

describe('lines of the host', () => {
  it.each([
    ['an interruption', mark],
    ['a text of the host', host],
    ['a text that 0.6 stored as the user’s', olderHost],
  ])('%s is no prompt, no turn, no evidence, and worth no note', (_, line) => {
    expect(carryWeight(numbered(line))).toBe(false)
    expect(isSmallPiece(numbered(line), 'x '.repeat(1000))).toBe(true)
    expect(rowsOfSession('1a2b3c4d', [answer, line]).filter(({ kind }) => kind === 'prompt')).toEqual([])
    expect(turnsOf(numbered(answer, line)).map(({ prompt }) => prompt)).toEqual([''])
    expect('text' in line && speakerOf(line, line.text)).toBe('tool')
  })

  it.each([mark, host])('is no hit of a search, and does not end the turn of our skill', (line) => {
    expect(entryUnit(line, '1a2b3c4d', 0)).toBeNull()
    expect(withEntry({ ...NOTHING_OURS, isTurn: true }, line)).toMatchObject({ isTurn: true })
  })
})

describe('an approved plan', () => {
  it.each([
    ['as this version stores it', plan],
    ['as 0.6 stored it', olderPlan],
  ])('begins a turn and is no evidence of the user’s, %s', (_, entry) => {
    expect(speakerOf(entry, RULE)).toBe('tool')
    const turns = turnsOf(numbered(entry, answer))
    expect(turns).toHaveLength(1)
    const lines = turnLines(turns, 2_000, '', 'worthy').map(({ text }) => text)
    expect(lines[0]).toMatch(/^Approved plan: .*Count the wheels/)
    expect(lines.some((line) => line.startsWith('User:'))).toBe(false)
  })
})
