/** Memories of earlier versions, put where those versions kept them, and what of their words is found afterwards. */
import fs from 'node:fs'
import path from 'node:path'
import { type MigrateOptions, performMigration } from '../../src/extras/migrate/disk/migrate.ts'
import { findOrigins } from '../../src/extras/migrate/disk/migrate-files.ts'
import { openStore, type Store } from '../../src/kernel/memory/disk/store.ts'
import type { Disk } from '../../src/kernel/platform/disk/files.ts'
import { takeOver } from '../../src/kernel/trust/disk/trust.ts'
import { NOW, now, type TestProject } from './project.ts'

export const FIXTURES = path.join(import.meta.dirname, '..', 'fixtures', 'legacy')
export const SEOUL: MigrateOptions = { timezone: 'Asia/Seoul', now: NOW }
/** When the files of a fixture were written; a checkout does not keep that. */
const WRITTEN = new Date('2026-01-05T10:00:00.000Z')

export function fixtureNames(): string[] {
  return fs.readdirSync(FIXTURES).sort()
}

/** As v3 and v4 did: below home, under the project's name. */
export function putAtHome(project: TestProject, fixture: string): string {
  const dir = path.join(project.keeper, 'projects', path.basename(project.root))
  copyTree(path.join(FIXTURES, fixture), dir)
  return dir
}

/** As v12 and v13 did: in the project, trusted since. */
export function putInPlace(project: TestProject, fixture: string): string {
  copyTree(path.join(FIXTURES, fixture), project.memory)
  takeOver(project.places)
  return project.memory
}

function copyTree(from: string, to: string): void {
  fs.cpSync(from, to, { recursive: true })
  for (const file of filesBelow(to)) fs.utimesSync(file, WRITTEN, WRITTEN)
}

export function storeFor(project: TestProject, disk?: Disk): Store {
  return openStore(project.places, { now, ...(disk === undefined ? {} : { disk }) })
}

export interface Run {
  effects: number
  backups: string[]
  left: string[]
}

export function migrateAll(project: TestProject, options = SEOUL, disk?: Disk): Run {
  const store = storeFor(project, disk)
  const run: Run = { effects: 0, backups: [], left: [] }
  for (const origin of findOrigins(store, undefined).origins) {
    const held = store.whileLocked(1000, () => performMigration(store, origin, options))
    if (held === null) throw new Error('the lock was taken')
    const done = held.value
    run.effects += done.effects.length
    run.left.push(...done.left)
    if (done.backup !== null) run.backups.push(done.backup)
  }
  return run
}

export function filesBelow(dir: string): string[] {
  if (!fs.existsSync(dir)) return []
  return fs.readdirSync(dir, { withFileTypes: true }).flatMap((one) => {
    const file = path.join(dir, one.name)
    return one.isDirectory() ? filesBelow(file) : [file]
  })
}

/** What a template says where nothing is known, and names of sections that have become something else. */
const NOT_SAID =
  /^(?:none|없음|permanent decisions with rationale|project memory.*|core decisions|current state|recent context|known issues|핵심 결정|현재 상태|최근 컨텍스트|알려진 문제|user|assistant|사용자|어시스턴트|[cdpi]\d{3}|last updated|마지막 업데이트)?$/

/** Every sentence of a file, as plain words: lines of markdown, texts of JSON. Dates go: they are told in another form. */
export function sentencesOf(file: string): string[] {
  const text = fs.readFileSync(file, 'utf8')
  const said = file.endsWith('.json')
    ? textsOf(text)
    : file.endsWith('.jsonl')
      ? text.split('\n').flatMap(textsOf)
      : [text]
  return said
    .flatMap((one) => one.replaceAll('\\n', '\n').split('\n'))
    .map((line) =>
      plain(
        line
          .replace(/^\s*-e\s/, '')
          .replace(/^(?:- |\*\*|#+ )*/, '')
          .replace(/^(?:사용자|어시스턴트):/, ''),
      ),
    )
    .filter((line) => !NOT_SAID.test(line))
}

/** All that a directory says, as plain words. */
export function wordsIn(dir: string): string {
  return filesBelow(dir)
    .map((file) => {
      const text = fs.readFileSync(file, 'utf8')
      const said = file.endsWith('.json')
        ? textsOf(text)
        : file.endsWith('.jsonl')
          ? text.split('\n').flatMap(textsOf)
          : [text]
      return plain(said.join(' | '))
    })
    .join(' ')
}

function textsOf(text: string): string[] {
  if (text.trim() === '') return []
  try {
    const texts: string[] = []
    JSON.parse(text, (_, value) => {
      if (typeof value === 'string') texts.push(value)
      return value
    })
    return texts
  } catch {
    return [text]
  }
}

const DATE = /\d{4}-\d\d-\d\d[_T ]?[\d:.]*(?:Z| \(?UTC\)?)?(?: \((?:\d{4}-|local )[^)]*\))?/g

function plain(text: string): string {
  return text
    .replace(DATE, ' ')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
