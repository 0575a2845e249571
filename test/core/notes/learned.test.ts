/** What was expensive to find out, by the shapes of tools' results; a line goes as soon as the old way works. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { learnedIn } from '../../../src/core/notes/learned.ts'
import type { Learned } from '../../../src/core/notes/learned-use.ts'
import type { Entry } from '../../../src/kernel/transcript/session.ts'
import { wildSession } from '../../support/briefing.ts'
import { failed, interrupted, numbered, ran, refused, said, used } from '../../support/story.ts'

/** Oldest first, one a day. */
const learnt = (...sessions: Entry[][]): Learned[] =>
  learnedIn(
    sessions.map((entries, i) => ({
      id8: `aaaa000${i + 1}`,
      entries: numbered(entries, `2026-01-1${i + 1}T09:00:00.000Z`),
    })),
  )
const lines = (...sessions: Entry[][]): string[] => learnt(...sessions).map(({ text }) => text)

const missed = (name: string, output = 'File does not exist.'): Entry => used('Read', name, { ok: false, output })

describe('a file under a wrong name', () => {
  const wrong = missed('.golangci.yml', 'File does not exist. Did you mean .golangci.yaml?')

  it('is told with its right one, with where it was met last', () => {
    expect(learnt([wrong], [said('Hm.'), wrong])).toEqual([
      {
        key: 'Read .golangci.yml',
        text: '`.golangci.yml` does not exist: it is `.golangci.yaml`',
        said: '',
        at: '2026-01-12T09:01:00.000Z',
        session: 'aaaa0002',
        n: 1,
        sessions: 2,
      },
    ])
  })

  it('is no longer told once that Read works', () => {
    expect(lines([wrong], [used('Read', '.golangci.yml')])).toEqual([])
    expect(lines([used('Read', '.golangci.yml')], [wrong])).toHaveLength(1)
  })

  it('that was only guessed is told if it was met in two sessions', () => {
    expect(lines([missed('src/index.ts'), missed('src/index.ts')])).toEqual([])
    expect(lines([missed('src/index.ts')], [missed('src/index.ts')])).toEqual(['`src/index.ts` does not exist'])
  })

  it('that was guessed twice is told with the file that was read instead both times', () => {
    const guessed = [missed('src/log/logging.ts'), said('Hm.'), used('Read', 'src/log/logger.ts')]
    const other = [missed('src/log/logging.ts'), used('Read', 'src/log/file.ts')]

    expect(lines(guessed)).toEqual([])
    expect(lines(guessed, guessed)).toEqual([
      '`src/log/logging.ts` does not exist; `src/log/logger.ts` was read instead',
    ])
    expect(lines(guessed, other)).toEqual(['`src/log/logging.ts` does not exist'])
    expect(lines(guessed, guessed, [used('Read', 'src/log/logging.ts')])).toEqual([])
  })

  it('is the one of the same name elsewhere, but no other kind of file and none that is read much later', () => {
    const toldAfter = (...reads: Entry[]): string | undefined => {
      const guessed = [missed('src/a/index.ts'), ...reads]
      return lines(guessed, guessed)[0]
    }

    expect(toldAfter(used('Read', 'lib/index.ts'))).toContain('`lib/index.ts` was read instead')
    expect(toldAfter(used('Read', 'src/a/index.md'))).not.toContain('instead')
    expect(toldAfter(...Array(8).fill(said('Hm.')), used('Read', 'lib/index.ts'))).not.toContain('instead')
  })

  it('that is too long to be read whole is told until it was', () => {
    const long = missed('src/all.ts', 'File content (26800 tokens) exceeds maximum allowed tokens (25000).')

    expect(lines([long], [used('Read', 'src/all.ts', { offset: 1, limit: 200 })])).toEqual([
      '`src/all.ts` is too long to be read whole',
    ])
    expect(lines([long], [used('Read', 'src/all.ts')])).toEqual([])
  })
})

describe('a search in a wrong path', () => {
  const wrong = used('Grep', 'parseDate lib/date', { ok: false, output: 'Path does not exist: /home/me/app/lib/date' })
  const right = used('Grep', 'parseDate src/date')

  it('is told if it was met in two sessions, with the path in which the same was searched next', () => {
    expect(lines([wrong, right])).toEqual([])
    expect(lines([wrong], [wrong, said('Hm.'), right])).toEqual([
      'there is no `lib/date` to search; `src/date` was searched instead',
    ])
    expect(lines([wrong], [wrong, used('Grep', 'parseTime src/date')])).toEqual(['there is no `lib/date` to search'])
  })

  it('goes when a search there works, and is none that failed for its pattern', () => {
    expect(lines([wrong], [wrong], [used('Grep', 'formatDate lib/date')])).toEqual([])
    const pattern = used('Grep', 'parse(a/b lib/date', { ok: false, output: 'regex parse error: parse(a/b' })
    expect(lines([pattern], [pattern])).toEqual([])
  })
})

