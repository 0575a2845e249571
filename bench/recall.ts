/**
 * Does memory speak up when it knows the answer, and only then? Prompts through the shipped recall: a conversation's own
 * questions, those of others, small talk, unrelated work, and our own questions about coding sessions. `coding` as an argument
 * leaves out the conversations; `misses` prints the coding questions that were not answered.
 */

import { type Recalled, recallFor } from '../src/core/recall/disk/recall.ts'
import { judgePrompt } from '../src/core/recall/recall.ts'
import { openIndex, type SearchIndex } from '../src/core/search/disk/memory-index.ts'
import type { Store } from '../src/kernel/memory/disk/store.ts'
import { withChatter } from './support/chatter.ts'
import { now } from './support/corpus.ts'
import { type Conversation, pool, readLocomo, wordsOf } from './support/locomo.ts'
import { forget, type Memory, remember } from './support/memory.ts'
import { holdsAnswer, readCodingQuestions, readUnrelated } from './support/questions.ts'
import { percent, table } from './support/score.ts'
import { listTranscripts, rememberWork, type Work } from './support/transcripts.ts'

/** Of the turns of other conversations, every so many-th is tried as a prompt. */
const EVERY = 10
/** So many characters in common, looked for at every tenth: a note repeats the entry. */
const RUN = { chars: 30, step: 10 }
const SETS = {
  questions: 'foreign questions',
  turns: 'foreign turns',
  prompts: 'real prompts of other work',
  talk: 'small talk',
  coding: 'unrelated work',
}

interface Asked {
  set: 'own' | keyof typeof SETS
  fires: boolean
  signal: Recalled['signal']
  /** An entry that answers is told, or a note that repeats it. */
  isGold: boolean
  /** The words of the answer stand in the packet. */
  hasAnswer: boolean
  tokens: number
}

type Ask = (prompt: string) => Recalled | null

const options = process.argv.slice(2)
const unrelated = readUnrelated()
const conversations = readLocomo() ?? []
const transcripts = listTranscripts()
/** Each with what people typed in it. */
const typed = transcripts.map((name) => ({ name, prompts: withWork([name], 'sessions', ({ prompts }) => prompts) }))
const rows: string[] = []
if (!options.includes('coding')) measureDialogues(conversations)
if (transcripts.length > 0) {
  measureWork('sessions', askOthers())
  measureWork('everything', [])
}
const headings = ['memory', 'own fire', 'gold in packet', 'answer in packet', 'precision', ...Object.values(SETS)]
console.log(`node ${process.version}\n\n${table([...headings, 'tokens p50 / most'], rows)}`)

function measureDialogues(all: readonly Conversation[]): void {
  addRow('LoCoMo', askEach(all, all))
  addRow('LoCoMo, all in one memory', askEach([pool(all)], []))
  addRow('LoCoMo, Claude answers at length', askEach(withChatter(all), []))
}

/** `foreign`: whose questions and turns are foreign here, the n-th being its own. */
function askEach(all: readonly Conversation[], foreign: readonly Conversation[]): Asked[] {
  return all.flatMap((conversation, n) => {
    const memory = remember(conversation)
    try {
      return askAll(
        memory,
        foreign.filter((_, from) => from !== n),
      )
    } finally {
      forget(memory)
    }
  })
}

function askAll({ dialogue, searcher, questions }: Memory, foreign: readonly Conversation[]): Asked[] {
  const ask = asker(dialogue.place.store, searcher.index)
  const own = questions.map(({ text, gold }) => {
    const recalled = ask(text)
    const told = toldIn(recalled).flatMap((id) => {
      const [, id8 = '', entry] = /^L1:(\w{8})#(\d+)$/.exec(id) ?? []
      return dialogue.saidAt(id8, Number(entry))?.id ?? []
    })
    return { ...recordOf('own', recalled), isGold: told.some((id) => gold.has(id)) }
  })
  const real = typed.flatMap(({ prompts }) => prompts).map((text) => recordOf('prompts', ask(text)))
  return [...own, ...askForeign(foreign, ask), ...real, ...askUnrelated(ask)]
}

function askForeign(foreign: readonly Conversation[], ask: Ask): Asked[] {
  return foreign.flatMap(({ questions, said }) => [
    ...questions.map(({ text }) => recordOf('questions', ask(text))),
    ...said.filter((_, at) => at % EVERY === 0).map((one) => recordOf('turns', ask(wordsOf(one)))),
  ])
}

