/** What people say for good, told from what they say of the moment. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Stated, statedIn } from '../../src/outgoing/standing.ts'
import type { Entry } from '../../src/transcript/session.ts'
import { chose, claude, session, used, user } from '../fixtures/sessions.ts'
import { PASSING, STANDING } from '../fixtures/standing.ts'
import { PLAIN, readAll } from '../support/transcript.ts'

const LOCOMO = path.resolve(import.meta.dirname, '../../../shared/bench/locomo-dev.json')
const TRANSCRIPTS = path.resolve(import.meta.dirname, '../../../shared/transcripts')

const statedBy = (...entries: Entry[]): Stated[] => statedIn(session(entries))
const textsIn = (text: string): string[] => statedBy(user(text)).map((one) => one.text)

describe('a standing instruction', () => {
  it.each(STANDING)('%s: %s', (kind, text) => {
    expect(statedBy(user(text)).map((one) => one.kind)).toEqual([kind])
  })

  it('is one sentence of a prompt, with its entry and its time', () => {
    const prompt = 'The import of orders is slow. Always measure before you change anything. Start with the query.'

    expect(statedBy(claude('Hello.'), user(prompt))).toEqual([
      { kind: 'always', text: 'Always measure before you change anything.', at: '2026-01-13T12:00:01.000Z', entry: 1 },
    ])
  })

  it('is not what stands in a list, or behind a line that announces it', () => {
    expect(textsIn('Please note:\n- always use tabs here\n- never edit generated files')).toEqual([])
    expect(textsIn('The mail says:\nAlways use tabs here.')).toEqual([])
  })

  it('is only the part of the sentence that lasts', () => {
    expect(textsIn('Fix the failing test, and always check the return value of the parser.')).toEqual([
      'always check the return value of the parser.',
    ])
  })

  it('is also the one line that the host takes as a memory', () => {
    expect(textsIn('# always use pnpm in this project')).toEqual(['always use pnpm in this project'])
  })

  it('of a prompt with something pasted stands at its beginning or its end', () => {
    const pasted = Array.from({ length: 60 }, (_, i) => `Chapter ${i}. Never open the valve by hand, says the manual.`)
    const prompt = `Always answer in English.\n\n${pasted.join('\n')}\n\n${'The end of the manual. '.repeat(30)}\n\nNever summarise manuals for me.`

    expect(textsIn(prompt).filter((text) => !text.includes('valve'))).toEqual([
      'Always answer in English.',
      'Never summarise manuals for me.',
    ])
    expect(textsIn(prompt).length).toBeLessThan(15)
  })
})

describe('its text', () => {
  it.each([
    ['And never push to main.', 'Never push to main.'],
    ['Remember, always use tabs here.', 'Always use tabs here.'],
  ])('is without what leads to it: %s', (said, text) => {
    expect(textsIn(said)).toEqual([text])
  })
})

describe('no standing instruction', () => {
  it.each(PASSING)('%s', (text) => {
    expect(textsIn(text)).toEqual([])
  })

  it.each([
    ['code', '```\n# Always use tabs in this project.\n```'],
    ['a quoted line', '> Always use tabs in this project.'],
    ['a quotation', '"Always use tabs in this project."'],
    ['a quotation inside', 'The linter says "always use tabs" for every file.'],
    ['a log', '2026-01-13 12:00:00 WARN Always use tabs in this project.'],
    ['a table', '| rule | Always use tabs in this project. |'],
    ['what the host put in', '<system-reminder>\nAlways use tabs in this project.\n</system-reminder>'],
    ['a slash command', '/style always use tabs in this project'],
    ['a shell command', '! echo always use tabs in this project'],
  ])('is found in %s', (_, text) => {
    expect(textsIn(text)).toEqual([])
  })

  it('is what Claude, a tool, a dialog or a program says', () => {
    const text = 'Always use tabs in this project.'
    const others: Entry[] = [
      claude(text),
      used('Bash', text, true, text),
      chose('Which indentation?', text),
      { role: 'user', via: 'Edit', ts: '', text },
      { role: 'user', sent: true, ts: '', text },
      { role: 'summary', ts: '', text },
      { role: 'subagent', agent: 'a1', ts: '', text },
    ]

    expect(statedBy(...others)).toEqual([])
    expect(statedBy(user(text))).toHaveLength(1)
  })
})

describe('whatever is said', () => {
  const words = fc.constantFrom(
    ...'always never please use tabs from now on don’t ever I prefer you should stop adding without asking the it fails again 항상 절대 하지 마 해줘 常に してください 总是 不要再 immer nie bitte - > ` " ? . ! , :'.split(
      ' ',
    ),
  )
  const text = fc.oneof(
    fc.array(words, { maxLength: 40 }).map((all) => all.join(' ')),
    fc.string(),
    fc.string({ unit: 'grapheme' }),
  )

  it('is told in words of the prompt, shortened at most, and the same again', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), (prompts) => {
        const stated = statedBy(...prompts.map(user))

        expect(statedBy(...prompts.map(user))).toEqual(stated)
        for (const { text: said, entry } of stated) {
          expect(said.length).toBeLessThanOrEqual(200)
          const plain = (one: string): string => one.replace(/[^\p{L}\p{N}]/gu, '')
          expect(plain(prompts[entry] ?? '')).toContain(plain(said.replace(/ …$/, '')).slice(0, 20))
        }
      }),
      { numRuns: 300 },
    )
  })

  it('takes no time to speak of, whatever is repeated in it', () => {
    for (const part of [
      'always ',
      'never use, ',
      'in this, ',
      'from now on ',
      '항상 ',
      '不要',
      'immer nie ',
      'and never ',
      ', ',
    ])
      expect(() =>
        statedBy(user(part.repeat(300_000 / part.length)), user(part.repeat(320 / part.length))),
      ).not.toThrow()
  })
})

describe('real texts', () => {
  it('of people who chat about their lives hold nearly none', ({ skip }) => {
    if (!fs.existsSync(LOCOMO)) return skip(`no conversations in ${LOCOMO}`)
    const all = JSON.parse(fs.readFileSync(LOCOMO, 'utf8')) as { conversation: Record<string, { text: string }[]> }[]
    const turns = all.flatMap(({ conversation }) =>
      Object.entries(conversation).flatMap(([name, said]) =>
        /^session_\d+$/.test(name) ? said.map(({ text: one }) => one) : [],
      ),
    )

    expect(turns.length).toBeGreaterThan(2_000)
    expect(turns.flatMap((turn) => statedBy(user(turn))).length).toBeLessThanOrEqual(turns.length / 1_000)
  })

  it('of coding sessions without one hold none', ({ skip }) => {
    if (!fs.existsSync(TRANSCRIPTS)) return skip(`no transcripts in ${TRANSCRIPTS}`)
    const files = fs.readdirSync(TRANSCRIPTS).filter((name) => name.endsWith('.jsonl'))
    const found = files.flatMap((name) => {
      const { entries } = readAll(fs.readFileSync(path.join(TRANSCRIPTS, name)), PLAIN)
      return statedIn(entries.map((entry, n) => ({ n, entry })))
    })

    expect(found).toEqual([])
  })
})
