/** A newcomer adds a kind of file, postcards.json, by one row: everything that walks the rows knows it. And every file that we write has a row. */
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useExtras } from '../../src/core/extra.ts'
import { fileKindOf, fileKinds, useFileKinds } from '../../src/core/files.ts'
import { planUninstall } from '../../src/core/health/disk/uninstall.ts'
import { fillVault } from '../../src/core/vault/disk/vault-restore.ts'
import { EXTRAS } from '../../src/doors/bin/extras.ts'
import { exportBundle } from '../../src/extras/bundle/disk/bundle.ts'
import { place } from '../../src/kernel/memory/document.ts'
import { type FileKind, nameIn } from '../../src/kernel/memory/file-kind.ts'
import { asText, objects, parseObject } from '../../src/kernel/platform/json.ts'
import { type Furnished, furnish } from '../support/furnished.ts'
import { runCommand, runCommandJson } from '../support/process.ts'
import { makeProject, storeOf, type TestProject, write } from '../support/project.ts'

const POSTCARDS = 'postcards.json'
const SECRET = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'

const postcardsIn = (text: string): Record<string, unknown>[] => objects(parseObject(text)?.postcards)

const KIND: FileKind = {
  name: 'postcards',
  title: 'your postcards',
  match: (file) => nameIn(file) === POSTCARDS,
  at: '',
  units: (text, file) =>
    postcardsIn(text).map(({ title }, k) => ({ id: place(file, k), kind: 'page', text: asText(title) })),
  words: { postcard: 'postcard' },
  without: (text, _, about) => {
    const [all, gone] = [postcardsIn(text), [] as string[]]
    const left = all.filter(({ title }) => !about.repeats(asText(title)) || gone.push(asText(title)) === 0)
    return {
      text: gone.length === 0 ? text : JSON.stringify({ postcards: left }),
      gone: gone.map((title) => ({ id: POSTCARDS, kind: 'postcard', text: title })),
    }
  },
  arriving: 'ours',
  isSource: true,
}

function withPostcards(...titles: string[]): TestProject {
  const project = makeProject()
  storeOf(project).prepare()
  write(
    path.join(project.memory, POSTCARDS),
    JSON.stringify({ postcards: titles.map((title) => ({ title, url: 'https://x.y' })) }),
  )
  return project
}

const textOf = (project: TestProject): string => fs.readFileSync(path.join(project.memory, POSTCARDS), 'utf8')

function useKinds(...kinds: FileKind[]): void {
  useFileKinds([...EXTRAS.flatMap(({ fileKinds: own = [] }) => own), ...kinds])
}

describe('a new kind of file', () => {
  beforeAll(() => useKinds(KIND))
  // Other test files of this process know nothing of it.
  afterAll(() => useExtras(EXTRAS))

  it('is searched', () => {
    const project = withPostcards('The lighthouse manual', 'Rye bread')

    expect(runCommandJson(project, ['search', 'lighthouse']).json).toMatchObject({
      hits: [{ id: 'postcards.json#1', kind: 'page' }],
    })
    expect(runCommand(project, ['show', 'postcards.json#2']).out).toContain('Rye bread')
  })

  it('is forgotten, by its id and by words', () => {
    const project = withPostcards('The lighthouse manual', 'Rye bread', 'A ferry timetable')

    expect(runCommand(project, ['forget', 'postcards.json#1', '--yes']).code).toBe(0)
    expect(runCommand(project, ['forget', '--query', 'ferry timetable', '--yes']).code).toBe(0)
    expect(postcardsIn(textOf(project))).toEqual([{ title: 'Rye bread', url: 'https://x.y' }])
  })

  it('is scrubbed', () => {
    const project = withPostcards(`Token ${SECRET}`)

    runCommand(project, ['scrub'])

    expect(textOf(project)).not.toContain(SECRET)
    expect(postcardsIn(textOf(project))).toHaveLength(1)
  })

  it('is kept in the vault and in a bundle', () => {
    const project = withPostcards('Rye bread')
    const store = storeOf(project)
    store.whileLocked(1000, () => fillVault(store))

    expect(fs.readFileSync(path.join(store.places.vault, POSTCARDS), 'utf8')).toBe(textOf(project))
    expect(exportBundle(store).text).toContain('"path":"postcards.json"')
  })

  it('is named by uninstall --purge and by the doctor', () => {
    const project = withPostcards('Rye bread')
    // With a teammate's folder in it, the memory is not deleted as one directory.
    write(path.join(project.memory, 'shared', 'alice', 'facts.jsonl'), '{}\n')
    const { removals } = planUninstall(storeOf(project), { isPurge: true, isAll: false })

    expect(removals).toContainEqual({ path: path.join(project.memory, POSTCARDS), what: 'the memory: your postcards' })

    write(path.join(project.memory, POSTCARDS), Buffer.from([0x7b, 0x22, 0xe9, 0x22, 0x7d]))
    expect(runCommand(project, ['doctor']).out).toContain(path.join(project.memory, POSTCARDS))
  })

  it('that the program itself needs is not in the vault, and uninstall deletes it', () => {
    const project = withPostcards('Rye bread')
    const store = storeOf(project)
    useKinds({ ...KIND, isKept: false, isOurs: true, place: POSTCARDS })
    store.whileLocked(1000, () => fillVault(store))
    const { removals } = planUninstall(store, { isPurge: false, isAll: false })
    useKinds(KIND)

    expect(fs.existsSync(path.join(store.places.vault, POSTCARDS))).toBe(false)
    expect(removals).toContainEqual({ path: path.join(project.memory, POSTCARDS), what: 'your postcards' })
  })
})

describe('a whole memory', () => {
  let whole: Furnished
  beforeAll(async () => {
    whole = await furnish()
  })
  afterAll(() => whole.remove())

  it('contains no file without a row, and rows have a title or a name that says it', () => {
    const { memory } = whole.project
    const files = fs
      .readdirSync(memory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(memory, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    const found = new Set(files.map((file) => fileKindOf(file)?.name))

    expect(files.filter((file) => fileKindOf(file) === null)).toEqual([])
    // Furnished enough to say something.
    expect(found.size).toBeGreaterThan(15)
    expect(fileKinds().filter(({ title }) => title === undefined)).toEqual([])
  })
})
