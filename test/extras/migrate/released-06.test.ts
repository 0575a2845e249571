/** A memory that the released 0.6.1 wrote, opened by this version without `migrate`. */
import fs from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { takeFirstSteps } from '../../../src/core/extra.ts'
import { listNotes } from '../../../src/core/notes/disk/note-list.ts'
import { readRules } from '../../../src/core/pages/disk/rules.ts'
import { openStore, type Store } from '../../../src/kernel/memory/disk/store.ts'
import { allSessions } from '../../../src/kernel/memory/state.ts'
import { workName } from '../../../src/kernel/memory/work-item.ts'
import { readSessionText } from '../../../src/kernel/sessions/disk/session-archive.ts'
import { parseSession } from '../../../src/kernel/transcript/session.ts'
import { runCommand, runCommandJson } from '../../support/process.ts'
import type { TestProject } from '../../support/project.ts'
import { RELEASED_NOW, releasedProject } from '../../support/released.ts'

let project: TestProject
let store: Store
beforeEach(() => {
  project = releasedProject('0.6.1')
  store = openStore(project.places, { now: () => RELEASED_NOW })
})

/** As a start, a command or the finisher does before anything else. */
function open(): void {
  takeFirstSteps(store, RELEASED_NOW, 1_000)
}

describe('a memory of 0.6.1', () => {
  it('has all its sessions, and nothing of the transcripts is missing', () => {
    open()
    const entries = allSessions(store.readState()).map(([, { file }]) => [
      file.slice(16, 24),
      parseSession(readSessionText(store.dir, file) ?? '').entries.length,
    ])
    expect(entries).toEqual([
      ['a1000001', 8],
      ['a2000002', 6],
      ['a3000003', 4],
      ['a4000004', 16],
      ['a5000005', 13],
      ['a6000006', 13],
    ])
    expect(runCommand(project, ['verify']).code).toBe(0)
  })

  it('keeps facts.json byte for byte', () => {
    const before = fs.readFileSync(path.join(project.memory, 'facts.json'))
    open()
    const { facts } = runCommandJson(project, ['facts', 'list']).json
    expect(facts.map(({ id }: { id: string }) => id).toSorted()).toEqual(['d001', 'd004', 'i003', 'p002'])
    expect(fs.readFileSync(path.join(project.memory, 'facts.json'))).toEqual(before)
  })

  it('has its notes and rules', () => {
    open()
    const authors = listNotes(store).notes.map(({ author }) => author)
    expect(authors.toSorted()).toEqual([
      'agent',
      'extractive',
      'extractive',
      'extractive',
      'extractive',
      'user',
      'user',
    ])
    expect(readRules(store)).toEqual(expect.arrayContaining(['Answer in short sentences.']))
  })

  it('still waits for the note and the facts that an agent was asked for, and for the summary of its archive', () => {
    open()
    expect(store.readState().work.map((item) => [item.kind, workName(item), item.by, item.asked])).toEqual([
      ['note', 'a6000006-0-13', 'agent', 0],
      ['facts', 'a6000006-0-13', 'agent', 0],
      ['summary', 'memory_20261116_100800.md', null, 5],
    ])
  })

  it('keeps what a person typed into files that the program makes', () => {
    open()
    runCommand(project, ['final'])
    const texts = fs
      .readdirSync(project.memory, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => fs.readFileSync(path.join(project.memory, name), 'utf8'))
    const typed = ['week-2026-42.md', 'archive/2026-10.md', '20261109_100020_a4000004.md']
    for (const name of typed)
      expect(texts.filter((text) => text.includes(`Typed by hand into ${name}.`)).length).toBeGreaterThan(0)
  })
})
