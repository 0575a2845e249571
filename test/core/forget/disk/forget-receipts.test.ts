/** A receipt that repeats the forgotten is dropped; other receipts, and what people wrote besides, stay. */

import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { briefSession } from '../../../../src/core/briefing/disk/briefing.ts'
import { changeByHand } from '../../../../src/core/edit/disk/by-hand.ts'
import { listUndo } from '../../../../src/core/edit/disk/undo.ts'
import { performForget, planForget } from '../../../../src/core/forget/disk/forget.ts'
import { readFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { allFacts } from '../../../../src/core/knowledge/items.ts'
import { BUILT_IN_RULES, formatRules } from '../../../../src/core/pages/rule.ts'
import { keepInjectedRules, keepReceipt } from '../../../../src/core/receipts/disk/journal.ts'
import { linesWithoutWhy, parseWhy } from '../../../../src/core/receipts/receipt.ts'
import { COMMAND_WAIT_MS, type Store } from '../../../../src/kernel/memory/disk/store.ts'
import { catchUp } from '../../../../src/kernel/sessions/disk/catch-up.ts'
import { listSessions, sessionFiles, sessionRows } from '../../../../src/kernel/sessions/disk/sessions.ts'
import { verifySession } from '../../../../src/kernel/sessions/disk/verify.ts'
import { filesWith, live, type Said } from '../../../support/forget.ts'
import {
  fastDir,
  makeProject,
  NOW,
  now,
  sessionId,
  setAtHome,
  storeOf,
  type TestProject,
  write,
} from '../../../support/project.ts'

/** Words that our own lines are made of, said by somebody. */
const OUR_WORDS =
  'information instructions history standing core decisions agree assume verify apologising reasoning explain startup status compaction lists remembered sessions heading newest archives teammates topics permission delete guess restart recover'.split(
    ' ',
  )
const B: Said = {
  session: sessionId(2),
  decided: 1,
  transcript: (l) =>
    l.prompt(0, 'Never round a price before the sum is known.') +
    l.answer(1, 'We decided to count prices in whole cents, because floating point rounds 1.015 down.'),
}
const A = (words: string): Said => ({
  session: sessionId(1),
  decided: 1,
  transcript: (l) =>
    l.prompt(0, `Please read this: ${words}. Where does the cormorant nest?`) +
    l.answer(1, 'We decided to feed the cormorant at noon, because it sleeps long.'),
})

function world(words: string): { project: TestProject; store: Store; told: string } {
  const project = makeProject('app', fastDir())
  const store = live(project, [A(words), B])
  const brief = briefSession(store, { session: sessionId(9), source: 'startup' })
  brief.keep()
  keepInjectedRules(store, formatRules(BUILT_IN_RULES))
  write(
    path.join(project.memory, 'journal', 'recalls.jsonl'),
    `${JSON.stringify({ at: NOW, session: sessionId(9), source: 'startup', host: 1 })}\n`,
  )
  const cents = allFacts(readFacts(store)).find(({ text }) => text.includes('cents'))
  changeByHand(store, { do: 'pin', id: cents?.id ?? '' }, { by: 'user', now: NOW })
  return { project, store, told: brief.text ?? '' }
}

const receipt = ({ memory }: TestProject, name: string): string =>
  fs.readFileSync(path.join(memory, 'journal', name), 'utf8')

describe('receipts of other sessions', () => {
  it('stay byte for byte unless they repeat it, whatever words it was said in; those that do are dropped', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom(...OUR_WORDS), { minLength: 1 }), (words) => {
        const { project, store, told } = world(words.join(' '))
        try {
          expect(told).toContain('cormorant')
          const lines = linesWithoutWhy(told).filter(({ text }) => !/cormorant|Please read this|00000001/.test(text))
          const text = lines.map((line) => line.text).join('\n')
          keepReceipt(store, sessionId(8), { text, lines })
          const { left } = performForget(store, { what: { is: 'session', session: sessionId(1) } }, NOW)
          expect(left).toEqual([])
          expect(receipt(project, `briefings/${sessionId(8)}.txt`)).toBe(text)
          expect(parseWhy(receipt(project, `briefings/${sessionId(8)}.why.json`), text)).toEqual(lines)
          const briefings = fs.readdirSync(path.join(project.memory, 'journal', 'briefings'))
          expect(briefings.filter((name) => name.startsWith(sessionId(9)))).toEqual([])
          const rules = fs.readdirSync(path.join(project.memory, 'journal', 'rules'))
          expect(rules.map((name) => receipt(project, `rules/${name}`))).toEqual([formatRules(BUILT_IN_RULES)])
          expect(receipt(project, 'recalls.jsonl')).toContain('startup')
          expect(listUndo(storeOf(project)).map(({ what }) => what)).toHaveLength(1)
          expect(filesWith(project, ['cormorant'])).toEqual([])
        } finally {
          fs.rmSync(project.base, { recursive: true, force: true })
        }
      }),
      { numRuns: 6 },
    )
  }, 60_000)

  it('lose the undo record of what is forgotten', () => {
    const { project, store } = world('nothing')
    const cents = allFacts(readFacts(store)).find(({ text }) => text.includes('cents'))
    performForget(store, { what: { is: 'id', id: cents?.id ?? '' } }, NOW)
    expect(listUndo(storeOf(project))).toEqual([])
  })
})

