/** Every kind of file of ours, broken in five ways, with two sessions after it: what is captured, and what of the old words is left. */

import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { findProject } from '../../src/kernel/platform/disk/locate.ts'
import { BROKEN_KINDS, filesOfKind } from '../../test/support/broken-files.ts'
import { compareAll, KINDS } from './compare.ts'
import { type Kept, readKept } from './kept.ts'
import { findLeftovers } from './leftovers.ts'
import { type Lived, liveSession, makeProject, type Project, run, type Session, transcriptOf } from './programs.ts'
import { readTranscripts, type Said } from './said.ts'
import { writeTurn } from './written.ts'

const DAY_MS = 24 * 60 * 60_000
/** The host deletes transcripts that are older. */
const KEPT_DAYS = 30
const WORDS =
  'We decided to keep the depths in metres instead of feet, because every chart of the harbour uses them. The table has one row for each pier, and the tide is measured twice a day.'

const WAYS: Readonly<Record<string, (file: string) => void>> = {
  empty: (file) => writeFileSync(file, ''),
  cut: (file) => truncateSync(file, Math.floor(lstatSync(file).size / 2)),
  garbled: (file) => {
    const { size } = lstatSync(file)
    writeFileSync(file, Buffer.from(Array.from({ length: size }, (_, i) => (i * 197 + (i >> 3) * 31 + 129) % 256)))
  },
  removed: (file) => rmSync(file),
  directory: (file) => {
    rmSync(file)
    mkdirSync(file)
    writeFileSync(path.join(file, 'inside.txt'), 'put here by somebody\n')
  },
}

interface Case {
  kind: string
  way: string
  /** Hooks that failed or wrote to stderr, and finishers that did not end. */
  failures: string[]
  /** Words of the two sessions after it that are not in exactly one session file. */
  newWrong: string[]
  /** Older words that no session file contains any more, and of these the ones that the vault does not contain either. */
  oldMissing: string[]
  oldLost: string[]
  doubled: string[]
  /** Lines of the broken file that are nowhere any more. */
  linesLost: string[]
  /** What was forgotten is back. */
  returned: boolean
  /** Whether doctor names the file, a start says something to the user, and the file is as it was in the end. */
  doctorNames: boolean
  isTold: boolean
  isBack: boolean
  leftovers: string[]
}

