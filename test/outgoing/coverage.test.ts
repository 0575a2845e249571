/** Entries that carry weight and that no fact tells. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { labelledSessions } from '../../bench/support/coverage-labels.ts'
import type { NewFact } from '../../src/knowledge/fact.ts'
import type { DraftQuestion } from '../../src/knowledge/fact-draft.ts'
import type { Numbered } from '../../src/notes/digest.ts'
import { uncovered } from '../../src/outgoing/coverage.ts'
import { weightyIn } from '../../src/outgoing/coverage-weight.ts'
import { extractFacts } from '../../src/outgoing/fact-extract.ts'
import type { Entry } from '../../src/transcript/session.ts'
import { bash, claude, edit, read, SESSIONS, session, user } from '../fixtures/sessions.ts'
import { readAll } from '../support/transcript.ts'

const TRANSCRIPTS = path.resolve(import.meta.dirname, '../../../shared/transcripts')
const NOBODY: ReadonlySet<number> = new Set()

const asked = (...entries: Entry[]): DraftQuestion[] => uncovered(session(entries), [], NOBODY)
const kindsOf = (...entries: Entry[]): string[] => weightyIn(session(entries)).map(({ n, kind }) => `${n} ${kind}`)

function fact(text: string, entry: number, quote: string): NewFact {
  return {
    type: 'decision',
    text,
    reason: null,
    status: null,
    resolution: null,
    at: '',
    session: 'abcdefgh',
    evidence: { entry, quote },
    files: [],
    concept: null,
    state: 'fresh',
    author: 'agent',
  }
}

describe('weight', () => {
  it('is in decisions, corrections, causes, what is open, and what a command taught', () => {
    const kinds = kindsOf(
      user("Let's use SQLite instead of files for the cache."),
      bash('npm run build', false, "Error: Cannot find module 'better-sqlite3'"),
      claude('The build failed because the package was never installed.'),
      user('No, take the built-in module of Node.'),
      claude('Done. Migrating old caches is not implemented yet.'),
    )

    for (const kind of ['0 decision', '1 issue', '2 cause', '3 correction', '4 issue']) expect(kinds).toContain(kind)
  })

  it('is not in small talk, plans, looks and listings', () => {
    expect(
      asked(
        user('hi'),
        claude('Hello! How can I help?'),
        user('continue'),
        claude('Let me look at the files first.'),
        bash('ls -la src', true, 'total 8\nindex.ts'),
        read('src/index.ts'),
        user('좋아 계속해줘'),
        claude('I will check the tests now.'),
        user('thanks, looks good'),
      ),
    ).toEqual([])
  })

  it('is greater in a person’s own words than in Claude’s', () => {
    const [first, second] = asked(
      claude('I decided to use tabs instead of spaces in the parser.'),
      user("Let's use Postgres instead of SQLite for the reports."),
    )

    expect([first?.entry, second?.entry]).toEqual([1, 0])
  })

  it('is not in a decision that was taken back by the person', () => {
    const kinds = kindsOf(
      user("Let's use Redis for sessions."),
      claude('Okay.'),
      user("No, let's not use Redis for sessions."),
    )

    expect(kinds).not.toContain('0 decision')
  })

  it('is in a failure that was overcome, told by what failed', () => {
    const [question] = asked(
      bash('npm test', false, 'FAIL test/a.test.ts > keeps the order\n1 failed, 4 passed'),
      edit('src/a.ts'),
      bash('npm test', true, '5 passed'),
    )

    expect(question).toMatchObject({ entry: 0, excerpt: 'FAIL test/a.test.ts > keeps the order' })
  })
})

describe('an entry is covered', () => {
  const entries = session([
    user('Good. The nightly export must never run before 3 am, since the bank closes its books then.'),
    claude('Understood.'),
  ])
  const isAsked = (facts: readonly NewFact[], nothingIn: ReadonlySet<number> = NOBODY): boolean =>
    uncovered(entries, facts, nothingIn).some(({ entry }) => entry === 0)

  it('by a fact in other words that tells what it tells', () => {
    expect(isAsked([])).toBe(true)
    expect(
      isAsked([fact('The export runs nightly, never before 3 am: the bank closes its books.', 1, 'Understood')]),
    ).toBe(false)
    expect(isAsked([fact('Reports are sent as PDF files to the accountants.', 1, 'Understood')])).toBe(true)
  })

  it('by a fact that is proved by its weighty sentence', () => {
    expect(isAsked([fact('See there.', 0, 'must never run before 3 am')])).toBe(false)
    expect(isAsked([fact('See there.', 0, 'Good')])).toBe(true)
  })

  it('when somebody looked at it and found nothing', () => {
    expect(isAsked([], new Set([0]))).toBe(false)
  })
})

describe('questions', () => {
  const many = session(
    Array.from({ length: 30 }, (_, i) => user(`From now on module${i} must always use option${i} in file${i}.ts.`)),
  )

  it('are eight at most, the weightiest first, one for an entry', () => {
    const questions = uncovered(many, [], NOBODY)

    expect(questions.length).toBe(8)
    expect(new Set(questions.map(({ entry }) => entry)).size).toBe(8)
    expect(questions.map(({ weight }) => weight)).toEqual(
      questions.map(({ weight }) => weight).toSorted((a, b) => b - a),
    )
  })

  it('say what to look for and how to say that there is nothing', () => {
    const [question] = asked(user("Let's use SQLite instead of files for the cache."))

    expect(question?.ask).toContain('decision')
    expect(question?.ask).toContain('nothingIn')
    expect(question?.excerpt).toContain('SQLite')
  })

  it('show a short part of a long sentence', () => {
    const [question] = asked(user(`We decided that ${'the importer and the exporter, '.repeat(8)} use UTC.`))

    expect(question?.excerpt.length).toBeLessThanOrEqual(200)
  })

  it('ask about the same thing once', () => {
    const questions = asked(
      user("Let's use SQLite instead of files for the cache."),
      claude('I decided to use SQLite instead of files for the cache.'),
    )

    expect(questions.map(({ entry }) => entry)).toEqual([0])
  })

  it('end: whoever answers all of them is asked about the rest, and then about nothing', () => {
    const seen = new Set<number>()
    for (let round = 0; round < 10; round++) for (const { entry } of uncovered(many, [], seen)) seen.add(entry)

    expect(uncovered(many, [], seen)).toEqual([])
    expect(seen.size).toBe(30)
  })
})

describe('labelled sessions', () => {
  const sessions = labelledSessions()
  const factsOf = (one: (typeof sessions)[number], keys: readonly string[]): NewFact[] =>
    one.facts
      .filter(({ key }) => keys.includes(key))
      .map(({ text, entry, quote, resolution }) => ({
        ...fact(text, entry ?? -1, quote),
        resolution: resolution ?? null,
      }))

  it('are asked about every fact that is missing, in half of them and in all', () => {
    for (const one of sessions) {
      for (const given of [one.half, []]) {
        const missing = one.facts.map(({ key }) => key).filter((key) => !given.includes(key))
        const told = uncovered(one.entries, factsOf(one, given), NOBODY).flatMap(({ entry }) => one.worth[entry] ?? [])

        expect(missing.filter((key) => !told.includes(key))).toEqual([])
      }
    }
  })

  it('are hardly asked anything when their facts are complete', () => {
    const all = sessions.flatMap((one) =>
      uncovered(
        one.entries,
        factsOf(
          one,
          one.facts.map(({ key }) => key),
        ),
        NOBODY,
      ),
    )

    expect(all.length).toBeLessThanOrEqual(3)
  })
})

describe('for any entries', () => {
  const entry = fc.oneof(
    fc.constantFrom(...SESSIONS.flatMap((one) => one.entries.map((each) => each.entry as Entry))),
    fc.string().map((text) => user(text)),
    fc.string().map((text) => claude(text)),
    fc.tuple(fc.string(), fc.boolean(), fc.string()).map(([cmd, ok, output]) => bash(cmd, ok, output)),
  )

  it('nothing is asked about what was looked at, or about entries that are not there', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 20 }), fc.array(fc.nat(20)), (all, looked) => {
        const numbers = uncovered(session(all), [], new Set(looked)).map((one) => one.entry)

        expect(numbers.filter((n) => looked.includes(n) || n >= all.length)).toEqual([])
        expect(numbers.length).toBeLessThanOrEqual(8)
      }),
    )
  })

  it('facts that repeat what carries weight leave no question', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 20 }), (all) => {
        const entries = session(all)
        const facts = weightyIn(entries).map(({ n, text, printed }) => fact(printed ?? text, n, text))

        expect(uncovered(entries, facts, NOBODY)).toEqual([])
      }),
    )
  })
})

describe.skipIf(!fs.existsSync(TRANSCRIPTS))(`real transcripts (skipped without ${TRANSCRIPTS})`, () => {
  it('get few questions, quickly, beside what code finds by itself', () => {
    const counts = fs
      .readdirSync(TRANSCRIPTS)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => {
        const { entries } = readAll(fs.readFileSync(path.join(TRANSCRIPTS, name)))
        const piece = entries.slice(-300).map((entry, n): Numbered => ({ n, entry }))
        return uncovered(piece, extractFacts('00000000', piece, 10), NOBODY).length
      })
      .sort((a, b) => a - b)

    expect(counts.at(-1)).toBeLessThanOrEqual(8)
    expect(counts[Math.floor(counts.length / 2)]).toBeLessThanOrEqual(4)
  })
})
