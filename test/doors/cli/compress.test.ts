/** `compress`, `scrub`, `dedupe` and `verify` where sessions are old: what is combined, compressed, cleaned, and said. */
import fs from 'node:fs'
import path from 'node:path'
import zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../../src/kernel/memory/disk/store.ts'
import { readSession } from '../../../src/kernel/sessions/disk/lineage.ts'
import { packedPath } from '../../../src/kernel/sessions/disk/session-archive.ts'
import { formatEntry } from '../../../src/kernel/transcript/session.ts'
import { addSession, entriesOf, fileOf, type OldSession } from '../../support/old-sessions.ts'
import { type Json, type Ran, runCommand } from '../../support/process.ts'
import { quietProject, storeOf, type TestProject, treeOf, write } from '../../support/project.ts'

const DAY_MS = 24 * 60 * 60_000
const SECRET = `gh${'p_'}aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6`

/** Commands ask the clock of the machine. */
function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().replace(/\.\d+Z$/, '.000Z')
}

function run(project: TestProject, ...args: string[]): Ran {
  return runCommand(project, args)
}

function json(project: TestProject, ...args: string[]): Json {
  return JSON.parse(run(project, ...args, '--json').out)
}

/** One of today, one of last week, one of last quarter. */
function filled(): { project: TestProject; store: Store; sessions: [OldSession, OldSession, OldSession] } {
  const project = quietProject()
  const store = storeOf(project)
  const sessions: [OldSession, OldSession, OldSession] = [
    { n: 1, at: daysAgo(1), word: 'parser' },
    { n: 2, at: daysAgo(10), word: 'lexer' },
    { n: 3, at: daysAgo(90), word: 'printer' },
  ]
  for (const session of sessions) addSession(store, session)
  return { project, store, sessions }
}

function summaryOf(session: OldSession): string {
  return fileOf(session).replace('.l1.jsonl', '.md')
}

describe('compress', () => {
  it('archives a full memory, and says when there is nothing else to do', () => {
    const project = quietProject({ rotationThresholdTokens: 1000, carryoverTokens: 300 })
    run(project, 'config', 'set', 'rotationThresholdTokens', '9000')
    for (let n = 0; n < 8; n++) run(project, 'note', '--text', `Note ${n}. ${'Words and words. '.repeat(30)}`)
    run(project, 'config', 'set', 'rotationThresholdTokens', '1000')

    expect(json(project, 'compress', '--dry-run')).toMatchObject({ archive: expect.any(String), sessions: 0 })
    const { archive } = json(project, 'compress')
    expect(fs.existsSync(path.join(project.memory, archive))).toBe(true)
    expect(run(project, 'compress').out).toBe(
      'memory.md has room: no rotation.\nEvery session that is over has its summary.\nNo session is old enough to be combined or compressed.\n',
    )
  })

  it('combines and compresses what is old, and does not do it again', () => {
    const { project, store, sessions } = filled()
    const done = json(project, 'compress')

    expect(done).toMatchObject({
      weeks: [expect.stringMatching(/^week-\d{4}-\d\d\.md$/)],
      months: [`archive/${sessions[2].at.slice(0, 7)}.md`],
      compressed: [fileOf(sessions[2])],
    })
    for (const name of [summaryOf(sessions[1]), summaryOf(sessions[2]), fileOf(sessions[2])])
      expect(fs.existsSync(path.join(store.dir, 'sessions', name))).toBe(false)
    expect(readSession(store, fileOf(sessions[2]))).toEqual(entriesOf(sessions[2]))
    expect(json(project, 'compress')).toMatchObject({ sessions: 0, weeks: [], months: [], compressed: [] })
  })

  it.each(['all', 'no'])(
    'says with --dry-run exactly what it does where %s summaries are there, and does nothing',
    (there) => {
      const { project, store, sessions } = filled()
      if (there === 'no')
        for (const session of sessions) fs.rmSync(path.join(store.dir, 'sessions', summaryOf(session)))
      const before = treeOf(store.dir)
      const planned = json(project, 'compress', '--dry-run')
      const said = run(project, 'compress', '--dry-run').out
      expect(treeOf(store.dir)).toEqual(before)
      const done = json(project, 'compress')

      expect(planned).toEqual({ ...done, dryRun: true })
      // Those of old sessions go into their week or month without one.
      expect(done).toMatchObject({ sessions: there === 'no' ? 1 : 0, months: [expect.any(String)] })
      expect(said).toMatch(/^Dry run, nothing is changed:\n/)
      expect(said).toContain(`Old summaries combined in sessions/${done.weeks[0]}`)
      expect(said).toContain('1 session compressed in sessions/archive')
    },
  )

  it('writes a summary that was deleted again, but not what a month holds', () => {
    const { project, store, sessions } = filled()
    run(project, 'compress')
    const summary = path.join(store.dir, 'sessions', summaryOf(sessions[0]))
    const before = fs.readFileSync(summary, 'utf8')
    fs.rmSync(summary)

    expect(json(project, 'compress').sessions).toBe(1)
    expect(fs.readFileSync(summary, 'utf8')).toBe(before)
  })
})

describe('a compressed session', () => {
  it('is cleaned of secrets by scrub, and keeps its entries', () => {
    const { project, store, sessions } = filled()
    const old = sessions[2]
    const [first, ...rest] = entriesOf(old)
    const text = [{ ...first, text: `the key is ${SECRET}` }, ...rest]
      .map((entry) => formatEntry(entry as never))
      .join('')
    write(path.join(store.dir, 'sessions', fileOf(old)), text)
    const state = JSON.parse(fs.readFileSync(path.join(store.dir, 'memory-index.json'), 'utf8'))
    for (const one of Object.values(state.sessions) as { file: string; bytes: number }[])
      if (one.file === fileOf(old)) one.bytes = Buffer.byteLength(text)
    write(path.join(store.dir, 'memory-index.json'), JSON.stringify(state))
    run(project, 'compress')
    const gz = path.join(store.dir, packedPath(fileOf(old)))
    expect(zlib.gunzipSync(fs.readFileSync(gz)).toString()).toContain(SECRET)

    expect(json(project, 'scrub', '--dry-run').redactions).toBe(2)
    expect(json(project, 'scrub').redactions).toBe(2)
    expect(zlib.gunzipSync(fs.readFileSync(gz)).toString()).not.toContain(SECRET)
    expect(readSession(store, fileOf(old))).toHaveLength(4)
    expect(run(project, 'verify').out).not.toContain('damaged')
  })

  it('that stands in another one is found by dedupe', () => {
    const { project, store, sessions } = filled()
    run(project, 'compress')
    const old = sessions[2]
    const copy = fileOf({ ...old, n: 9 })
    write(
      path.join(store.dir, 'sessions', copy),
      entriesOf(old).map(formatEntry).join('') + formatEntry({ role: 'user', ts: old.at, text: 'more' }),
    )

    expect(json(project, 'dedupe').removed).toEqual([{ file: fileOf(old), keptIn: copy }])
    expect(fs.existsSync(path.join(store.dir, packedPath(fileOf(old))))).toBe(false)
  })
})