export async function runBroken(): Promise<boolean> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'mk-broken-'))
  try {
    const furnished = await furnish(path.join(dir, 'place'))
    execFileSync('cp', ['-a', furnished.project.dir, path.join(dir, 'whole')])
    const files = filesToBreak(furnished.project)
    const all: Case[] = []
    // Sessions change files that nobody broke: what a whole memory loses by them is not counted.
    await liveOn(furnished)
    furnished.unbroken = textOf(furnished.project)
    for (const [kind, file] of files) {
      for (const way of Object.keys(WAYS)) {
        rmSync(furnished.project.dir, { recursive: true, force: true })
        execFileSync('cp', ['-a', path.join(dir, 'whole'), furnished.project.dir])
        const done = await breakOne(furnished, kind, file, way)
        all.push(done)
        const wrong = describe(done)
        if (wrong !== '') console.log(wrong)
      }
    }
    console.log(`\n${render(all)}`)
    return all.every((one) => describe(one) === '')
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

interface Furnished {
  project: Project
  said: Said[]
  forgotten: string
  now: number
  /** What there is after two sessions on the whole memory. */
  unbroken: string
}

/** A memory with files of nearly every kind: sessions of two months, notes, rules, pages, facts, an export, something forgotten. */
async function furnish(dir: string): Promise<Furnished> {
  mkdirSync(dir)
  const project = makeProject(dir, { summarizer: 'extractive', rawBackup: true, rotationThresholdTokens: 1_000 })
  const now = Date.now()
  const ages = [75, 74, 50, 45, 20, 19, 12, 3, 2]
  for (const [n, days] of ages.entries()) await liveSession(project, sessionOf(project, n + 1, now - days * DAY_MS))
  const { said } = readTranscripts(project.projects)
  for (const [n, days] of ages.entries()) if (days > KEPT_DAYS) rmSync(transcriptOf(project, idOf(n + 1)))
  const forgotten = 'k8x2'
  for (const args of [
    ['note', '--text', 'The harbour master asked for the depths in metres, on paper, once a month.'],
    ['rules', 'add', 'Never push to the harbour branch on a Friday.'],
    [
      'page',
      'set',
      'project',
      '--text',
      '# Project\n\nThe harbour table is written by hand, once a month, by two people.',
    ],
    ['lesson', 'add', 'Measure twice before the table is changed, at low tide.'],
    ['facts', 'add', 'decision', 'The depths of the harbour are kept in metres.'],
    ['search', 'harbour'],
    ['stats'],
    ['forget', '--query', forgotten, '--yes'],
    ['export', '--out', path.join(dir, 'bundle.jsonl')],
  ])
    run(project, 'cli.cjs', [...args, '--project', project.root], now)
  await liveSession(project, sessionOf(project, ages.length + 1, now - DAY_MS / 2))
  const later = readTranscripts(project.projects).said
  const known = new Set(said.map(({ kind, text }) => `${kind} ${text}`))
  const all = [...said, ...later.filter(({ kind, text }) => !known.has(`${kind} ${text}`))]
  return { project, said: all.filter(({ text }) => !hasToken(text, forgotten)), forgotten, now, unbroken: '' }
}

function hasToken(text: string, token: string): boolean {
  return text.split(/\W+/).includes(token)
}

function idOf(n: number): string {
  return `${(0xa0000000 + n).toString(16)}-0000-4000-8000-${String(n).padStart(12, '0')}`
}

function sessionOf({ root }: Project, n: number, at: number, count = 3): Session {
  const turns = Array.from({ length: count }, (_, i) => i + 1).map((turn) =>
    writeTurn(idOf(n), root, at + turn * 60_000, `k${n}x${turn}`, WORDS),
  )
  return { id: idOf(n), at, turns }
}

/** One file for each kind that docs/FILES.md names and that this project has. */
function filesToBreak({ memory, keeper, cache, root }: Project): Map<string, string> {
  const places = { memory, keeper, cache, key: findProject(root).key }
  const found = BROKEN_KINDS.map((kind) => [`${kind.in}/${kind.kind}`, filesOfKind(places, kind)[0] ?? ''] as const)
  return new Map(found.filter(([, file]) => existsSync(file) && lstatSync(file).isFile()))
}

async function breakOne(furnished: Furnished, kind: string, file: string, way: string): Promise<Case> {
  const { project, said, forgotten, now } = furnished
  const before = readFileSync(file)
  WAYS[way]?.(file)
  const doctor = run(project, 'cli.cjs', ['doctor', '--project', project.root], now)
  const lived = await liveOn(furnished)
  const kept = [project.memory, ...homeMemories(project)].map(readKept)
  const fresh = readTranscripts(project.projects).said.filter(({ sessions }) =>
    LATER.some((n) => sessions.has(idOf(n))),
  )
  const oldMissing = wordsIn('missing', said, kept.flat())
  const vault = textBelow(path.join(project.keeper, 'vault'))
  return {
    ...{ kind, way, failures: lived.flatMap(failuresOf), oldMissing },
    newWrong: [...wordsIn('missing', fresh, kept.flat()), ...wordsIn('doubled', fresh, kept.flat())],
    oldLost: oldMissing.filter((text) => !hasTokenIn(vault, text)),
    // A memory that is not ours any more is not read: then home storage has what there are transcripts of, too.
    doubled: kept.flatMap((one) => wordsIn('doubled', said, one)),
    linesLost: linesLost(furnished, kind, before),
    returned: kept.flat().some((one: Kept) => hasToken(one.text, forgotten)),
    doctorNames: `${doctor.stdout}${doctor.stderr}`.includes(path.basename(file)),
    isTold: lived.some(({ start }) => start.stdout.includes('systemMessage')),
    isBack: existsSync(file) && lstatSync(file).isFile() && readFileSync(file).equals(before),
    leftovers: leftoversOf(project),
  }
}

const LATER = [101, 102]

async function liveOn({ project, now }: Furnished): Promise<Lived[]> {
  const lived: Lived[] = []
  for (const n of LATER) lived.push(await liveSession(project, sessionOf(project, n, now + n * 60_000, 1)))
  return lived
}

function wordsIn(what: 'missing' | 'doubled', said: readonly Said[], kept: readonly Kept[]): string[] {
  const all = compareAll(said, kept)
  return KINDS.flatMap((kind) => all[kind][what].map((text) => `${kind} ${text}`))
}

function homeMemories({ keeper }: Project): string[] {
  const dir = path.join(keeper, 'projects')
  return existsSync(dir) ? readdirSync(dir).map((name) => path.join(dir, name)) : []
}

function failuresOf({ start, prompts, stops, end, finisher }: Lived): string[] {
  const failed = [start, ...prompts, ...stops, end].filter(({ status, stderr }) => status !== 0 || stderr !== '')
  return [
    ...failed.map(({ status, stderr }) => `${status}: ${stderr.slice(0, 200)}`),
    ...(finisher === null ? ['finisher'] : []),
  ]
}

function leftoversOf({ dir }: Project): string[] {
  const { locks, temporary } = findLeftovers(dir)
  return [...locks, ...temporary]
}

/** All files below a directory as one text. */
function textBelow(dir: string): string {
  if (!existsSync(dir)) return ''
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((name) => path.join(dir, name))
  return files
    .filter((file) => lstatSync(file).isFile())
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
}

function hasTokenIn(all: string, text: string): boolean {
  const token = /\bk\d+x\d+\b/.exec(text)?.[0]
  return token !== undefined && new RegExp(`\\b${token}\\b`).test(all)
}

/** Of what only the memory itself has: notes, rules, pages, facts. What is derived or written again at every event is left out. */
const REMADE =
  /^memory\/(?:journal\/|sessions\/.*\.(?:l1|raw)\.jsonl|memory-index\.json|\.|notices\.json)|^(?:keeper|cache)\//

function linesLost({ project, unbroken }: Furnished, kind: string, before: Buffer): string[] {
  if (REMADE.test(kind)) return []
  const all = textOf(project)
  const lines = before
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim())
  return lines.filter((line) => line.length >= 20 && unbroken.includes(line) && !all.includes(line))
}