describe('a skill that does not exist', () => {
  const unknown = used('Skill', 'ship', { ok: false, output: '<tool_use_error>Unknown skill: ship</tool_use_error>' })

  it('is told until it works', () => {
    expect(lines([unknown])).toEqual(['there is no skill `ship`'])
    expect(lines([unknown], [used('Skill', 'ship')])).toEqual([])
  })

  it('is not told if the skill only failed', () => {
    expect(lines([used('Skill', 'ship', { ok: false, output: 'The hook said no.' })])).toEqual([])
  })
})

describe('a program that is not installed', () => {
  it.each([
    ['bash', 'staticcheck ./...', 'Exit code 127\n/bin/bash: line 1: staticcheck: command not found'],
    ['zsh', 'staticcheck ./...', 'Exit code 127\n(eval):1: command not found: staticcheck'],
    ['sh', 'cd src && staticcheck .', 'Exit code 127\nsh: 1: staticcheck: not found'],
  ])('is told as %s says it', (_, cmd, output) => {
    expect(lines([failed(cmd, output)])).toEqual(['`staticcheck` is not installed'])
  })

  it('is no longer told once it runs, also in a chain', () => {
    const missing = failed('staticcheck .', 'Exit code 127\nbash: staticcheck: command not found')

    expect(lines([missing], [ran('cd src && staticcheck . | head')])).toEqual([])
    expect(lines([missing], [ran('echo staticcheck')])).toHaveLength(1)
  })

  it('is no longer told once it fails for a reason of its own', () => {
    const missing = failed('staticcheck .', 'Exit code 127\nbash: staticcheck: command not found')

    expect(lines([missing], [failed('staticcheck .', 'Exit code 1\na.go:3: unused')])).toEqual([])
    expect(lines([missing], [failed('make up && staticcheck .', 'Exit code 2\nmake: broken')])).toHaveLength(1)
  })

  it('is nothing that another exit code tells', () => {
    expect(lines([failed('make x', 'Exit code 2\nmake: x: command not found')])).toEqual([])
  })
})

describe('a flag that fails', () => {
  const wrong = failed('golint run --fast ./...', 'Exit code 3\nError: unknown flag: --fast')

  it('is told with the line that names it, if the program runs without it later', () => {
    expect(lines([wrong, ran('golint run ./...')])).toEqual(['`golint … --fast` fails: Error: unknown flag: --fast'])
    expect(lines([wrong])).toEqual([])
  })

  it('is not told if it ever worked, or if long output only mentions it', () => {
    expect(lines([ran('golint run --fast .')], [wrong, ran('golint run .')])).toEqual([])
    const long = failed('golint run --fast .', `Exit code 1\nuse --fast for less\n${'many lines\n'.repeat(60)}`)
    expect(lines([long, ran('golint run .')])).toEqual([])
  })

  it('is a flag of a single command: in a chain anything may have failed', () => {
    const chain = failed('make up && golint run --fast .', 'Exit code 1\nunknown flag: --fast')

    expect(lines([chain, ran('golint run .')])).toEqual([])
  })
})

describe('a task that a runner does not know', () => {
  const unknown = failed('mise run lint:full', 'Exit code 1\nmise ERROR no task lint:full found')
  const works = ran('mise run lint')

  it('is told with the line that names it and the similar one that works', () => {
    expect(lines([unknown, said('Hm.'), works])).toEqual([
      '`mise run lint:full` fails: mise ERROR no task lint:full found; `mise run lint` works',
    ])
    const wrong = failed('make tests', "Exit code 2\nmake: *** No rule to make target 'tests'. Stop.")
    expect(lines([wrong, ran('make test')])).toEqual([
      "`make tests` fails: make: *** No rule to make target 'tests'. Stop.; `make test` works",
    ])
  })

  it('goes when it works, and was none if it worked before', () => {
    expect(lines([unknown, works], [ran('mise run lint:full')])).toEqual([])
    expect(lines([ran('mise run lint:full')], [unknown, works])).toEqual([])
  })

  it('needs a similar task of the same runner that works soon, without a change in between', () => {
    expect(lines([unknown])).toEqual([])
    expect(lines([unknown, ran('mise run serve')])).toEqual([])
    expect(lines([unknown, ran('npm run lint')])).toEqual([])
    expect(lines([unknown, used('Edit', 'src/a.ts'), works])).toEqual([])
    expect(lines([unknown, ...Array(8).fill(said('Hm.')), works])).toEqual([])
  })

  it('is none whose output is long or does not name it, or one of a chain', () => {
    expect(lines([failed('mise run lint:full', 'Exit code 1\nbroken'), works])).toEqual([])
    expect(lines([failed('mise run lint:full', `Exit code 1\nlint:full\n${'a warning\n'.repeat(60)}`), works])).toEqual(
      [],
    )
    expect(lines([failed('mise run fmt && mise run lint:full', 'Exit code 1\nno task lint:full'), works])).toEqual([])
  })

  it('may have any name', () => {
    expect(lines([failed('npm run "a(b"', 'Exit code 1\nMissing script: "a(b"'), ran('npm run "a(bc"')])).toHaveLength(
      1,
    )
  })
})

