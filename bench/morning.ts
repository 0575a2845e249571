/**
 * The next morning: for each session a project whose memory holds that session, what the next briefing, recall and search answer of
 * `bench/morning/questions.jsonl`. By code; with `bench/morning/answers/<session>.json`, the recorded answers of a model in the order
 * of its calls, once more through the real background program. `npm run bench -- morning [--show] [--briefings DIR] [--requests DIR]`
 * prints what recall told, writes the briefings, and the requests that no recorded answer is there for.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { briefSession } from '../src/core/briefing/disk/briefing.ts'
import { noteNoticed } from '../src/core/model/disk/model-call.ts'
import { writeNotes } from '../src/core/notes/disk/background.ts'
import { careForKnowledge } from '../src/core/notes/disk/care.ts'
import { noteByCode } from '../src/core/notes/disk/notes.ts'
import { summariseSession } from '../src/core/notes/disk/summaries.ts'
import { type Recalled, recallFor } from '../src/core/recall/disk/recall.ts'
import { judgePrompt } from '../src/core/recall/recall.ts'
import { openIndex } from '../src/core/search/disk/memory-index.ts'
import { openSearcher } from '../src/core/search/disk/search.ts'
import { stateEffect } from '../src/kernel/memory/disk/store.ts'
import { allSessions, type State, sessionIn, withSessions } from '../src/kernel/memory/state.ts'
import { withOwed } from '../src/kernel/memory/work.ts'
import { captureAll } from '../src/kernel/sessions/disk/capture.ts'
import { readSession } from '../src/kernel/sessions/disk/lineage.ts'
import { sessionIdOf } from '../src/kernel/sessions/disk/transcripts.ts'
import { makePlace, now, type Place } from './support/corpus.ts'
import { table } from './support/score.ts'

interface Question {
  id: string
  session: string
  question: string
  answer: string
  keys: string[][]
}

type Way = 'code' | 'model'

interface Answered {
  question: Question
  /** How many sessions came after its own. */
  age: number
  isBriefed: boolean
  /** Null: recall did not fire. `part`: a piece of the answer that the question itself does not hold; `noise`: none. */
  told: 'right' | 'part' | 'noise' | null
  /** In the snippets of the first five hits; in their whole texts, as `get_memory` opens them. */
  isFound: boolean
  isOpened: boolean
  recalled: Recalled | null
}

const OWN = path.resolve('bench/morning')
const FOLDERS = [path.resolve('../shared/transcripts'), path.join(OWN, 'sessions')]
const WAIT_MS = 20_000
const NEXT = 'ffffffff-0000-4000-8000-000000000000'
const options = new Map(
  process.argv.slice(2).flatMap((arg, i, all) => (arg.startsWith('--') ? [[arg, all[i + 1]]] : [])),
)
const questions = readQuestions()
const names = [...new Set([...FOLDERS.flatMap(sessionsIn), ...questions.map(({ session }) => session)])].sort()

/** `--together 3`: each session as the newest of so many, questions about all of them. */
const together = Number(options.get('--together') ?? 1)

for (const way of ['code', 'model'] as const) {
  const answered: Answered[] = []
  const files = names.flatMap((name) => {
    const file = FOLDERS.map((folder) => path.join(folder, name)).find((one) => existsSync(one))
    return file === undefined || (way === 'model' && !options.has('--requests') && !existsSync(recordedFor(file)))
      ? []
      : [file]
  })
  for (const i of files.keys()) answered.push(...(await morning([...files, ...files].slice(i, i + together), way)))
  report(way, answered)
}

function recordedFor(file: string): string {
  return path.join(OWN, 'answers', path.basename(file).replace(/\.jsonl$/, '.json'))
}

function readQuestions(): Question[] {
  const file = path.join(OWN, 'questions.jsonl')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as Question)
}

function sessionsIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : []
}

/** Sessions of one project, the oldest first, each told before the next one begins. */
async function morning(files: readonly string[], way: Way): Promise<Answered[]> {
  const place = makePlace()
  try {
    for (const [i, file] of files.entries()) {
      const transcript = hostFile(place, file, files.length === 1 ? null : i)
      captureAll(place.store, [{ session: sessionIdOf(file), transcript, isHistory: true }], { waitMs: WAIT_MS, now })
      if (way === 'code') tellByCode(place)
      else await tellByModel(place, path.basename(file, '.jsonl'), recordedFor(file))
      finishAll(place)
    }
    return ask(place, files.map((file) => path.basename(file)).toReversed(), way)
  } finally {
    place.remove()
  }
}

