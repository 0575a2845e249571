/** What `search` says besides its hits: where it looked, which words it missed, what a query means that is none. */
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { claude, user } from '../../fixtures/sessions.ts'
import { note } from '../../support/briefing.ts'
import { fact, factsWith } from '../../support/fact.ts'
import { type Json, type Ran, runCommand, runCommandJson } from '../../support/process.ts'
import { makeProject, write } from '../../support/project.ts'
import { remember } from '../../support/remembered.ts'

const ownNote = (id: string, text: string): object => ({ ...note(0, '2026-01-09', text, 'user'), id, session: null })

const project = remember({
  sessions: {
    aaaa1111: {
      day: '2026-01-05',
      entries: [
        user('The harbour crane must not move at night.'),
        claude(
          'The crane is locked by moveCraneSafely, in the harbour office and elsewhere as long as it is dark outside.',
        ),
        user('And the lighthouse?'),
      ],
    },
    bbbb2222: { day: '2026-01-06', entries: [user('Force the harbour gate open.'), claude('Force push is done.')] },
  },
  notes: [
    ownNote('n-a', 'The crane of the harbour is red.'),
    ownNote('n-b', 'The crane in the harbour was painted.'),
    ownNote('n-c', 'Every harbour has a crane.'),
  ] as never,
  files: {
    'sessions/20260105_090000_aaaa1111.md':
      '# Session aaaa1111, 2026-01-05 UTC\n<!-- session aaaa1111 entries=3 -->\n\nAbout the lighthouse and a lamp.\n',
  },
})
const search = (...args: string[]): Ran => runCommand(project, ['search', ...args])
const json = (...args: string[]): Json => runCommandJson(project, ['search', ...args]).json
const idsOf = ({ hits }: Json): string[] => hits.map(({ id }: Json) => id)

describe('a quick search', () => {
  it('is enough where notes and facts tell of it, and says so', () => {
    expect(json('harbour crane')).toMatchObject({ deep: false })
    expect(idsOf(json('harbour crane')).toSorted()).toEqual(['n-a', 'n-b', 'n-c'])
    expect(search('harbour crane').out).toMatch(/Sessions were not searched: --deep adds them\.\nTimes are in UTC\.\n$/)
  })

  it('goes on to the sessions for a name that stands whole only there', () => {
    expect(json('harbour crane moveCraneSafely').deep).toBe(true)
    expect(idsOf(json('moveCraneSafely'))[0]).toBe('L1:aaaa1111#1')
    expect(search('moveCraneSafely').out).toMatch(/the sessions were searched too\.\nTimes are in UTC\.\n$/)
  })

  it('goes on where only the summary of a session tells of it, or too little', () => {
    expect(idsOf(json('lighthouse'))).toContain('L1:aaaa1111#2')
    expect(json('harbour crane night dark').deep).toBe(true)
  })

  it('fills the limit that was asked for', () => {
    expect(json('harbour crane', '--limit', '3')).toMatchObject({ deep: false })
    expect(json('harbour crane', '--limit', '5').hits).toHaveLength(5)
  })
})

describe('a query', () => {
  it('takes -word as typed, wherever it stands', () => {
    const expected = ['L1:bbbb2222#0']

    expect(idsOf(json('force', '-push'))).toEqual(expected)
    expect(idsOf(json('-push', 'force', '--limit', '4'))).toEqual(expected)
    expect(idsOf(json('force -push'))).toEqual(expected)
    expect(runCommandJson(project, ['search-memory', 'harbour', '-Vault', '--type', 'note']).json.hits).toHaveLength(3)
    expect(search('-push', '--', 'force').out).toContain('L1:bbbb2222#0')
  })

  it('says of an unknown option how to look for it', () => {
    expect(search('force', '--push')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/unknown option '--push'.*in quotes: memory-keeper search "/),
    })
    expect(runCommandJson(project, ['search', 'force', '--push']).json.error.code).toBe('usage')
    expect(search('--', '--push').code).toBe(0)
    expect(search('force --push').code).toBe(0)
  })

  it('has its operators in the help', () => {
    for (const operator of ['-word', 'file:', 'type:', 'since:', 'until:', 'session:', 'layer:'])
      expect(search('--help').out).toContain(operator)
  })

  it('that is an id is told how to open it', () => {
    expect(search('n-a').out).toMatch(/^This is an id\. To open it: memory-keeper show n-a\n/)
    expect(search('aaaa1111').out).toMatch(/^This is an id\./)
    expect(search('aaaa1111').out).not.toMatch(/No match|Nothing found/)
    expect(search('harbour').out).not.toContain('This is an id')
  })

  it('with words that stand nowhere is told which', () => {
    expect(search('SQLite harbour').out).toMatch(/^No match for "SQLite"\.\n/)
    expect(json('SQLite harbour').missing).toEqual(['SQLite'])
  })

  it('without words is told what there is none of', () => {
    expect(search('type:decision').out).toBe('No decision is remembered yet. Facts come with notes.\n')
    expect(search('--type', 'decision,issue').out).toContain('No decision or issue is remembered yet.')
    expect(search('since:2027-01-01').out).toContain('fits these filters')
    const { out, err } = search('"')
    expect(out + err).toBe('This query contains no word to search for.\n')
  })
})

describe('what is shown', () => {
  it('fits the terminal', () => {
    const wide = search('dark outside', '--deep').out.split('\n')

    expect(wide.some((line) => line.startsWith('  The crane is locked'))).toBe(true)
    expect(wide.filter((line) => line.startsWith('  ')).length).toBeGreaterThan(1)
    for (const line of wide) expect(line.length).toBeLessThanOrEqual(100)
  })
})

describe('a memory', () => {
  it('that is not trusted does not look empty', () => {
    const foreign = makeProject()
    write(path.join(foreign.root, '.claude', 'memory', 'memory.md'), 'Notes of a stranger.\n')

    for (const args of [['search', 'stranger'], ['timeline']]) {
      const { out, err } = runCommand(foreign, args)
      expect(out + err).toContain('is not trusted and not read: memory-keeper trust shows it.')
      expect(out + err).not.toContain('remembered')
    }
  })

  it('of facts alone has one', () => {
    const facts = remember({ facts: factsWith(fact()) })

    expect(runCommand(facts, ['timeline']).out).toMatch(/^2026-01-13\n.*decision.*d001 +Prices are kept in cents\.$/m)
  })

  it('that is empty has no timeline', () => {
    expect(runCommand(makeProject(), ['timeline']).out).toMatch(/^Nothing is remembered here yet\./)
  })

  it('has a timeline in columns', () => {
    const { out } = runCommand(project, ['timeline', '2026-01-05'])
    const places = ['The harbour crane must', 'And the lighthouse'].map((text) =>
      out.split('\n').flatMap((line) => (line.includes(text) ? [line.indexOf(text)] : [])),
    )

    expect(places.flat().length).toBeGreaterThan(1)
    expect(new Set(places.flat()).size).toBe(1)
  })
})
