/** scrub reaches every file of ours about a project, wherever it lies, and leaves all others alone. */

import fs from 'node:fs'
import path from 'node:path'
import zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { secretsInFiles } from '../../../../src/core/forget/disk/scrub.ts'
import { NO_CONCEPTS } from '../../../../src/core/knowledge/concept.ts'
import { formatItems } from '../../../../src/core/knowledge/facts-file.ts'
import { redactorFor } from '../../../../src/kernel/redact/redact.ts'
import { pack } from '../../../../src/kernel/sessions/disk/session-archive.ts'
import { formatEntry } from '../../../../src/kernel/transcript/session.ts'
import { user } from '../../../fixtures/sessions.ts'
import { fact, factsWith } from '../../../support/fact.ts'
import { runCommand, runCommandJson } from '../../../support/process.ts'
import {
  append,
  fastDir,
  linesFor,
  makeProject,
  sessionId,
  setAtHome,
  storeOf,
  type TestProject,
  textsIn,
  write,
} from '../../../support/project.ts'
import { stop } from '../../../support/world.ts'

const SECRET = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'
const STEM = '20260101_090000_aaaaaaaa'
const KEY = `{"text":"no key at all","api_key":"abcd1234efgh5678ijkl"}`

const LABEL = Buffer.concat([
  Buffer.from([0x1f, 0x8b, 8, 16, 0, 0, 0, 0, 0, 255]),
  Buffer.from('source 12 34 00aa\0', 'latin1'),
  Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
])
const RAW = Buffer.concat([LABEL, zlib.gzipSync(`${JSON.stringify({ a: SECRET })}\n`), zlib.gzipSync(`${KEY}\n`)])

/** One of each kind that we write, or once wrote. */
const FILES: Record<string, string | Buffer> = {
  'memory.md': `Token ${SECRET}`,
  'lessons.md': `Token ${SECRET}`,
  'delta_temp.txt': `Token ${SECRET}`,
  'facts.json': formatItems(factsWith(fact({ text: `Token ${SECRET}` }))),
  'facts.json.broken-20260101000000': `{"decisions": [{"text": "Token ${SECRET}"}, {"te`,
  'memory-index.json.broken-20260101000000': `{"text": "Token ${SECRET}`,
  'concepts.json': JSON.stringify({
    ...NO_CONCEPTS,
    concepts: [{ id: 'c001', name: 'x', summary: `Token ${SECRET}` }],
  }),
  'standing.json': JSON.stringify({ version: 2, standing: [{ id: 't001', text: `use ${SECRET}` }] }),
  'memory_20260101_000000.md': `Token ${SECRET}`,
  'memory_20260101_000000.summary.json': JSON.stringify({ a: `Token ${SECRET}` }),
  [`sessions/${STEM}.l1.jsonl`]: formatEntry(user(`use ${SECRET}`)),
  [`sessions/${STEM}.l2.json`]: JSON.stringify({ version: 1, facts: [{ id: 'd001', text: `Token ${SECRET}` }] }),
  [`sessions/${STEM}.md`]: `Token ${SECRET}`,
  [`sessions/${STEM}.raw.jsonl.gz`]: RAW,
  'sessions/week-2026-01.md': `Token ${SECRET}`,
  'sessions/archive/2026-01.md': `Token ${SECRET}`,
  'sessions/settled/2026-01.jsonl': `${JSON.stringify({
    id: 'a',
    transcript: '/t',
    refine: { queue: [{ text: `use ${SECRET}`, ts: '', at: 'waiting', since: '' }] },
  })}\n`,
  'sessions/archive/20251201_090000_bbbbbbbb.l1.jsonl.gz': pack(Buffer.from(formatEntry(user(`use ${SECRET}`)))),
  'journal/recalls.jsonl': `${JSON.stringify({ a: `Token ${SECRET}` })}\n${KEY}\n`,
  'journal/migrated.json': JSON.stringify({ version: 1, sources: { [`/tmp/${SECRET}`]: 'x' } }),
  'journal/briefings/x.txt': `Token ${SECRET}`,
  'logs/memory-keeper.log': `Token ${SECRET}`,
}

function textAt(file: string): string {
  const bytes = fs.readFileSync(file)
  return file.endsWith('.gz') ? zlib.gunzipSync(bytes).toString() : bytes.toString()
}

function dirty(): { project: TestProject; files: string[]; others: string[] } {
  const project = makeProject()
  const store = storeOf(project)
  store.prepare()
  const { homeDir, vault, atHome, project: of } = store.places
  const backup = path.join(homeDir, 'backups', `${of.key}-20260101_000000`)
  const files = [project.memory, vault, atHome, backup].flatMap((dir) =>
    Object.entries(FILES).flatMap(([name, text]) => {
      // A command takes that over, and its copy in the vault goes, too.
      if (name === 'standing.json' && (dir === project.memory || dir === vault)) return []
      write(path.join(dir, name), text as string)
      return [path.join(dir, name)]
    }),
  )
  const log = path.join(homeDir, 'logs', 'memory-keeper.log.1')
  write(log, `Token ${SECRET}`)
  const others = [
    path.join(project.root, 'README.md'),
    path.join(homeDir, 'backups', 'other-1234567890-20260101_000000', 'memory.md'),
    path.join(homeDir, 'projects', 'other-1234567890', 'memory.md'),
    path.join(project.memory, 'config.json'),
  ]
  for (const other of others.slice(0, -1)) write(other, `Token ${SECRET}`)
  write(others.at(-1) ?? '', JSON.stringify({ redactPatterns: [SECRET] }))
  return { project, files: [...files, log], others }
}