describe('what people keep by hand', () => {
  it('is shown in the preview and loses the sentences that repeat it, and no other', () => {
    const { project, store } = world('nothing')
    write(
      path.join(project.memory, 'rules.md'),
      '- We decided to feed the cormorant at noon, because it sleeps long, and only then. Ask first.\n- Run the tests.\n',
    )
    const fact = allFacts(readFacts(store)).find(({ text }) => text.includes('cormorant'))
    const again = storeOf(project)
    const plan = planForget(again, { is: 'id', id: fact?.id ?? '' })
    expect(plan.items).toContainEqual(
      expect.objectContaining({ where: 'rules.md', text: expect.stringContaining('and only then.') }),
    )
    performForget(again, plan, NOW)
    expect(fs.readFileSync(path.join(project.memory, 'rules.md'), 'utf8')).toBe('- Ask first.\n- Run the tests.\n')
  })
})

describe('a session of which everything is forgotten', () => {
  it('is no session any more, and counts no entries', () => {
    const { project, store } = world('nothing')
    performForget(store, { what: { is: 'session', session: sessionId(1) } }, NOW)
    const again = storeOf(project)
    expect(listSessions(again).map(({ id }) => id)).toEqual(['00000002'])
    expect(sessionRows(again).map(({ id, entries }) => [id, entries])).toEqual([['00000002', 2]])
    expect(sessionFiles(again)).toHaveLength(1)
    performForget(again, { what: { is: 'id', id: 'L1:00000002#1' } }, NOW)
    expect(sessionRows(storeOf(project)).map(({ entries }) => entries)).toEqual([1])
  })

  it('does not come back when its words are read otherwise', () => {
    const { project, store } = world('nothing')
    performForget(store, { what: { is: 'session', session: sessionId(1) } }, '2027-01-01T00:00:00.000Z')
    setAtHome(project, { summarizer: 'extractive', redactPatterns: ['noon', 'nest'] })
    fs.rmSync(project.memory, { recursive: true })
    catchUp(storeOf(project), { waitMs: COMMAND_WAIT_MS, now, look: 'all' })
    expect(filesWith(project, ['cormorant'])).toEqual([])
    const again = storeOf(project)
    expect(verifySession(again, again.readState(), sessionId(1), project.transcriptOf(sessionId(1))).missing).toEqual(
      [],
    )
  })

  it('does not come back entry by entry either', () => {
    const { project, store } = world('nothing')
    performForget(store, { what: { is: 'id', id: 'L1:00000001#1' } }, NOW)
    setAtHome(project, { summarizer: 'extractive', redactPatterns: ['noon'] })
    fs.rmSync(path.join(project.memory, 'memory-index.json'))
    catchUp(storeOf(project), { waitMs: COMMAND_WAIT_MS, now, look: 'all' })
    expect(filesWith(project, ['feed the cormorant'])).toEqual([])
    expect(filesWith(project, ['cormorant nest']).length).toBeGreaterThan(0)
  })
})
