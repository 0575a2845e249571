/** One memory directory: what it refuses, what it sweeps, what its log keeps to itself. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { noteHookTime, readHookTimes, trimReceipts } from '../../../../src/core/receipts/disk/journal.ts'
import { sweepStrays, writtenDirs } from '../../../../src/kernel/memory/disk/our-files.ts'
import { logFailure } from '../../../../src/kernel/platform/disk/log.ts'
import { makeProject, NOW, storeOf, tempDir, treeOf, write } from '../../../support/project.ts'

describe('a store', () => {
  it.each(['../outside.txt', '/tmp/outside.txt', 'sessions/../../outside.txt', '..'])(
    'refuses to write to %s',
    (to) => {
      const project = makeProject()
      const store = storeOf(project)

      expect(() => store.perform([{ do: 'write', path: to, text: 'x' }])).toThrow(
        expect.objectContaining({ code: 'outside' }),
      )
      expect(() => store.perform([{ do: 'remove', path: to }])).toThrow(expect.objectContaining({ code: 'outside' }))
      expect(fs.existsSync(path.join(project.root, '.claude', 'outside.txt'))).toBe(false)
    },
  )

  it('makes no directory before something is written', () => {
    const project = makeProject()
    storeOf(project).readState()

    expect(treeOf(project.base)).toEqual({ app: 'directory', home: 'directory' })
  })

  it('keeps fields of the state that it does not know', () => {
    const project = makeProject()
    const store = storeOf(project)
    store.perform([{ do: 'write', path: 'memory-index.json', text: '{"version":9,"counter":3,"later":{"a":1}}' }])

    expect(store.readState()).toMatchObject({ counter: 3, later: { a: 1 } })
  })

  it('writes the same again when an append is repeated', () => {
    const project = makeProject()
    const store = storeOf(project)
    const file = path.join(project.memory, 'x.txt')
    store.perform([{ do: 'appendAt', path: 'x.txt', at: 0, text: 'first\n' }])
    for (let times = 0; times < 2; times++)
      store.perform([{ do: 'appendAt', path: 'x.txt', at: 6, text: 'zweite Zeile ü\n' }])
    expect(fs.readFileSync(file, 'utf8')).toBe('first\nzweite Zeile ü\n')

    store.perform([{ do: 'appendAt', path: 'x.txt', at: 6, text: '2\n' }])
    expect(fs.readFileSync(file, 'utf8')).toBe('first\n2\n')
  })

  it('is swept of temporary files of the dead, and of nothing else', () => {
    const dir = tempDir()
    const old = Date.now() / 1000 - 3600
    for (const name of [
      'state.json.123.tmp',
      'sessions/a.l1.jsonl.77.tmp',
      'notes.tmp',
      'fresh.json.5.tmp',
      'memory.md',
    ]) {
      write(path.join(dir, name), 'x')
      if (!name.startsWith('fresh')) fs.utimesSync(path.join(dir, name), old, old)
    }
    sweepStrays([dir, path.join(dir, 'sessions')], Date.now())

    expect(Object.keys(treeOf(dir))).toEqual(['fresh.json.5.tmp', 'memory.md', 'notes.tmp', 'sessions'])
  })
})

it('a directory keeps a temporary file that only the clock of this machine takes for old', () => {
  const dir = tempDir()
  write(path.join(dir, 'state.json.123.tmp'), 'x')
  sweepStrays([dir], Date.now() + 3_600_000)

  expect(Object.keys(treeOf(dir))).toEqual(['state.json.123.tmp'])
})

describe('the log', () => {
  it('tells the kind of a failure and its place, never what was being read', () => {
    const dir = tempDir()
    const secret = 'hunter2-is-my-password'
    const errors = [
      new SyntaxError(`Unexpected token in "${secret}" at position 3`),
      new Error(`first line\n${secret}\n    at ${secret} (x.js:1:1)`),
      secret,
    ]
    for (const error of errors) logFailure(dir, NOW, 'hook', error)

    const log = fs.readFileSync(path.join(dir, 'logs', 'memory-keeper.log'), 'utf8')
    expect(log).not.toContain(secret)
    expect(log.split('\n')).toHaveLength(4)
    expect(log).toMatch(/^2026-01-13T12:00:00.000Z hook: SyntaxError at .*store\.test\.ts/)
  })

  it('of a place that cannot be written is no failure of its own', () => {
    const file = path.join(tempDir(), 'a-file')
    write(file, 'x')

    expect(() => logFailure(file, NOW, 'hook', new Error('x'))).not.toThrow()
  })
})

describe('the journal', () => {
  it('keeps its newer half when it has grown too large, and passes over torn lines', () => {
    const dir = tempDir()
    noteHookTime(dir, { at: NOW, event: 'Stop', ms: 1 })
    const file = path.join(dir, 'journal', 'hooks.jsonl')
    fs.appendFileSync(file, `{"torn\n${`${JSON.stringify({ at: NOW, event: 'Old', ms: 1 })}\n`.repeat(12_000)}`)
    noteHookTime(dir, { at: NOW, event: 'Newest', ms: 2 })
    const before = fs.statSync(file).size
    // A journal is bounded by the sessions that it tells of, too.
    write(path.join(dir, 'sessions', 'x.l1.jsonl'), ' '.repeat(4_000_000))
    trimReceipts({ dir })

    expect(fs.statSync(file).size).toBeLessThan(before * 0.6)
    expect(readHookTimes(dir).at(-1)?.event).toBe('Newest')
    expect(readHookTimes(dir).length).toBeGreaterThan(5000)
  })
})

it('temporary files of killed writers are swept wherever we write, and a new one stays', () => {
  const project = makeProject()
  storeOf(project).prepare()
  const { homeDir, cacheDir, vault, atHome } = project.places
  const index = path.join(cacheDir, 'index', '0a1b2c3d4e5f60')
  const folders = [
    project.memory,
    path.join(project.memory, 'journal', 'briefings'),
    path.join(project.memory, 'sessions', 'settled'),
    homeDir,
    path.join(homeDir, 'trust'),
    path.join(homeDir, 'finishers'),
    vault,
    path.join(vault, 'sessions', 'archive'),
    path.join(atHome, 'sessions'),
    index,
    path.join(cacheDir, 'rows'),
    path.join(cacheDir, 'compiled'),
  ]
  for (const folder of folders) fs.mkdirSync(folder, { recursive: true })
  const old = folders.map((folder) => path.join(folder, 'file.json.123.tmp'))
  const young = folders.map((folder) => path.join(folder, 'other.json.123.tmp'))
  for (const file of [...old, ...young]) write(file, 'x')
  for (const file of old) fs.utimesSync(file, 1, 1)
  sweepStrays(writtenDirs(storeOf(project)), Date.now())

  expect(old.filter((file) => fs.existsSync(file))).toEqual([])
  expect(young.filter((file) => !fs.existsSync(file))).toEqual([])
})