/** Where the host would keep it: what stands elsewhere is nobody's word. Of several sessions each gets days of its own. */
function hostFile({ project, store }: Place, file: string, age: number | null): string {
  const folder = path.join(store.places.hostDir, 'projects', project.replace(/[^a-zA-Z0-9]/g, '-'))
  mkdirSync(folder, { recursive: true })
  const text = readFileSync(file, 'utf8')
  const day = age === null ? '$1' : `2026-11-${10 + 5 * age}`
  const copy = path.join(folder, path.basename(file))
  writeFileSync(copy, text.replace(/(?<="timestamp":")(\d{4}-\d\d-\d\d)(?=T)/g, day))
  return copy
}

/** As hooks saw it: a note whenever so many tools were used, and one at the end. */
function tellByCode({ store }: Place): void {
  store.whileLocked(WAIT_MS, () => {
    for (const [id, { file }] of allSessions(store.readState())) {
      let tools = 0
      const cuts = readSession(store, file).flatMap((entry, n, all) => {
        if (entry.role === 'tool') tools++
        const isCut = (entry.role === 'tool' && tools % store.config.saveInterval === 0) || n === all.length - 1
        return isCut ? [n + 1] : []
      })
      for (const due of cuts) {
        store.perform([stateEffect(live(store.readState(), id, due))])
        noteByCode(store, now())
      }
    }
  })
}

function live(state: State, id: string, due: number): State {
  const session = sessionIn(state, id)
  if (session === undefined) return state
  const next = { ...session, isLive: true as const, isEnded: true as const }
  return withOwed(withSessions({ ...state, beganAt: '2020-01-01T00:00:00.000Z' }, [[id, next]]), next, due)
}

/** In pieces as the background program takes them of a session that is over; its child is a program that gives recorded answers. */
async function tellByModel({ store, root }: Place, name: string, recorded: string): Promise<void> {
  const bin = path.join(root, 'bin')
  mkdirSync(bin, { recursive: true })
  const requests = options.get('--requests')
  if (requests !== undefined) mkdirSync(requests, { recursive: true })
  const settings = {
    recorded,
    requests: requests === undefined ? null : path.resolve(requests, name),
    at: path.join(root, `calls-${name}-`),
  }
  writeFileSync(path.join(bin, 'claude'), `#!${process.execPath}\n${child(JSON.stringify(settings))}`)
  chmodSync(path.join(bin, 'claude'), 0o755)
  store.whileLocked(WAIT_MS, () => {
    for (const [id, { entries }] of allSessions(store.readState()))
      store.perform([stateEffect(live(store.readState(), id, entries))])
  })
  noteNoticed(store.places.homeDir, 'model', now())
  const env = { PATH: bin, HOME: store.places.hostDir }
  await writeNotes(store, { now, isLate: () => false, env, platform: process.platform, tempDir: root, hostPid: null })
  store.whileLocked(WAIT_MS, () => noteByCode(store, now()))
}

/** Stands for `claude -p`: an audit that is not recorded says yes to each claim. */
function child(settings: string): string {
  return `
const fs = require('node:fs')
const { recorded, requests, at } = ${settings}
const stdin = fs.readFileSync(0, 'utf8')
const claims = [...stdin.matchAll(/^claim (\\d+):/gm)].map(([, n]) => Number(n))
const kind = claims.length > 0 ? 'audits' : 'answers'
const counter = at + kind
const n = fs.existsSync(counter) ? Number(fs.readFileSync(counter, 'utf8')) : 0
fs.writeFileSync(counter, String(n + 1))
const all = fs.existsSync(recorded) ? JSON.parse(fs.readFileSync(recorded, 'utf8')) : {}
let answer = (Array.isArray(all) ? { answers: all } : all)[kind]?.[n]
if (answer === undefined && requests !== null) fs.writeFileSync(requests + '.' + kind + '.' + n + '.txt', process.argv.slice(2).join('\\n') + '\\n\\n' + stdin)
if (answer === undefined && kind === 'audits') answer = { verdicts: claims.map((n) => ({ n, verdict: 'yes' })) }
if (answer === undefined) process.exit(1)
const usage = { input_tokens: 1, output_tokens: 1 }
process.stdout.write(JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: JSON.stringify(answer), structured_output: answer, usage }))
`
}

function finishAll({ store }: Place): void {
  store.whileLocked(WAIT_MS, () => {
    for (const [id] of allSessions(store.readState())) summariseSession(store, id)
  })
  careForKnowledge(store, { now, elapsedMs: () => 0, isLate: () => false, env: {}, platform: process.platform })
}

/** `names`: sessions, the newest first. */
function ask({ store }: Place, names: readonly string[], way: Way): Answered[] {
  const brief = briefSession(store, { session: NEXT, source: 'startup' })
  brief.keep()
  const told = brief.text ?? ''
  const folder = options.get('--briefings')
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(path.join(folder, `${names[0]}.${way}.txt`), `${told}\n`)
  }
  const { cacheDir } = store.places
  const searcher = openSearcher(store, { cacheDir, now })
  const answered = questions.flatMap((question): Answered[] => {
    const age = names.indexOf(question.session)
    if (age < 0) return []
    const { question: prompt, keys } = question
    const recalled = recallFor(
      store,
      { prompt, session: NEXT },
      (mayLag) => openIndex(store, { cacheDir, now, mayLag }),
      judgePrompt,
    )
    const { hits } = searcher.find({ query: prompt, limit: 5 })
    const opened = hits.map(({ doc }) => searcher.index.unitOf(doc)?.text ?? '')
    return [
      {
        question,
        age,
        isBriefed: holds(told, keys),
        told: recalled === null || recalled.text === '' ? null : judged(recalled.text, question),
        isFound: holds(hits.map(({ snippet }) => snippet).join('\n'), keys),
        isOpened: holds(opened.join('\n'), keys),
        recalled,
      },
    ]
  })
  searcher.close()
  return answered
}

function judged(text: string, { question, keys }: Question): 'right' | 'part' | 'noise' {
  if (holds(text, keys)) return 'right'
  return keys.some((group) => holds(text, [group]) && !holds(question, [group])) ? 'part' : 'noise'
}

/** Every group has a member in the text. */
function holds(text: string, keys: string[][]): boolean {
  const plain = fold(text)
  return keys.every((group) => group.some((key) => plain.includes(fold(key))))
}

function fold(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ')
}

function report(way: string, answered: readonly Answered[]): void {
  if (answered.length === 0) {
    console.log(`\n${way}: no questions`)
    return
  }
  const row = (name: string, some: readonly Answered[]): string => {
    const many = (is: (one: Answered) => boolean): number => some.filter(is).length
    const briefed = many(({ isBriefed }) => isBriefed)
    const recalled = (['right', 'part', 'noise'] as const).map((kind) => many(({ told }) => told === kind))
    const nowhere = (isIn: (one: Answered) => boolean): number =>
      many((one) => !one.isBriefed && one.told !== 'right' && !isIn(one))
    const cells = [
      some.length,
      `${briefed} (${((100 * briefed) / some.length).toFixed(0)} %)`,
      many(({ told }) => told !== null),
      ...recalled,
      many((one) => one.told === 'right' && !one.isBriefed),
      many(({ isFound }) => isFound),
      many(({ isOpened }) => isOpened),
      nowhere(({ isFound }) => isFound),
      nowhere(({ isOpened }) => isOpened),
    ]
    return `| ${[name, ...cells].join(' | ')} |`
  }
  const sessions = [...new Set(answered.map(({ question }) => question.session))]
  const rows = sessions.map((session) =>
    row(
      session,
      answered.filter(({ question }) => question.session === session),
    ),
  )
  console.log(`\nnotes by ${way}\n`)
  const half = (rest: number): Answered[] =>
    answered.filter(({ question }) => sessions.indexOf(question.session) % 2 === rest)
  const headings = ['questions', 'briefing', 'recall fired', 'right', 'part', 'noise', 'right and not in the briefing']
  console.log(
    table(
      ['session', ...headings, 'first five hits', 'opened', 'nowhere', 'nor opened'],
      [
        ...(together === 1 ? rows : []),
        ...[...new Set(answered.map(({ age }) => age))].map((age) =>
          row(
            age === 0 ? 'the newest' : `${age} before it`,
            answered.filter((one) => one.age === age),
          ),
        ),
        row('odd sessions', half(0)),
        row('even sessions', half(1)),
        row('all', answered),
      ],
    ),
  )
  if (options.has('--show')) for (const one of answered) show(one)
  const missed = answered.filter(({ isBriefed }) => !isBriefed)
  console.log(`\nNot in the briefing (r: recall, s: search, -: nowhere):`)
  for (const { question, told, isFound } of missed) {
    const where = told === 'right' ? 'r' : isFound ? 's' : '-'
    console.log(`${where} ${question.id} ${question.question} → ${question.answer}`)
  }
}

function show({ question, isBriefed, told, recalled }: Answered): void {
  const head = `${told ?? 'silent'} ${question.id}${isBriefed ? ' (briefed)' : ''} ${question.question}`
  console.log(`\n${head}\n   → ${question.answer}\n   ${recalled?.verdict ?? 'There is nothing to look for.'}`)
  if (told !== null) console.log(recalled?.text)
}
