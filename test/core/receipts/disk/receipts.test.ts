/** Receipts: what a session was told can be read later, word for word, with the reasons. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { trimReceipts } from '../../../../src/core/receipts/disk/journal.ts'
import { listReceipts, readReceipts } from '../../../../src/core/receipts/disk/receipts.ts'
import { estimateTokens } from '../../../../src/kernel/text/tokens.ts'
import { withPlainFrames } from '../../../support/briefing.ts'
import { locked } from '../../../support/notes.ts'
import {
  append,
  linesFor,
  quietProject,
  sessionId,
  storeOf,
  type TestProject,
  write,
} from '../../../support/project.ts'
import { ASKED, begin, LATER, prompt, SHOP_TURNS, talk, work } from '../../../support/world.ts'

const EARLIER = sessionId(1)
const SESSION = sessionId(2)

/** An earlier session that is over, and one that begins. */
function twoSessions(settings: object = {}): TestProject {
  const project = quietProject({ rules: true, ...settings })
  talk(project, EARLIER, SHOP_TURNS)
  return project
}

function compact(project: TestProject, session: string): void {
  const line = linesFor(session, project.root, { isCompactSummary: true }).prompt(
    90,
    'This session is being continued from a previous conversation that ran out of context. The user worked on the shop.',
  )
  append(project.transcriptOf(session), line)
}

