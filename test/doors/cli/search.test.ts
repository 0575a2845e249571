/** `search`, `timeline`, `reindex`, and `show` for what they name. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { bash, claude, edit, user } from '../../fixtures/sessions.ts'
import { note } from '../../support/briefing.ts'
import { type Json, type Ran, runCommand, runCommandJson } from '../../support/process.ts'
import { makeProject, type TestProject, treeOf, write } from '../../support/project.ts'
import { remember } from '../../support/remembered.ts'

const ID8 = 'aaaa1111'

function memory(): TestProject {
  return remember({
    sessions: {
      [ID8]: {
        day: '2026-01-05',
        entries: [
          user('Why does the session token expire so early?'),
          bash('grep -rn maxAge src/auth/session.ts', true, 'src/auth/session.ts:12: maxAge: 300'),
          claude('It expires after 300 seconds because maxAge is given in seconds.'),
          edit('/app/src/auth/session.ts'),
          bash('git commit -am "Sessions last an hour"', true, '1 file changed'),
        ],
      },
      bbbb2222: {
        day: '2026-01-08',
        entries: [user('Paint the wombat logo green.'), claude('The logo is green\u001b[2J now.')],
      },
    },
    notes: [
      {
        ...note(0, '2026-01-05', 'The session token expired early: maxAge counts seconds.'),
        id: `n-${ID8}-0-5`,
        to: 5,
      },
      { ...note(0, '2026-01-09', 'We deploy on Tuesdays.', 'user'), id: 'n-own', session: null },
      { ...note(0, '2026-01-10', 'Invoices are sent by post.', 'user'), id: 'n-other', session: null },
    ],
    facts: {
      decisions: [
        {
          id: 'd001',
          text: 'Session tokens live one hour.',
          state: 'stale',
          at: '2026-01-05T09:05:00.000Z',
          session: ID8,
          evidence: { entry: 2, quote: 'maxAge is given in seconds' },
        },
      ],
    },
    files: {
      'project.md': '# Project\n\nA shop for bicycle parts.\n\n## Words\n\nA sprocket is no cog.\n',
      [`sessions/20260105_090000_${ID8}.md`]: `# Session ${ID8}, 2026-01-05 UTC\n<!-- session ${ID8} entries=5 -->\n\nTokens last longer.\n`,
    },
  })
}

const project = memory()
const search = (...args: string[]): Ran => runCommand(project, ['search', ...args])
const json = (...args: string[]): Json => runCommandJson(project, ['search', ...args]).json
const idsOf = ({ hits }: Json): string[] => hits.map(({ id }: Json) => id)

describe('search', () => {
  it('shows each hit with id, date, kind and snippet, and how to open it', () => {
    const { out, code } = search('deploy on tuesdays')

    expect(code).toBe(0)
    expect(out).toContain('n-own  2026-01-09 12:00  note\n  We deploy on Tuesdays.\n')
    expect(out).toMatch(
      /1 hit\. To open one: memory-keeper show n-own\nFew notes, .*the sessions were searched too\.\nTimes are in UTC\.\n$/,
    )
  })

  it('tells the state of what is not fresh', () => {
    expect(search('tokens live', '--type', 'decision').out).toMatch(/d001 {2}2026-01-05 09:05 {2}decision {2}stale/)
  })

  it('is deep when asked', () => {
    expect(json('session token maxAge', '--deep', '--limit', '20').hits.some(({ layer }: Json) => layer === 'L1')).toBe(
      true,
    )
    expect(json('maxAge', '--layer', 'L1').hits.every(({ layer }: Json) => layer === 'L1')).toBe(true)
    expect(idsOf(json('maxAge layer:L1')).length).toBeGreaterThan(0)
    expect(idsOf(json('type:prompt'))).toEqual(['L1:bbbb2222#0', `L1:${ID8}#0`])
  })

  it('looks into sessions by itself when nothing else knows, and says so', () => {
    const { out } = search('wombat logo')

    expect(out).toContain('L1:bbbb2222#0')
    expect(out).toContain('the sessions were searched too')
  })

  it('prints JSON with stars around the words', () => {
    const { hits, took_ms, news, corrected, missing, deep } = json('tuesdays')

    expect(hits).toEqual([
      {
        id: 'n-own',
        layer: 'L2',
        kind: 'note',
        session: null,
        entry: null,
        date: '2026-01-09T12:00:00.000Z',
        score: expect.any(Number),
        snippet: 'We deploy on **Tuesdays**.',
        state: '',
        also: [],
      },
    ])
    expect(took_ms).toBeGreaterThanOrEqual(0)
    expect([news, corrected, missing, deep]).toEqual([[], [], [], true])
  })

  it('prints nothing that a terminal would obey', () => {
    expect(search('logo green', '--deep').out).not.toContain('\u001b[2J')
  })

  it('takes options and operators for the same', () => {
    for (const [option, value, operator] of [
      ['--type', 'note', 'type:note'],
      ['--since', '2026-01-09', 'since:2026-01-09'],
      ['--until', '2026-01-05', 'until:2026-01-05'],
      ['--session', ID8, `session:${ID8}`],
      ['--file', 'session.ts', 'file:session.ts'],
      ['--layer', 'L3', 'layer:L3'],
    ] as const) {
      const byOption = idsOf(json('session token tuesdays wombat', option, value))
      expect(byOption.length).toBeGreaterThan(0)
      expect(byOption).toEqual(idsOf(json(`session token tuesdays wombat ${operator}`)))
    }
  })

  it('says what it took a word for', () => {
    expect(search('tuesdys').out).toContain('No match for "tuesdys"; searched tuesdays instead.')
    expect(json('tuesdys').corrected).toEqual([{ from: 'tuesdys', to: 'tuesdays' }])
  })

  it('says when it finds nothing, and when the words are too common', () => {
    expect(search('xylophone')).toMatchObject({ code: 0, out: expect.stringContaining('Nothing found for xylophone.') })
    expect(search('xylophone').out).toContain('Try other words for it or a part of a name.')
    expect(search('xylophone', '--since', '2026-01-01').out).toContain('fewer filters')
    expect(search('what is it').err).toContain('too common')
  })

  it('refuses what it does not understand', () => {
    expect(search()).toMatchObject({ code: 2, err: expect.stringContaining('There is nothing to search for.') })
    expect(search('x', '--since', 'whenever')).toMatchObject({
      code: 2,
      err: expect.stringContaining('since:2026-01-03'),
    })
    expect(search('x', '--type', 'nonsense')).toMatchObject({ code: 2, err: expect.stringContaining('decision') })
    expect(search('x', '--limit', '0')).toMatchObject({ code: 2 })
    expect(search('x', '--layer', 'L9')).toMatchObject({ code: 2, err: expect.stringContaining('L1') })
  })

  it('says what to do where nothing is remembered yet, and writes nothing into the project', () => {
    const empty = makeProject()
    const { out, err, code } = runCommand(empty, ['search', 'anything'])

    expect(code).toBe(0)
    expect(out + err).toContain('memory-keeper import')
    expect(treeOf(empty.root)).toEqual({})
  })
})

describe('a batch', () => {
  const batch = (lines: readonly (object | string)[], ...args: string[]): { answers: Json[]; code: number | null } => {
    const stdin = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
    const { out, code } = runCommand(project, ['search', '--batch', '-', ...args], {}, stdin)
    return {
      answers: out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      code,
    }
  }

  it('answers every question in its order, over all layers', () => {
    const { answers, code } = batch([
      { id: 'a', query: 'tuesdays' },
      { id: 2, query: 'wombat' },
      { id: null, query: 'xylophone' },
    ])

    expect(code).toBe(0)
    expect(answers.map(({ id }) => id)).toEqual(['a', 2, null])
    expect(answers.map((answer) => idsOf(answer)[0])).toEqual(['n-own', 'L1:bbbb2222#0', undefined])
    expect(answers[0].hits[0]).toEqual(json('tuesdays').hits[0])
  })

  it('takes what each question says besides', () => {
    const { answers } = batch(
      [
        { id: 1, query: 'session token', layers: ['L2'] },
        { id: 2, query: 'session token', types: 'decision' },
        { id: 3, query: 'session token', limit: 1 },
        { id: 4, query: 'session token' },
      ],
      '--limit',
      '2',
    )

    expect(idsOf(answers[0])).toEqual([`n-${ID8}-0-5`])
    expect(idsOf(answers[1])).toEqual(['d001'])
    expect([answers[2].hits.length, answers[3].hits.length]).toEqual([1, 2])
  })

  it('answers a bad line with an error and goes on', () => {
    const { answers, code } = batch([
      'no json',
      { id: 1 },
      { id: 2, query: 'since:never' },
      '',
      { id: 3, query: 'wombat' },
      '[1]',
    ])

    expect(code).toBe(1)
    expect(answers.map(({ id, error }) => [id, error === undefined])).toEqual([
      [null, false],
      [1, false],
      [2, false],
      [3, true],
      [null, false],
    ])
  })

  it('comes from a file, which must be there', () => {
    const file = path.join(project.base, 'questions.jsonl')
    write(file, '{"id":1,"query":"wombat"}\r\n')

    expect(runCommand(project, ['search', '--batch', file]).out).toContain('"id":1')
    expect(search('--batch', `${file}.none`)).toMatchObject({ code: 1, err: expect.stringContaining('does not exist') })
  })
})

describe('show', () => {
  const show = (...args: string[]): Ran => runCommand(project, ['show', ...args])

  it('opens whatever a search names', () => {
    const { hits } = json(
      'session token tuesdays sprocket bicycle longer invoices wombat maxAge',
      '--deep',
      '--limit',
      '50',
    )

    expect(new Set(hits.map(({ kind }: Json) => kind)).size).toBeGreaterThan(5)
    for (const { id, also } of hits)
      for (const one of [id, ...also]) expect(show(one)).toMatchObject({ code: 0, err: '' })
  })

  it('says of what is not there what there is', () => {
    for (const id of ['page:nothing', 'd999'])
      expect(show(id)).toMatchObject({ code: 1, err: expect.stringContaining('page list') })
    expect(show('what?')).toMatchObject({ code: 2, err: expect.stringContaining('page:project') })
  })
})

describe('timeline', () => {
  const timeline = (...args: string[]): Ran => runCommand(project, ['timeline', ...args])

  it('tells what happened on a day, the newest last', () => {
    const { out, code } = timeline('2026-01-05')

    expect(code).toBe(0)
    expect(out).toMatch(/^2026-01-05\n/)
    const places = ['expire so early', 'Sessions last an hour', 'maxAge counts seconds'].map((text) =>
      out.indexOf(text),
    )
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places[0]).toBeGreaterThan(0)
    expect(out).not.toContain('Tuesdays')
  })

  it('says when there was nothing, and what it takes', () => {
    expect(timeline('2020-01-01')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Nothing is remembered on 2020-01-01'),
    })
    expect(timeline('nonsense')).toMatchObject({ code: 2, err: expect.stringContaining('yesterday') })
  })
})

describe('reindex', () => {
  it('makes the index anew, and says what there is', () => {
    const mine = memory()
    const { json: first } = runCommandJson(mine, ['reindex'])
    expect(first).toMatchObject({ documents: expect.any(Number), isWhole: true })
    expect(first.bytes).toBeGreaterThan(0)
    expect(first.dir.startsWith(mine.places.cacheDir)).toBe(true)
    const stray = path.join(first.dir, 'stray')
    write(stray, 'x')

    const { out, code } = runCommand(mine, ['reindex'])
    expect(code).toBe(0)
    expect(out).toMatch(new RegExp(`done ${first.documents} documents in [\\d.]+ s`))
    expect(fs.existsSync(stray)).toBe(false)
    expect(idsOf(runCommandJson(mine, ['search', 'tuesdays']).json)).toEqual(['n-own'])
  })

  it('only says so in a dry run', () => {
    const mine = memory()
    runCommand(mine, ['search', 'tuesdays'])
    const before = treeOf(mine.places.cacheDir)

    expect(runCommand(mine, ['reindex', '--dry-run']).out).toContain('would be deleted')
    expect(treeOf(mine.places.cacheDir)).toEqual(before)
    expect(Object.keys(before).length).toBeGreaterThan(0)
  })
})