describe('scrub', () => {
  it('reaches memory, home, vault, backups and logs, and no other project', () => {
    const { project, files, others } = dirty()
    const holding = (all: readonly string[]): string[] => all.filter((file) => /ghp_a|abcd1234/.test(textAt(file)))
    expect(holding(files)).toEqual(files)

    expect(runCommandJson(project, ['scrub', '--dry-run']).json.files).toBe(files.length)
    expect(holding(files)).toEqual(files)
    expect(runCommand(project, ['scrub']).code).toBe(0)
    expect(holding(files)).toEqual([])
    expect(holding(others)).toEqual(others)
    expect(runCommand(project, ['scrub']).out).toBe('No secrets found.\n')
  })

  it('leaves all of them readable', () => {
    const { project, files } = dirty()
    runCommand(project, ['scrub'])
    for (const file of files) {
      const lines = textAt(file)
        .split('\n')
        .filter((line) => line !== '')
      if (/\.jsonl(?:\.gz)?$/.test(file)) for (const line of lines) expect(() => JSON.parse(line), file).not.toThrow()
      else if (file.endsWith('.json')) expect(() => JSON.parse(textAt(file)), file).not.toThrow()
    }
    const raw = fs.readFileSync(path.join(project.memory, 'sessions', `${STEM}.raw.jsonl.gz`))
    expect(raw.subarray(0, LABEL.length)).toEqual(LABEL)
  })

  it('finds what doctor tells of, by the same look', () => {
    const { project, files } = dirty()
    const store = storeOf(project)
    const redact = redactorFor(store.config)

    expect(
      secretsInFiles(store, redact)
        .map(({ file }) => file)
        .sort(),
    ).toEqual([...files].sort())
    runCommand(project, ['scrub'])
    expect(secretsInFiles(store, redact)).toEqual([])
  })

  it('follows no link', () => {
    const { project } = dirty()
    const outside = path.join(project.base, 'mine.md')
    write(outside, `Token ${SECRET}`)
    fs.symlinkSync(outside, path.join(project.memory, 'link.md'))
    runCommand(project, ['scrub'])

    expect(fs.readFileSync(outside, 'utf8')).toContain(SECRET)
  })
})

describe('the fingerprints of what was forgotten', () => {
  const SESSION = sessionId(1)
  const GONE = 'The cormorant nests below the northern crane.'

  it('are no secrets: doctor is clean, scrub changes nothing, and nothing comes back', () => {
    const project = makeProject('app', fastDir())
    setAtHome(project, { summarizer: 'extractive' })
    const lines = linesFor(SESSION, project.root)
    for (let n = 0; n < 8; n++) {
      append(
        project.transcriptOf(SESSION),
        lines.prompt(10 * n, `Where is crane ${n}?`) + lines.answer(10 * n + 1, `${GONE} It has number ${n}.`),
      )
      stop(project)
    }
    expect(runCommand(project, ['forget', '--query', 'cormorant nests', '--yes'])).toMatchObject({ code: 0 })
    const store = storeOf(project)
    const copies = [project.memory, store.places.vault].map((dir) => path.join(dir, 'forgotten.jsonl'))
    const before = copies.map((file) => fs.readFileSync(file, 'utf8'))
    for (const text of before) expect(text).toContain('"keys":["')

    expect(secretsInFiles(store, redactorFor(store.config))).toEqual([])
    expect(runCommand(project, ['doctor']).out).not.toContain('looks like a secret')
    expect(runCommand(project, ['scrub']).out).toBe('No secrets found.\n')
    expect(copies.map((file) => fs.readFileSync(file, 'utf8'))).toEqual(before)

    fs.rmSync(path.join(project.memory, 'memory-index.json'))
    fs.rmSync(path.join(store.places.vault, 'memory-index.json'), { force: true })
    runCommand(project, ['import'])
    expect(runCommand(project, ['search', 'crane']).out).toContain('Where is crane')
    expect(textsIn(project.memory).filter((text) => text.includes('cormorant'))).toEqual([])
  })

  it('are all that is left: a secret beside them goes', () => {
    const project = makeProject()
    const store = storeOf(project)
    store.prepare()
    const line = (why: string): string => `${JSON.stringify({ version: 1, keys: ['0a1b2c3d4e5f60'], why })}\n`
    write(path.join(project.memory, 'forgotten.jsonl'), line(`Token ${SECRET}`))
    runCommand(project, ['scrub'])

    const text = fs.readFileSync(path.join(project.memory, 'forgotten.jsonl'), 'utf8')
    expect(text).toContain('"keys":["0a1b2c3d4e5f60"]')
    expect(text).not.toContain(SECRET)
  })
})
