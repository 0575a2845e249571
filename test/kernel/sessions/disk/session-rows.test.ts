import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../../../src/kernel/memory/disk/store.ts'
import { sessionFile } from '../../../../src/kernel/platform/layout.ts'
import { pack, packedPath } from '../../../../src/kernel/sessions/disk/session-archive.ts'
import type { RowOfSession } from '../../../../src/kernel/sessions/session-row.ts'
import { formatEntry } from '../../../../src/kernel/transcript/session.ts'
import { makeProject, storeOf, type TestProject, write } from '../../../support/project.ts'

type Rows = typeof import('../../../../src/kernel/sessions/disk/sessions.ts')

const ROWS = new URL('../../../../src/kernel/sessions/disk/sessions.ts', import.meta.url).href
let processes = 0

/** As another process would find it: the module anew, with nothing in memory. */
async function anotherProcess(): Promise<Rows> {
  processes++
  return import(/* @vite-ignore */ `${ROWS}?process=${processes}`)
}

const id8 = (n: number): string => (0x10000000 + n).toString(16)
const fileOf = (n: number): string => sessionFile(new Date(Date.UTC(2026, 0, 1 + n)).toISOString(), id8(n))

function put(store: Store, n: number, text = `goal ${n}`): string {
  const file = path.join(store.dir, 'sessions', fileOf(n))
  write(file, formatEntry({ role: 'user', ts: new Date(Date.UTC(2026, 0, 1 + n)).toISOString(), text }))
  return file
}

function filled(count: number): { project: TestProject; store: Store } {
  const project = makeProject()
  const store = storeOf(project)
  store.prepare()
  for (let n = 0; n < count; n++) put(store, n)
  return { project, store }
}

function cacheOf({ home }: TestProject): string[] {
  const dir = path.join(home, '.cache', 'memory-keeper', 'rows')
  return fs.existsSync(dir) ? fs.readdirSync(dir).map((name) => path.join(dir, name)) : []
}

function instead(file: string, put: () => void): void {
  fs.rmSync(file)
  put()
}

const goals = (rows: readonly RowOfSession[]): string[] => rows.map(({ goal }) => goal)

describe('rows of sessions', () => {
  it('come newest first, some of them and all together', async () => {
    const { store } = filled(5)
    const { sessionRows, sessionRowsOf } = await anotherProcess()

    expect(goals(sessionRows(store))).toEqual(['goal 4', 'goal 3', 'goal 2', 'goal 1', 'goal 0'])
    expect([...sessionRowsOf(store, new Set([id8(2), 'ffffffff'])).values()]).toMatchObject([{ goal: 'goal 2' }])
  })

  it('of a page are counted without reading any other session', async () => {
    const { store, project } = filled(40)
    const { sessionRowsOf } = await anotherProcess()
    // Nobody, not even root, can read a directory as a file.
    for (let n = 0; n < 30; n++) {
      fs.rmSync(path.join(store.dir, 'sessions', fileOf(n)))
      fs.mkdirSync(path.join(store.dir, 'sessions', fileOf(n)))
    }

    const shown = new Set(Array.from({ length: 10 }, (_, n) => id8(30 + n)))
    expect(goals([...sessionRowsOf(store, shown).values()])).toHaveLength(10)
    expect(fs.readFileSync(cacheOf(project)[0] ?? '', 'utf8').split('\n')).toHaveLength(12)
  })

  it('are found again by another process without reading a session', async () => {
    const { store } = filled(3)
    fs.utimesSync(put(store, 1), 1e9, 1e9)
    const before = (await anotherProcess()).sessionRows(store)
    fs.utimesSync(put(store, 1, 'goal ?'), 1e9, 1e9)

    expect((await anotherProcess()).sessionRows(store)).toEqual(before)
    expect(goals(before)).toEqual(['goal 2', 'goal 1', 'goal 0'])
  })

  it('follow the files: changed, gone, new, compressed', async () => {
    const { store } = filled(3)
    const { sessionRows } = await anotherProcess()
    sessionRows(store)
    put(store, 1, 'another goal')
    fs.rmSync(path.join(store.dir, 'sessions', fileOf(0)))
    put(store, 3)
    const plain = path.join(store.dir, 'sessions', fileOf(2))
    write(path.join(store.dir, packedPath(fileOf(2))), pack(fs.readFileSync(plain)))
    fs.rmSync(plain)

    expect(goals(sessionRows(store))).toEqual(['goal 3', 'goal 2', 'another goal'])
    expect(goals((await anotherProcess()).sessionRows(store))).toEqual(['goal 3', 'goal 2', 'another goal'])
  })

  it.each([
    ['gone', (file: string): void => fs.rmSync(file)],
    ['empty', (file: string): void => fs.writeFileSync(file, '')],
    ['of another version', (file: string): void => fs.writeFileSync(file, 'memory-keeper rows 99\nx\ty\t{}\n')],
    ['cut off', (file: string): void => fs.truncateSync(file, Math.floor(fs.statSync(file).size / 2))],
    ['full of nonsense', (file: string): void => fs.writeFileSync(file, Buffer.alloc(5_000, 200))],
    ['a directory', (file: string): void => instead(file, () => fs.mkdirSync(file))],
    ['a link', (file: string): void => instead(file, () => fs.symlinkSync('/etc/hostname', file))],
    [
      'of other shapes',
      (file: string): void =>
        fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replaceAll('"toolCounts":[]', '"toolCounts":{}')),
    ],
  ])('do not depend on a cache that is %s', async (_, damage) => {
    const { store, project } = filled(3)
    const rows = (await anotherProcess()).sessionRows(store)
    damage(cacheOf(project)[0] ?? '')

    expect((await anotherProcess()).sessionRows(store)).toEqual(rows)
  })

  it('are counted where nothing can be kept', async () => {
    const { store, project } = filled(2)
    write(path.join(project.home, '.cache'), 'a file in the place of the directory')

    expect(goals((await anotherProcess()).sessionRows(store))).toEqual(['goal 1', 'goal 0'])
    const nowhere = { ...store, dir: store.dir, places: { ...store.places, cacheDir: '' } }
    expect(goals((await anotherProcess()).sessionRows(nowhere))).toEqual(['goal 1', 'goal 0'])
  })

  it('are for this user alone, and leave no other file behind', async () => {
    const { store, project } = filled(2)
    ;(await anotherProcess()).sessionRows(store)
    const files = cacheOf(project)

    expect(files).toHaveLength(1)
    if (process.platform === 'win32') return
    expect(fs.statSync(files[0] ?? '').mode & 0o777).toBe(0o600)
    expect(fs.statSync(path.dirname(files[0] ?? '')).mode & 0o777).toBe(0o700)
  })

  it('are gone when they are removed, and what is gone leaves the cache', async () => {
    const { store, project } = filled(3)
    const { sessionRows, removeSessionRows } = await anotherProcess()
    sessionRows(store)
    fs.rmSync(path.join(store.dir, 'sessions', fileOf(1)))
    sessionRows(store)
    expect(fs.readFileSync(cacheOf(project)[0] ?? '', 'utf8')).not.toContain('goal 1')
    removeSessionRows(store)

    expect(cacheOf(project)).toEqual([])
    expect(goals(sessionRows(store))).toEqual(['goal 2', 'goal 0'])
  })

  it('are counted in steps, a pause behind each session that is read', async () => {
    const { store } = filled(4)
    const { countRows, sessionRowsOf } = await anotherProcess()
    sessionRowsOf(store, new Set([id8(3)]))

    expect([...countRows(store)]).toHaveLength(3)
    expect([...countRows(store)]).toHaveLength(0)
  })
})
