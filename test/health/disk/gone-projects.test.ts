/** What is left of projects that are gone, and what killed writers left wherever we write. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Check } from '../../../src/health/disk/check.ts'
import { checkHealth } from '../../../src/health/disk/health.ts'
import { sweepStrays } from '../../../src/memory/disk/store.ts'
import { writtenDirs } from '../../../src/memory/disk/strays.ts'
import { runCommand, runCommandJson } from '../../support/process.ts'
import {
  append,
  linesFor,
  projectAt,
  quietProject,
  sessionId,
  storeOf,
  type TestProject,
  turns,
  write,
} from '../../support/project.ts'
import { finishHere, LATER, stop } from '../../support/world.ts'

/** A project with a memory, a copy of it and an index, at home with another one. */
async function lived(beside: TestProject, name: string): Promise<TestProject> {
  const root = path.join(beside.base, name)
  fs.mkdirSync(root, { recursive: true })
  const project = projectAt(root, beside.home)
  append(project.transcriptOf(sessionId(1)), turns(linesFor(sessionId(1), root), 0, 2))
  stop(project)
  await finishHere(project, { for: 'end', session: sessionId(1) }, { now: () => LATER })
  return project
}

function indexIn({ places }: TestProject): string[] {
  return fs.readdirSync(path.join(places.cacheDir, 'index')).sort()
}

function cacheCheck(project: TestProject): Check | undefined {
  const world = { now: LATER, nodeVersion: process.version, version: '0.0.0', programs: null }
  return checkHealth(storeOf(project), world).find(({ name }) => name === 'cache')
}

describe('projects that are gone', () => {
  it('leave only caches that are removed: copies and records stay', async () => {
    const project = await lived(quietProject(), 'app')
    const gone = await lived(project, 'gone')
    await lived(project, 'there')
    expect(indexIn(project)).toHaveLength(3)
    fs.rmSync(gone.root, { recursive: true })

    expect(cacheCheck(project)).toMatchObject({ verdict: 'warning', mend: 'caches' })
    const { json } = runCommandJson(project, ['doctor', '--fix', '--dry-run'])
    expect(json.mended.map(({ mend }: { mend: string }) => mend)).toContain('caches')
    expect(indexIn(project)).toHaveLength(3)

    runCommand(project, ['doctor', '--fix'])
    expect(indexIn(project)).toHaveLength(2)
    expect(fs.existsSync(gone.places.vault)).toBe(true)
    expect(fs.existsSync(gone.places.trustRecord)).toBe(true)
    expect(cacheCheck(project)).toMatchObject({ verdict: 'ok' })
  })
})

describe('compiled code', () => {
  it('of another build than the newest is removed', () => {
    const project = quietProject()
    const dir = path.join(project.places.cacheDir, 'compiled')
    const files = ['aaaaaaaaaaaa', 'bbbbbbbbbbbb'].map((build) => path.join(dir, `keeper-${build}-v20.1.0-x64-gc.bin`))
    for (const file of files) write(file, 'code')
    fs.utimesSync(files[0] ?? '', 1, 1)
    runCommand(project, ['doctor', '--fix'])

    expect(files.map((file) => fs.existsSync(file))).toEqual([false, true])
  })
})

describe('temporary files of killed writers', () => {
  it('are swept wherever we write, and a new one stays', async () => {
    const project = await lived(quietProject(), 'app')
    const { keeperDir, cacheDir, vault, atHome } = project.places
    const index = path.join(cacheDir, 'index', indexIn(project)[0] ?? '')
    const folders = [
      project.memory,
      path.join(project.memory, 'journal', 'briefings'),
      path.join(project.memory, 'sessions', 'settled'),
      keeperDir,
      path.join(keeperDir, 'trust'),
      path.join(keeperDir, 'finishers'),
      vault,
      path.join(vault, 'sessions', 'archive'),
      path.join(atHome, 'sessions'),
      index,
      path.join(cacheDir, 'rows'),
      path.join(cacheDir, 'compiled'),
    ]
    const old = folders.map((folder) => path.join(folder, 'file.json.123.tmp'))
    const young = folders.map((folder) => path.join(folder, 'other.json.123.tmp'))
    for (const file of [...old, ...young]) write(file, 'x')
    for (const file of old) fs.utimesSync(file, 1, 1)
    sweepStrays(writtenDirs(storeOf(project)), Date.now())

    expect(old.filter((file) => fs.existsSync(file))).toEqual([])
    expect(young.filter((file) => !fs.existsSync(file))).toEqual([])
  })
})
