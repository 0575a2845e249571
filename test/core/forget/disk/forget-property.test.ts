/** Whatever is forgotten of whatever history: none of its words is in any byte of ours, and all else is as it was. */
import fs from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type ForgetWhat, performForget } from '../../../../src/core/forget/disk/forget.ts'
import { COMMAND_WAIT_MS, type Store } from '../../../../src/kernel/memory/disk/store.ts'
import { catchUp } from '../../../../src/kernel/sessions/disk/catch-up.ts'
import { readSession } from '../../../../src/kernel/sessions/disk/lineage.ts'
import { findSessionFile } from '../../../../src/kernel/sessions/disk/sessions.ts'
import { verifySession } from '../../../../src/kernel/sessions/disk/verify.ts'
import { type Entry, spokenIn } from '../../../../src/kernel/transcript/session.ts'
import { filesWith, live, type Said } from '../../../support/forget.ts'
import {
  fastDir,
  type Lines,
  makeProject,
  NOW,
  now,
  sessionId,
  storeOf,
  type TestProject,
} from '../../../support/project.ts'

/** What is said in an entry: its own words stand nowhere else. */
interface Turn {
  is: 'decide' | 'always' | 'run' | 'talk' | 'korean' | 'issue'
}

const anyTurn: fc.Arbitrary<Turn> = fc.record({
  is: fc.constantFrom(
    'decide' as const,
    'always' as const,
    'run' as const,
    'talk' as const,
    'korean' as const,
    'issue' as const,
  ),
})
const anyHistory = fc.array(fc.array(anyTurn, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 })
const anySelector = fc.record({
  is: fc.constantFrom('entry' as const, 'range' as const, 'session' as const, 'query' as const),
  session: fc.nat(2),
  entry: fc.nat(20),
})

/** A word that nothing else says, in letters. */
function wordFor(session: number, turn: number, part: number): string {
  const letters = (n: number): string => String.fromCharCode(97 + (n % 26))
  return `qz${letters(session)}${letters(turn)}${letters(part)}ivver`
}

function linesOf(l: Lines, session: number, turns: readonly Turn[]): string {
  return turns
    .map(({ is }, i) => {
      const at = i * 10
      const w = (part: number): string => wordFor(session, i, part)
      const ask = l.prompt(
        at,
        is === 'always'
          ? `Always call the ${w(0)} before the ${w(1)} starts.`
          : `Please look at the ${w(0)} part, it is about ${w(1)}.`,
      )
      switch (is) {
        case 'run':
          return (
            ask +
            l.use(at + 1, `t${i}`, 'Bash', { command: `npm run ${w(2)}` }) +
            l.result(at + 2, `t${i}`, `${w(3)} passed\nline two`) +
            l.answer(at + 3, `The ${w(4)} works.`)
          )
        case 'decide':
          return (
            ask +
            l.answer(
              at + 1,
              `We decided to use ${w(2)} for the storage, because ${w(3)} was too slow. Everything else stays.`,
            )
          )
        case 'korean':
          return ask + l.answer(at + 1, `저장소는 ${w(2)}를 쓰기로 결정했습니다. 이유는 ${w(3)} 때문입니다.`)
        case 'issue':
          return ask + l.answer(at + 1, `The ${w(2)} endpoint still fails with a timeout. Next we must fix ${w(3)}.`)
        default:
          return ask + l.answer(at + 1, `The ${w(2)} is fine as it is.`)
      }
    })
    .join('')
}

function wordsIn(entries: readonly Entry[]): string[] {
  return [...new Set(entries.flatMap((entry) => spokenIn(entry).match(/qz[a-z]{3}ivver/g) ?? []))]
}

function entriesOf(store: Store, n: number): Entry[] {
  return readSession(store, findSessionFile(store, sessionId(n).slice(0, 8)) ?? '').filter(
    (entry): entry is Entry => entry.role !== 'tombstone',
  )
}

/** Which entries go, and how that is said. */
function chosen(
  store: Store,
  given: { is: string; session: number; entry: number },
  sessions: number,
): { what: ForgetWhat; gone: Entry[] } {
  const n = given.session % sessions
  const id8 = sessionId(n).slice(0, 8)
  const entries = entriesOf(store, n)
  const at = given.entry % entries.length
  if (given.is === 'session') return { what: { is: 'session', session: id8 }, gone: entries }
  if (given.is === 'range')
    return { what: { is: 'id', id: `L1:${id8}#${at}-${at + 2}` }, gone: entries.slice(at, at + 3) }
  const one = entries[at] as Entry
  const [word] = wordsIn([one])
  return given.is === 'query' && word !== undefined
    ? { what: { is: 'query', query: word }, gone: entries.filter((entry) => spokenIn(entry).includes(word)) }
    : { what: { is: 'id', id: `L1:${id8}#${at}` }, gone: [one] }
}

function world(history: readonly (readonly Turn[])[]): { project: TestProject; store: Store } {
  const project = makeProject('app', fastDir())
  const said: Said[] = history.map((turns, n) => ({ session: sessionId(n), transcript: (l) => linesOf(l, n, turns) }))
  return { project, store: live(project, said) }
}

it('forget leaves no word of it, touches no other entry, keeps all numbers, and it does not come back', () => {
  fc.assert(
    fc.property(anyHistory, fc.array(anySelector, { minLength: 1, maxLength: 2 }), (history, selectors) => {
      const { project, store } = world(history)
      try {
        for (const selector of selectors) {
          const before = history.map((_, n) =>
            readSession(store, findSessionFile(store, sessionId(n).slice(0, 8)) ?? ''),
          )
          if (entriesOf(store, selector.session % history.length).length === 0) continue
          const { what, gone } = chosen(store, selector, history.length)
          if (what.is === 'id' && before.flat().some((entry) => entry.role === 'tombstone')) continue
          const { left } = performForget(store, { what }, NOW)
          expect(left).toEqual([])
          const kept = history.flatMap((_, n) => entriesOf(storeOf(project), n))
          const lost = wordsIn(gone).filter((word) => !wordsIn(kept).includes(word))
          expect(filesWith(project, lost)).toEqual([])
          history.forEach((_, n) => {
            const after = readSession(storeOf(project), findSessionFile(store, sessionId(n).slice(0, 8)) ?? '')
            expect(after).toHaveLength(before[n]?.length ?? 0)
            after.forEach((entry, i) => {
              if (entry.role === 'tombstone') expect(entry.n).toBe(i)
              else expect(entry).toEqual(before[n]?.[i])
            })
          })
          catchUp(storeOf(project), { waitMs: COMMAND_WAIT_MS, now, look: 'all' })
          expect(filesWith(project, lost)).toEqual([])
          const again = storeOf(project)
          for (const [n] of history.entries())
            expect(
              verifySession(again, again.readState(), sessionId(n), project.transcriptOf(sessionId(n))).missing,
            ).toEqual([])
        }
      } finally {
        fs.rmSync(project.base, { recursive: true, force: true })
      }
    }),
    { numRuns: 8 },
  )
}, 120_000)
