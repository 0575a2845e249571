/** What people wrote into summaries, weeks and months, which 0.6 kept there, becomes one note; the files are made again. */

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { renderSessionFactFiles } from '../../../../src/core/knowledge/disk/facts.ts'
import { writeFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { NO_ITEMS } from '../../../../src/core/knowledge/items.ts'
import { ageTiers, renderAgain, rendersOf } from '../../../../src/core/notes/disk/tiers.ts'
import { openIndex } from '../../../../src/core/search/disk/memory-index.ts'
import { takeOverRenders } from '../../../../src/extras/migrate/disk/renders-06.ts'
import { openStore, type Store } from '../../../../src/kernel/memory/disk/store.ts'
import { notesIn } from '../../../../src/kernel/memory/note.ts'
import { fact, factsWith } from '../../../support/fact.ts'
import { Killed, killingDisk } from '../../../support/killing-disk.ts'
import { addSession, fileOf, id8Of, type OldSession } from '../../../support/old-sessions.ts'
import { fastDir, makeProject, now, storeOf, type TestProject, treeOf, write } from '../../../support/project.ts'

const NOW = '2026-02-20T12:00:00.000Z'
const DAYS = ['2025-12-30', '2026-01-12', '2026-01-26', '2026-02-18']
const SESSIONS: OldSession[] = DAYS.map((day, n) => ({ n, at: `${day}T10:00:00.000Z`, word: `word${n}` }))
const MONTH = 'archive/2026-01.md'
const WEEK = 'week-2026-05.md'
const SUMMARY = '20260218_100000_00000003.md'

/** A summary, a week and two months; by hand: a line in each, one twice, one in place of ours. */
function lived(isEdited = true): { project: TestProject; store: Store; clean: object } {
  const project = makeProject('app', fastDir())
  const store = storeOf(project)
  for (const session of SESSIONS) addSession(store, session)
  ageTiers(store, { now: NOW, isLate: () => false })
  const facts = [2, 3].map((n) => fact({ id: `d00${n}`, text: `Use word${n}.`, session: id8Of(n) }))
  writeFacts(store, NO_ITEMS, factsWith(...facts), NOW)
  renderSessionFactFiles(store)
  const clean = treeOf(path.join(store.dir, 'sessions'))
  // As 0.6 kept them: one as facts.json has it, one with a fact that facts.json lost.
  for (const [n, more] of [
    [2, []],
    [3, [{ id: 'd009', text: 'Lost.' }]],
  ] as const)
    edit(store, extractedOf(n), (text) =>
      JSON.stringify({ ...JSON.parse(text), version: 1, uncovered: [1], facts: [...JSON.parse(text).facts, ...more] }),
    )
  if (!isEdited) return { project, store, clean }
  edit(store, MONTH, (text) => `${text}\nMary has the key.\n\n## Plans\n\nAsk Tom, too.\n`)
  edit(store, WEEK, (text) => text.replace('- 2026-01-26 User:', 'Mary has the key.\n- 2026-01-26 Mary asked:'))
  edit(store, SUMMARY, (text) => `${text}\nThe printer burned. <!-- note n-1 author=user at=x -->\n`)
  return { project, store, clean }
}

function extractedOf(n: number): string {
  return fileOf(SESSIONS[n] as OldSession).replace('.l1.jsonl', '.l2.json')
}

function edit(store: Store, name: string, change: (text: string) => string): void {
  const file = path.join(store.dir, 'sessions', name)
  write(file, change(fs.readFileSync(file, 'utf8')))
}

function read(store: Store, name: string): string {
  return fs.readFileSync(path.join(store.dir, name), 'utf8')
}

function finish(store: Store): void {
  takeOverRenders(store, NOW)
  renderSessionFactFiles(store)
  renderAgain(store, new Set(SESSIONS.flatMap((session) => rendersOf(fileOf(session)))), NOW)
}

/** Without what a killed writer left, and without the copies. */
function rendered(store: Store): object {
  const files = Object.entries(treeOf(path.join(store.dir, 'sessions')))
  return Object.fromEntries(files.filter(([name]) => !/\.tmp$|\.before-0\.7$/.test(name)))
}

/** Without the state, a random token and what a killed writer left. */
function contentOf(dir: string): object {
  return Object.fromEntries(
    Object.entries(treeOf(dir)).filter(([name]) => !/\.tmp$|^\.owner$|^memory-index\.json$/.test(name)),
  )
}

describe('the facts of a session as 0.6 extracted them', () => {
  it('are made from facts.json, and stay in a copy where facts.json lost one', () => {
    const { store, clean } = lived(false)
    const before = read(store, `sessions/${extractedOf(3)}`)
    renderSessionFactFiles(store)
    expect(read(store, `sessions/${extractedOf(3)}`)).toBe(before)
    finish(store)

    expect(rendered(store)).toEqual(clean)
    expect(read(store, `sessions/${extractedOf(3)}.before-0.7`)).toBe(before)
    expect(fs.existsSync(path.join(store.dir, 'sessions', `${extractedOf(2)}.before-0.7`))).toBe(false)
    expect(fs.existsSync(path.join(store.dir, 'memory.md'))).toBe(false)
  })
})

describe('lines by hand in a summary, a week and a month', () => {
  it('become one note of an unknown author, each line once, and the files are made again', () => {
    const { store, clean } = lived()
    const before = [MONTH, WEEK, SUMMARY].map((name) => read(store, `sessions/${name}`))
    finish(store)

    const notes = notesIn(read(store, 'memory.md'))
    expect(notes).toHaveLength(1)
    expect(notes[0]).toMatchObject({ author: 'unknown', session: null })
    for (const line of ['Mary has the key.', 'Plans', 'Ask Tom, too.', 'Mary asked:', 'The printer burned.'])
      expect(notes[0]?.text.split(line), line).toHaveLength(2)
    expect(rendered(store)).toEqual(clean)
    expect([MONTH, WEEK, SUMMARY].map((name) => read(store, `sessions/${name}.before-0.7`))).toEqual(before)
  })

  it('are found as the words of an unknown author, and their old files are not searched', () => {
    const { project, store } = lived()
    finish(store)
    const index = openIndex(store, { cacheDir: project.places.cacheDir, now })
    index.refresh()
    const docs = Array.from({ length: index.columns.count }, (_, doc) => doc)
    const units = docs.flatMap((doc) => index.unitOf(doc) ?? []).filter(({ text }) => text.includes('Mary has the key'))
    index.close()

    expect(units.map(({ kind, by }) => [kind, by])).toEqual([['note', 'author unknown']])
  })

  it('are taken over once, and again when a person writes again', () => {
    const { store, clean } = lived()
    finish(store)
    const once = treeOf(store.dir)
    finish(store)
    expect(treeOf(store.dir)).toEqual(once)

    edit(store, WEEK, (text) => `${text}\nMary has the key.\nTom has it now.\n`)
    finish(store)
    const notes = notesIn(read(store, 'memory.md'))
    expect(notes).toHaveLength(2)
    expect(notes[1]?.text).toContain('Tom has it now.')
    expect(notes[1]?.text).not.toContain('Mary')
    expect(rendered(store)).toEqual(clean)
    for (const line of ['Mary asked:', 'Tom has it now.'])
      expect(read(store, `sessions/${WEEK}.before-0.7`)).toContain(line)
  })

  it('are no note where a session, an item or a render says the same: an earlier version left no marks', () => {
    const { store, clean } = lived(false)
    for (const name of [MONTH, WEEK]) edit(store, name, (text) => text.replace(/ ours=[0-9a-f,]*/g, ''))
    finish(store)

    expect(fs.existsSync(path.join(store.dir, 'memory.md'))).toBe(false)
    expect(rendered(store)).toEqual(clean)
  })

  it('stay where they are in a week or month without its sessions, or of another origin', () => {
    const { store } = lived()
    fs.rmSync(path.join(store.dir, 'sessions', fileOf(SESSIONS[2] as OldSession)))
    write(path.join(store.dir, 'sessions', 'week-2025-20.md'), '# Our week\n\nIt was long.\n')
    const before = [WEEK, 'week-2025-20.md'].map((name) => read(store, `sessions/${name}`))
    finish(store)

    expect([WEEK, 'week-2025-20.md'].map((name) => read(store, `sessions/${name}`))).toEqual(before)
    expect(notesIn(read(store, 'memory.md'))[0]?.text).not.toContain('It was long.')
  })

  it('are neither lost nor doubled by a kill at any write: a second run ends as one without a kill', () => {
    const { store: whole } = lived()
    finish(whole)
    const expected = contentOf(whole.dir)
    for (let at = 0; ; at++)
      for (const how of ['before', 'partial', 'after'] as const) {
        const { project } = lived()
        const store = openStore(project.places, { now, disk: killingDisk([{ after: at, how }]) })
        let isKilled = false
        try {
          takeOverRenders(store, NOW)
        } catch (error) {
          if (!(error instanceof Killed)) throw error
          isKilled = true
        }
        finish(storeOf(project))
        expect(contentOf(project.memory)).toEqual(expected)
        if (!isKilled) {
          expect(at).toBeGreaterThan(5)
          return
        }
      }
  })
})