describe('what a session was told', () => {
  it('is its briefing, line by line with the reasons, in the very words', () => {
    const project = twoSessions()
    const { context } = begin(project, SESSION, 'startup', { now: () => LATER })
    const told = readReceipts(storeOf(project), SESSION)

    expect(withPlainFrames(context)).toContain('<memory-keeper>')
    expect(told?.briefing.map(({ text }) => text).join('\n')).toBe(context)
    for (const { why, tokens } of told?.briefing ?? []) expect([why === '', tokens > 0]).toEqual([false, true])
    expect(told?.briefing.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(told?.row.briefing)
    expect(new Set(told?.briefing.map(({ section }) => section))).toContain('Current State')
    expect(told?.row).toMatchObject({ id: '00000002', session: SESSION, briefing: estimateTokens(context) })
  })

  it('is found by the first eight characters of its id', () => {
    const project = twoSessions()
    begin(project, SESSION, 'startup', { now: () => LATER })
    const store = storeOf(project)

    expect(readReceipts(store, '00000002')).toEqual(readReceipts(store, SESSION))
    expect(readReceipts(store, '0000000')).toBeNull()
    expect(readReceipts(store, sessionId(9))).toBeNull()
  })

  it('are each version of the rules, and how often', () => {
    const project = twoSessions({ recall: false })
    const first = prompt(project, { prompt: 'go on' }, {}, SESSION)
    prompt(project, { prompt: 'and on' }, {}, SESSION)
    write(path.join(project.memory, 'rules.md'), '- Ask before you push.\n')
    const second = prompt(project, { prompt: 'and more' }, {}, SESSION)
    const told = readReceipts(storeOf(project), SESSION)

    expect(told?.rules).toEqual([
      { text: first.context, tokens: estimateTokens(first.context), times: 2 },
      { text: second.context, tokens: estimateTokens(second.context), times: 1 },
    ])
    expect(told?.row.rules).toBe(2 * estimateTokens(first.context) + estimateTokens(second.context))
    expect(told?.row.prompts).toBe(3)
    expect(fs.readdirSync(path.join(project.memory, 'journal', 'rules'))).toHaveLength(2)
  })

  it('is each recall in its words, and why others were silent', () => {
    const project = twoSessions({ rules: false })
    const { context } = prompt(project, { prompt: ASKED }, {}, SESSION)
    prompt(project, { prompt: 'Write a haiku about autumn leaves.' }, {}, SESSION)
    const told = readReceipts(storeOf(project), SESSION)

    expect(context).toContain('exponential backoff')
    expect(told?.recalls.map(({ isTold, text }) => [isTold, text])).toEqual([
      [true, context],
      [false, ''],
    ])
    expect(told?.recalls.every(({ why }) => why !== '')).toBe(true)
    expect(told?.recalls[0]?.shown.map(({ id }) => id)).toContain('L1:00000001#3')
    expect(told?.row).toMatchObject({ recalls: 1, recall: told?.recalls[0]?.tokens })
  })

  it('is what it was told before a compaction and after it', () => {
    const project = twoSessions()
    const first = begin(project, SESSION, 'startup', { now: () => LATER }).context
    talk(project, SESSION, [['Fix the login form.', 'The login form is fixed.']])
    compact(project, SESSION)
    const second = begin(project, SESSION, 'compact').context
    compact(project, SESSION)
    const resumed = begin(project, SESSION, 'resume').context
    const lines = readReceipts(storeOf(project), SESSION)?.briefing ?? []

    expect(second).toContain('before the compaction')
    expect(resumed).toBe(second)
    expect(lines.map(({ text }) => text).join('\n')).toBe(`${first}\n${second}`)
    expect(lines.every(({ why }) => why !== '')).toBe(true)
    expect(lines[first.split('\n').length]?.why).toContain('after a compaction')
  })

  it('has no reasons where an earlier version kept none, and no words where they are gone', () => {
    const project = twoSessions()
    const { context } = begin(project, SESSION, 'startup', { now: () => LATER })
    prompt(project, { prompt: ASKED }, {}, sessionId(3))
    const journal = path.join(project.memory, 'journal')
    fs.rmSync(path.join(journal, 'briefings', `${SESSION}.why.json`))
    fs.rmSync(path.join(journal, 'rules'), { recursive: true })
    fs.rmSync(path.join(journal, 'recall-texts.jsonl'))
    const told = readReceipts(storeOf(project), SESSION)

    expect(told?.briefing.map(({ text }) => text).join('\n')).toBe(context)
    expect(told?.briefing.every(({ why }) => why === '')).toBe(true)
    expect(told?.briefing.map(({ section }) => section)).toContain('Current State')
    const asked = readReceipts(storeOf(project), sessionId(3))
    expect(asked?.rules).toEqual([])
    expect(asked?.row.rules).toBeGreaterThan(0)
    expect(asked?.recalls.map(({ isTold, text }) => [isTold, text])).toEqual([[true, '']])
  })
})

describe('the list', () => {
  it('has the sessions that were told something, newest first', () => {
    const project = twoSessions({ recall: false })
    begin(project, SESSION, 'startup', { now: () => LATER })
    prompt(project, { prompt: 'go on' }, { now: () => '2026-01-14T09:00:00.000Z' }, sessionId(3))
    const store = storeOf(project)

    expect(listReceipts(store).map(({ id, prompts }) => [id, prompts])).toEqual([
      ['00000003', 1],
      ['00000002', 0],
    ])
    expect(listReceipts(store)[1]).toEqual(readReceipts(store, SESSION)?.row)
  })

  it('is empty where nothing was told', () => {
    expect(listReceipts(storeOf(quietProject()))).toEqual([])
  })
})

describe('receipts stay few', () => {
  it('with its text the reasons go, old versions of rules and old recalls too', () => {
    const project = twoSessions()
    const store = storeOf(project)
    const journal = path.join(project.memory, 'journal')
    for (let n = 0; n < 405; n++) {
      const file = path.join(journal, 'briefings', sessionId(100 + n))
      for (const name of [`${file}.txt`, `${file}.why.json`]) write(name, 'x')
      fs.utimesSync(`${file}.txt`, 1000 + n, 1000 + n)
    }
    for (let n = 0; n < 120; n++) write(path.join(journal, 'rules', `${n}.txt`), 'x')
    const line = `${JSON.stringify({ at: LATER, session: SESSION, text: 'y'.repeat(1000) })}\n`
    write(path.join(journal, 'recall-texts.jsonl'), line.repeat(700))
    locked(store, () => trimReceipts(store))

    const names = fs.readdirSync(path.join(journal, 'briefings'))
    expect(names.filter((name) => name.endsWith('.txt'))).toHaveLength(400)
    expect(names.filter((name) => name.endsWith('.why.json'))).toHaveLength(400)
    expect(names).not.toContain(`${sessionId(104)}.why.json`)
    expect(fs.readdirSync(path.join(journal, 'rules'))).toHaveLength(100)
    expect(fs.statSync(path.join(journal, 'recall-texts.jsonl')).size).toBeLessThan(400_000)
  })

  it('take less room than the sessions they tell of, except for the last ones', () => {
    const project = quietProject()
    work(project, 0, 1)
    const store = storeOf(project)
    const journal = path.join(project.memory, 'journal')
    for (let n = 0; n < 60; n++) {
      const file = path.join(journal, 'briefings', sessionId(100 + n))
      write(`${file}.txt`, 'x'.repeat(6000))
      write(`${file}.why.json`, 'x'.repeat(2000))
      fs.utimesSync(`${file}.txt`, 1000 + n, 1000 + n)
    }
    const briefings = (): string[] =>
      fs.readdirSync(path.join(journal, 'briefings')).filter((name) => /txt$/.test(name))
    const session = path.join(project.memory, 'sessions', '20260101_000000_abcdef12.l1.jsonl')
    write(session, ' '.repeat(1_200_000))
    locked(store, () => trimReceipts(store))
    expect(briefings()).toHaveLength(37)
    fs.rmSync(session)
    locked(store, () => trimReceipts(store))
    expect(briefings()).toEqual(Array.from({ length: 24 }, (_, n) => `${sessionId(136 + n)}.txt`))
  })
})
