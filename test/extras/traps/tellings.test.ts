/** What is told at a file, by the shapes of tools' results: what the user refused there, and what git reverts again and again. */
import { describe, expect, it } from 'vitest'
import { type Trap, trapsIn } from '../../../src/extras/traps/tellings.ts'
import type { Entry } from '../../../src/kernel/transcript/session.ts'
import { committed, failed, interrupted, numbered, ran, refused, said, typed, used } from '../../support/story.ts'

/** Oldest first, one a day; every path is one of the project's but those in the home. */
const told = (...sessions: Entry[][]): Trap[] =>
  trapsIn(
    sessions.map((entries, i) => ({
      id8: `aaaa000${i + 1}`,
      entries: numbered(entries, `2026-01-1${i + 1}T09:00:00.000Z`),
      placeOf: (named) => (named.startsWith('~') ? null : named),
    })),
  )
const lines = (...sessions: Entry[][]): string[] => told(...sessions).map(({ path, words }) => `${path}: ${words}`)

const REFUSED = refused('Edit', 'src/a.ts', 'No regular expressions in this file.')
const asked = typed('Go on.')

describe('an edit that the user refused with words', () => {
  it('is told with the words, and where they were said', () => {
    expect(told([asked, ...REFUSED])).toEqual([
      {
        path: 'src/a.ts',
        is: 'refused',
        words: 'No regular expressions in this file.',
        tool: 'Edit',
        sessions: 1,
        at: '2026-01-11T09:01:00.000Z',
        session: 'aaaa0001',
        n: 1,
      },
    ])
  })

  it.each(['Edit', 'Write', 'MultiEdit', 'NotebookEdit'])('is told of %s', (tool) => {
    expect(lines([asked, ...refused(tool, 'src/a.ts', 'Not here.')])).toEqual(['src/a.ts: Not here.'])
  })

  it('is not told of a tool that changes no file, without words, or of a file elsewhere', () => {
    expect(lines([asked, ...refused('Read', 'src/a.ts', 'Not here.')])).toEqual([])
    expect(lines([asked, ...refused('Edit', 'src/a.ts')])).toEqual([])
    expect(lines([asked, ...refused('Edit', 'src/a.ts'), interrupted()])).toEqual([])
    expect(lines([asked, ...refused('Edit', '~/notes.md', 'Not here.')])).toEqual([])
  })

  it('is told only with words that the user typed with it', () => {
    const use = used('Edit', 'src/a.ts', { ok: false, refused: true })

    expect(lines([asked, use, typed('By a program.', { via: 'Edit', sent: true })])).toEqual([])
    expect(lines([asked, use, { ...typed('By nobody known.', { via: 'Edit' }), by: 'machine' } as Entry])).toEqual([])
    expect(lines([asked, use, typed('A new prompt.')])).toEqual([])
    expect(lines([asked, use, said('User: never edit it.')])).toEqual([])
    expect(lines([asked, failed('cat src/a.ts', 'The user refused Edit of src/a.ts'), said('Hm.')])).toEqual([])
  })

  it('is told in the newest words', () => {
    const later = refused('Write', 'src/a.ts', 'Only in b.ts.')

    expect(lines([asked, ...REFUSED], [asked, ...later])).toEqual(['src/a.ts: Only in b.ts.'])
    expect(lines([asked, ...REFUSED], [asked, ...refused('Edit', 'src/a.ts')])).toHaveLength(1)
  })

  it.each([
    ['an edit', used('Edit', 'src/a.ts')],
    ['a redirection', ran('echo x >> src/a.ts')],
    ['an edit by an agent', { ...used('Edit', 'src/a.ts'), role: 'subagent', agent: 'a1' } as Entry],
  ])('is no longer told after %s', (_, change) => {
    expect(lines([asked, ...REFUSED, change])).toEqual([])
    expect(lines([asked, ...REFUSED], [asked, change])).toEqual([])
    expect(lines([asked, change], [asked, ...REFUSED])).toHaveLength(1)
  })

  it('is still told after a change that failed, of another file, or in a run of a program', () => {
    const change = used('Edit', 'src/a.ts')

    expect(lines([asked, ...REFUSED], [asked, { ...change, ok: false } as Entry])).toHaveLength(1)
    expect(lines([asked, ...REFUSED], [asked, used('Edit', 'src/b.ts')])).toHaveLength(1)
    expect(lines([asked, ...REFUSED], [typed('Go on.', { sent: true }), change])).toHaveLength(1)
  })
})

describe('a file that git reverts', () => {
  const reverts = ran('git checkout -- src/gen.ts')

  it('is told with the last command, if it was in two sessions that had not changed it', () => {
    expect(told([reverts], [ran('make && git restore src/gen.ts')])).toEqual([
      {
        path: 'src/gen.ts',
        is: 'reverted',
        words: 'make && git restore src/gen.ts',
        tool: '',
        sessions: 2,
        at: '2026-01-12T09:00:00.000Z',
        session: 'aaaa0002',
        n: 0,
      },
    ])
    expect(lines([reverts, reverts])).toEqual([])
  })

  it('is not told if the session had changed it, or the command failed', () => {
    expect(lines([used('Edit', 'src/gen.ts'), reverts], [reverts])).toEqual([])
    expect(lines([ran('echo x > src/gen.ts'), reverts], [reverts])).toEqual([])
    expect(lines([failed('git checkout -- src/gen.ts', 'error')], [reverts])).toEqual([])
  })

  it.each([
    'git checkout main',
    'git checkout main -- src/gen.ts',
    'git restore --staged src/gen.ts',
    'git restore --source main src/gen.ts',
    'git -C ../other checkout -- src/gen.ts',
    'cd "$DIR" && git checkout -- src/gen.ts',
    'git checkout -- "src/gen.ts"',
    'git checkout -- src/*.ts',
    'git checkout -- .',
  ])('is not told after %s', (command) => {
    expect(lines([ran(command)], [ran(command)])).toEqual([])
  })

  it('is found behind a change of the directory', () => {
    const command = 'cd src && git checkout HEAD -- gen.ts'

    expect(lines([ran(command)], [ran(command)])).toEqual([`src/gen.ts: ${command}`])
  })

  it('is no longer told once it was committed', () => {
    const commit = (add: string): Entry => ran(`${add} && git commit -m "x"`, '[main 1234567] x\n 1 file changed')

    expect(lines([reverts], [reverts], [committed('1234567', 'x')])).toEqual([])
    expect(lines([reverts], [reverts], [commit('git add src')])).toEqual([])
    expect(lines([reverts], [reverts], [ran('git add src/gen.ts'), commit('true')])).toEqual([])
    expect(lines([reverts], [reverts], [ran('git commit -am "x"', '[main 1234567] x')])).toEqual([])
    expect(lines([reverts], [reverts], [commit('git add src/other.ts')])).toHaveLength(1)
    expect(lines([reverts], [reverts], [ran('git add -A')])).toHaveLength(1)
  })
})

it('the newest telling comes first', () => {
  const other = refused('Edit', 'src/b.ts', 'Later.')

  expect(lines([asked, ...REFUSED], [asked, ...other])).toEqual([
    'src/b.ts: Later.',
    'src/a.ts: No regular expressions in this file.',
  ])
})