function askUnrelated(ask: Ask): Asked[] {
  return unrelated.map(({ query, kind }) => {
    const recalled = ask(query)
    if (recalled?.fires && options.includes('misses')) console.log(`NOISE ${kind} ${recalled.signal}: ${query}`)
    return recordOf(kind, recalled)
  })
}

/** What people typed in one session, in a memory of the others: projects that have nothing to do with it. */
function askOthers(): Asked[] {
  return typed.flatMap(({ name, prompts }) =>
    withWork(
      transcripts.filter((other) => other !== name),
      'sessions',
      (_, ask) => prompts.map((text) => recordOf('prompts', ask(text))),
    ),
  )
}

function measureWork(what: 'sessions' | 'everything', more: readonly Asked[]): void {
  const asked = withWork(transcripts, what, (work, ask) => {
    const own = readCodingQuestions().map((question): Asked => {
      const recalled = ask(question.query)
      const told = toldIn(recalled)
      const gold = work.idsOf(question.gold)
      const hasAnswer = holdsAnswer(question, recalled?.text ?? '')
      const isGold = told.some((id) => gold.has(id)) || isRepeated(work.textsOf(question.gold), recalled)
      if (!isGold && options.includes('misses'))
        console.log(`${what} ${recalled?.fires ? 'WRONG' : 'silent'}: ${question.query}\n   ${recalled?.verdict}`)
      return { ...recordOf('own', recalled), isGold, hasAnswer }
    })
    return [...own, ...askForeign(conversations, ask), ...askUnrelated(ask)]
  })
  addRow(`coding, ${what === 'sessions' ? 'sessions alone' : 'with notes, facts and summaries by code'}`, [
    ...asked,
    ...more,
  ])
}

function withWork<T>(files: readonly string[], what: 'sessions' | 'everything', use: (work: Work, ask: Ask) => T): T {
  const work = rememberWork(files, what)
  const { store, cacheDir, remove } = work.place
  const index = openIndex(store, { cacheDir, now })
  try {
    return use(work, asker(store, index))
  } finally {
    index.close()
    remove()
  }
}

function asker(store: Store, index: SearchIndex): Ask {
  const open = (): SearchIndex => Object.assign(Object.create(index), { close: () => undefined })
  return (prompt) => recallFor(store, { prompt, session: '' }, open, judgePrompt)
}

function recordOf(set: Asked['set'], recalled: Recalled | null): Asked {
  const { fires = false, signal = null, tokens = 0 } = recalled ?? {}
  return { set, fires, signal, isGold: false, hasAnswer: false, tokens }
}

function toldIn(recalled: Recalled | null): string[] {
  return (recalled?.picks ?? []).filter(({ verdict }) => verdict === 'told').map(({ id }) => id)
}

function isRepeated(gold: readonly string[], recalled: Recalled | null): boolean {
  const plain = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, ' ')
  const entries = gold.map(plain)
  const notes = (recalled?.picks ?? []).filter(({ id, verdict }) => verdict === 'told' && !id.startsWith('L1:'))
  return notes.some(({ text }) => {
    const note = plain(text)
    for (let at = 0; at + RUN.chars <= note.length; at += RUN.step)
      if (entries.some((entry) => entry.includes(note.slice(at, at + RUN.chars)))) return true
    return false
  })
}

function addRow(name: string, asked: readonly Asked[]): void {
  const share = (set: Asked['set'], is: (one: Asked) => boolean): number => {
    const those = asked.filter((one) => one.set === set)
    return those.filter(is).length / those.length
  }
  const fires = share('own', (one) => one.fires)
  const gold = share('own', ({ isGold }) => isGold)
  const answers = share('own', ({ hasAnswer }) => hasAnswer)
  const wrong = (Object.keys(SETS) as (keyof typeof SETS)[]).map((set) => share(set, (one) => one.fires))
  const tokens = asked.flatMap((one) => (one.set === 'own' && one.fires ? [one.tokens] : [])).sort((a, b) => a - b)
  const cells = [fires, gold, answers, gold / fires, ...wrong].map((one) => (Number.isNaN(one) ? '' : percent(one)))
  rows.push(
    `| ${name} | ${cells.join(' | ')} | ${tokens[Math.floor(tokens.length / 2)] ?? 0} / ${tokens.at(-1) ?? 0} |`,
  )
}