/** The memory, its vault, and home storage. */
function textOf({ memory, keeper }: Project): string {
  return [memory, path.join(keeper, 'vault'), path.join(keeper, 'projects')].map(textBelow).join('\n')
}

/** Empty: nothing is wrong. */
function describe(one: Case): string {
  const lists: [name: string, list: readonly string[]][] = [
    ['failures', one.failures],
    ['new words missing or doubled', one.newWrong],
    ['old words missing', one.oldMissing],
    ['of these lost', one.oldLost],
    ['old words doubled', one.doubled],
    ['lines lost', one.linesLost],
    ['left', one.leftovers],
    ['forgotten words', one.returned ? ['are back'] : []],
  ]
  const wrong = lists.filter(([, list]) => list.length > 0)
  if (wrong.length === 0) return ''
  const parts = wrong.map(([name, list]) => `${name} (${list.length}): ${(list[0] ?? '').slice(0, 100)}`)
  return `${one.kind}, ${one.way}: ${parts.join('; ')}`
}

function render(all: readonly Case[]): string {
  const rows = Object.keys(WAYS).map((way) => {
    const cases = all.filter((one) => one.way === way)
    const count = (is: (one: Case) => boolean): number => cases.filter(is).length
    const cells = [
      cases.length,
      count(({ failures }) => failures.length > 0),
      count(({ newWrong }) => newWrong.length > 0),
      count(({ oldMissing }) => oldMissing.length > 0),
      count(({ oldLost }) => oldLost.length > 0),
      count(({ doubled }) => doubled.length > 0),
      count(({ linesLost }) => linesLost.length > 0),
      count(({ leftovers }) => leftovers.length > 0),
      count(({ returned }) => returned),
      count(({ doctorNames }) => doctorNames),
      count(({ isTold }) => isTold),
      count(({ isBack }) => isBack),
    ]
    return `| ${way} | ${cells.join(' | ')} |`
  })
  return [
    `${new Set(all.map(({ kind }) => kind)).size} kinds of files, each broken in ${rows.length} ways, then two sessions; in how many cases:`,
    '',
    '| | cases | a hook failed | new words wrong | old words in no session | of these not in the vault | old words doubled | lines lost | locks or temporary files left | forgotten words back | doctor names it | the user is told | as it was |',
    `|---|${'--:|'.repeat(12)}`,
    ...rows,
  ].join('\n')
}