describe('a task that the user refuses', () => {
  const slow = (cmd = 'mise run test:all'): Entry[] => refused('Bash', cmd, 'too slow.')

  it('is told with the user’s words if it was refused in two sessions', () => {
    expect(lines([...slow(), ...slow()])).toEqual([])
    expect(learnt(slow(), refused('Bash', 'mise run test:all'))).toMatchObject([
      { text: '`mise run test:all` was refused in 2 sessions', said: 'too slow.', session: 'aaaa0002', sessions: 2 },
    ])
  })

  it('may as well have been stopped while it ran, if the user said nothing', () => {
    const stopped = [...refused('Bash', 'mise run dev'), interrupted()]

    expect(lines(stopped, stopped)).toEqual(['`mise run dev` was refused or stopped in 2 sessions'])
  })

  it('goes when it runs, whether it passes or not', () => {
    expect(lines(slow(), slow(), [ran('mise run test:all')])).toEqual([])
    expect(lines(slow(), slow(), [failed('mise run test:all', '3 failed')])).toEqual([])
    expect(lines(slow(), slow(), [used('Bash', 'mise run test:all', { ok: null })])).toHaveLength(1)
  })

  it('comes back when it is refused in two sessions after it ran', () => {
    const since = [slow(), [ran('mise run test:all')], slow()]

    expect(lines(...since)).toEqual([])
    expect(lines(...since, slow())).toEqual(['`mise run test:all` was refused in 2 sessions'])
  })

  it('counts each link of a chain on its own', () => {
    const chain = refused('Bash', 'mise run fmt && mise run test:all 2>&1 | tail -20', 'not now')

    expect(lines(slow(), chain)).toEqual(['`mise run test:all` was refused in 2 sessions'])
    expect(learnt(chain, slow())[0]?.said).toBe('too slow.')
    expect(learnt(chain, chain)[0]?.said).toBe('')
  })

  it('is told with the task of the same runner that ran instead', () => {
    expect(lines(slow(), [...slow(), ran('mise run test')])).toEqual([
      '`mise run test:all` was refused in 2 sessions; `mise run test` ran',
    ])
  })

  it('is another task of the same runner, or one behind a pipe, only if it is the same', () => {
    expect(lines(slow('mise run test:all'), slow('mise run test'))).toEqual([])
    expect(lines(slow('mise run test:all | tail'), slow('mise run test:all | head -5'))).toHaveLength(1)
  })

  it('is no loop of the shell', () => {
    const loop = slow('while read line; do echo $line; done')

    expect(lines(loop, loop)).toEqual([])
  })

  it('is no standing wish if it is git: one-off refusals end with their session', () => {
    expect(lines(slow('git push'), slow('git push'))).toEqual([])
  })
})

describe('a file that the user does not let Claude change', () => {
  const edit = (comment = 'it is generated'): Entry[] => refused('Edit', 'src/api.gen.ts', comment)

  it('is told if it was refused in two sessions', () => {
    expect(lines(edit())).toEqual([])
    expect(learnt(edit(), edit())).toMatchObject([
      { text: '`Edit src/api.gen.ts` was refused in 2 sessions', said: 'it is generated' },
    ])
  })

  it('goes when such a change is let through', () => {
    expect(lines(edit(), edit(), [used('Edit', 'src/api.gen.ts')])).toEqual([])
    expect(lines(edit(), edit(), [used('Edit', 'src/other.ts')])).toHaveLength(1)
  })

  it('is no plan and no dialog', () => {
    expect(lines(refused('ExitPlanMode', '# A plan', 'no'), refused('ExitPlanMode', '# A plan', 'no'))).toEqual([])
  })
})

describe('all that was learned', () => {
  it('stands in order: met in most sessions first, then the newest', () => {
    const first = missed('a.yml', 'File does not exist. Did you mean a.yaml?')
    const second = missed('b.yml', 'File does not exist. Did you mean b.yaml?')
    const third = missed('c.yml', 'File does not exist. Did you mean c.yaml?')

    expect(learnt([first, second], [third], [second]).map(({ key }) => key)).toEqual([
      'Read b.yml',
      'Read c.yml',
      'Read a.yml',
    ])
  })

  it('contains nothing of our own tools', () => {
    const ours = used('Skill', 'memory-keeper:memory-facts', { ok: false, output: 'Unknown skill: memory-facts' })

    expect(lines([ours], [ours])).toEqual([])
  })

  it('names a use that happened, and says each thing once', () => {
    fc.assert(
      fc.property(fc.array(wildSession, { maxLength: 4 }), (sessions) => {
        const found = learnt(...sessions)

        expect(new Set(found.map(({ key }) => key)).size).toBe(found.length)
        for (const { session, n, text } of found) {
          expect(sessions[Number(session.at(-1)) - 1]?.[n]?.role).toBe('tool')
          expect(text).not.toBe('')
        }
      }),
    )
  })
})
