import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Cursor, newCursor, newSession } from '../../../src/kernel/memory/session-state.ts'
import { knownEntries, readPiece, renderOpen, settle, withoutKnown } from '../../../src/kernel/sessions/capture.ts'
import { openEntries } from '../../../src/kernel/transcript/open-entries.ts'
import { type Entry, entryKey, parseSession } from '../../../src/kernel/transcript/session.ts'
import {
  assistant,
  brief,
  PLAIN,
  PROGRESS,
  queueLine,
  readAll,
  readOn,
  result,
  SNAPSHOT,
  says,
  stored,
  user,
  uses,
} from '../../support/transcript.ts'

const glued = `${user('one').trimEnd()}${says('two')}`
const KINDS = [
  user('안녕 😀 "quoted" \\ end'),
  says('three\nlines\nhere'),
  assistant([
    { type: 'text', text: 'a' },
    { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'x' } },
  ]),
  result('t1', 'out'),
  uses('t2', 'Read', { file_path: '/a' }),
  queueLine('enqueue', 'later'),
  queueLine('remove'),
  PROGRESS,
  SNAPSHOT,
  glued,
  glued.replaceAll('\n', '\r\n'),
  '\n',
  'not json\n',
]

/** Feeds the bytes piece by piece; what was not read comes again with the next piece. */
function readInPieces(
  bytes: Buffer,
  cuts: readonly number[],
  isLast: (i: number) => boolean,
): { entries: Entry[]; bad: number; cursor: Cursor } {
  let cursor = newCursor('t')
  let bad = 0
  const entries: Entry[] = []
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  for (const [i, end] of ends.entries()) {
    const isEnd = end === bytes.length
    const read = readPiece(
      stored(cursor),
      { bytes: bytes.subarray(cursor.offset, end), isLast: isEnd || isLast(i) },
      PLAIN,
    )
    entries.push(...read.entries)
    bad += read.badLines
    cursor = read.cursor
  }
  return { entries, bad, cursor }
}

describe('reading a transcript that grows', () => {
  it('gives the same entries wherever the pieces end', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...KINDS), { maxLength: 12 }),
        fc.constantFrom('', '\ufeff'),
        fc.array(fc.nat(8000), { maxLength: 12 }),
        fc.infiniteStream(fc.boolean()),
        (lines, mark, cuts, last) => {
          const bytes = Buffer.from(mark + lines.join(''))
          const whole = readAll(bytes)
          const read = readInPieces(bytes, cuts, () => last.next().value === true)
          expect(read.entries).toEqual(whole.entries)
          expect(openEntries(read.cursor.refine)).toEqual(whole.open)
          expect([read.bad, read.cursor.offset]).toEqual([whole.bad, bytes.length])
        },
      ),
      { numRuns: 300 },
    )
  })

  it('lets a half-written last line wait until it is whole', () => {
    const line = says('slowly written')
    const first = readAll(user('go') + line.slice(0, 60))
    expect(brief(first.entries)).toEqual(['user: go'])
    expect(first).toMatchObject({ bad: 0, cursor: { offset: user('go').length } })
    expect(brief(readOn(first.cursor, line).entries)).toEqual(['assistant: slowly written'])
  })
})

describe('entries met again', () => {
  const said = (text: string, ts = '1'): Entry => ({ role: 'user', ts, text })

  it('are left out as often as they are known, and no more often', () => {
    const known = knownEntries([
      said('a'),
      said('a'),
      said('b'),
      { role: 'tombstone', n: 3, key: entryKey(said('gone')) },
    ])
    const fresh = withoutKnown([said('a'), said('new'), said('a'), said('a'), said('gone'), said('b', '2')], known)
    expect(fresh).toEqual([said('new'), said('a'), said('b', '2')])
  })

  it('leave exactly what is new of any list read again', () => {
    const entry = fc
      .tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2'))
      .map(([text, ts]) => said(text, ts))
    fc.assert(
      fc.property(fc.array(entry), fc.array(entry), (before, after) => {
        expect(withoutKnown([...before, ...after], knownEntries(before))).toHaveLength(after.length)
        expect(withoutKnown(before, knownEntries([...before, ...after]))).toEqual([])
      }),
    )
  })
})

describe('settling', () => {
  it('counts entries, bytes and tools of the main thread', () => {
    const { entries } = readAll(KINDS.join('') + says('sub', { isSidechain: true }))
    const before = { ...newSession('t'), entries: 3, bytes: 100, tools: 1 }
    const { session, text, work } = settle(before, entries)
    expect(parseSession(text)).toEqual({ entries, bad: 0 })
    expect(work).toBe(entries.filter((entry) => entry.role === 'tool').length)
    expect(session).toMatchObject({
      entries: 3 + entries.length,
      bytes: 100 + Buffer.byteLength(text),
      tools: 1 + work,
    })
  })

  it('puts open entries of the session and its subagents behind', () => {
    const own = readAll(uses('t1', 'Bash', { command: 'x' }) + queueLine('enqueue', 'later'))
    const sub = readAll(uses('t2', 'Bash', { command: 'y' }), { ...PLAIN, agent: 'a1' })
    const session = { ...newSession('t'), ...own.cursor, tools: 4, agents: { a1: sub.cursor } }
    const { entries } = parseSession(renderOpen(session))
    expect(entries).toEqual([...own.open, ...sub.open])
    expect(entries).toHaveLength(3)
  })
})
