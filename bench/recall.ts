/**
 * Does memory speak up when it knows the answer, and only then? Prompts through the shipped recall with its real gate: a
 * conversation's own questions, those of others, small talk, unrelated work, and our own questions about coding sessions.
 */

import type { Store } from '../src/memory/disk/store.ts'
import { type Recalled, recallFor } from '../src/recall/disk/recall.ts'
import { GATE, judgePrompt } from '../src/recall/recall.ts'
import { openIndex, type SearchIndex } from '../src/search/disk/index/index.ts'
import { withChatter } from './support/chatter.ts'
import { now } from './support/corpus.ts'
import { type Conversation, pool, readLocomo, wordsOf } from './support/locomo.ts'
import { forget, type Memory, remember } from './support/memory.ts'
import { holdsAnswer, readCodingQuestions, readUnrelated } from './support/questions.ts'
import { percent, table } from './support/score.ts'
import { listTranscripts, rememberWork, type Work } from './support/transcripts.ts'

const SCALES = [0.25, 0.35, 0.5, 0.7, 0.85, 1, 1.2, 1.5, 2]
const LEAST = SCALES[0] ?? 1
const THRESHOLDS = ['ours', 'lookingBack', 'named', 'other'] as const
const SHIPPED = { ...GATE }
/** Of the turns of other conversations, every so many-th is tried as a prompt. */
const EVERY = 10

type Group = 'own' | 'questions' | 'turns' | 'prompts' | 'talk' | 'coding'

interface Asked {
  set: Group
  /** Number of the memory, and of the conversation that the prompt comes from; -1: from none. */
  memory: number
  from: number
  /** How many times the evidence that the shipped gate needs; 0: never enough. */
  strength: number
  isGold: boolean
  /** The words of the answer stand in the packet. */
  hasAnswer: boolean
  tokens: number
}

type Ask = (prompt: string) => Recalled | null

const unrelated = readUnrelated()
const conversations = readLocomo() ?? []
const transcripts = listTranscripts()
/** Each with what people typed in it. */
const typed = transcripts.map((name) => ({ name, prompts: withWork([name], 'sessions', ({ prompts }) => prompts) }))
if (conversations.length > 0) measureDialogues(conversations)
if (transcripts.length > 0) {
  measureWork('sessions', askOthers())
  measureWork('everything', [])
}

function measureDialogues(all: readonly Conversation[]): void {
  const asked = withMemories(all, (memories) => memories.flatMap((memory, n) => askAll(memory, n, all)))
  console.log(`node ${process.version}, ${count(asked, 'own')} own questions, ${asked.length} prompts in all\n`)
  tellCurve('LoCoMo', asked)
  tellTokens(asked)
  tellHeldOut(asked, all.length)
  for (const [name, others] of [
    ['LoCoMo, all in one memory', [pool(all)]],
    ['LoCoMo, Claude answers at length', withChatter(all)],
  ] as const) {
    const more = withMemories(others, (memories) => memories.flatMap((memory, n) => askAll(memory, n, [])))
    tellCurve(name, more)
  }
}

function withMemories<T>(all: readonly Conversation[], use: (memories: readonly Memory[]) => T): T {
  const memories = all.map(remember)
  try {
    return use(memories)
  } finally {
    for (const memory of memories) forget(memory)
  }
}

/** `all`: whose questions and turns are foreign here, the n-th being its own. */
function askAll(memory: Memory, n: number, all: readonly Conversation[]): Asked[] {
  const { dialogue, searcher } = memory
  const ask = asker(dialogue.place.store, searcher.index)
  const own = memory.questions.map(({ text, gold }) => {
    const recalled = ask(text)
    const told = toldIn(recalled).flatMap((id) => {
      const [, id8 = '', entry] = /^L1:(\w{8})#(\d+)$/.exec(id) ?? []
      return dialogue.saidAt(id8, Number(entry))?.id ?? []
    })
    return { ...recordOf('own', n, n, recalled), isGold: told.some((id) => gold.has(id)) }
  })
  const foreign = all.flatMap(({ questions, said }, from) => {
    if (from === n) return []
    const turns = said.filter((_, at) => at % EVERY === 0).map(wordsOf)
    return [
      ...questions.map(({ text }) => recordOf('questions', n, from, ask(text))),
      ...turns.map((text) => recordOf('turns', n, from, ask(text))),
    ]
  })
  const real = typed.flatMap(({ prompts }) => prompts).map((text) => recordOf('prompts', n, -1, ask(text)))
  return [...own, ...foreign, ...real, ...unrelated.map(({ query, kind }) => recordOf(kind, n, -1, ask(query)))]
}

/** What people typed in one session, in a memory of the others: projects that have nothing to do with it. */
function askOthers(): Asked[] {
  return typed.flatMap(({ name, prompts }) =>
    withWork(
      transcripts.filter((other) => other !== name),
      'sessions',
      (_, ask) => prompts.map((text) => recordOf('prompts', 0, -1, ask(text))),
    ),
  )
}

function measureWork(what: 'sessions' | 'everything', more: readonly Asked[]): void {
  const asked = withWork(transcripts, what, (work, ask) => {
    const own = readCodingQuestions().map((question) => {
      const recalled = ask(question.query)
      const gold = work.idsOf(question.gold)
      const isGold = toldIn(recalled).some((id) => gold.has(id))
      return { ...recordOf('own', 0, 0, recalled), isGold, hasAnswer: holdsAnswer(question, recalled?.text ?? '') }
    })
    const foreign = conversations.flatMap(({ questions, said }, from) => [
      ...questions.map(({ text }) => recordOf('questions', 0, from, ask(text))),
      ...said.filter((_, at) => at % EVERY === 0).map((one) => recordOf('turns', 0, from, ask(wordsOf(one)))),
    ])
    return [...own, ...foreign, ...unrelated.map(({ query, kind }) => recordOf(kind, 0, -1, ask(query)))]
  })
  const name = what === 'sessions' ? 'sessions alone' : 'with notes, facts and summaries by code'
  tellCurve(`coding, ${name}`, [...asked, ...more])
  tellTokens(asked)
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

/** The packet does not depend on the thresholds: asked once with the lowest, all of them are known. */
function asker(store: Store, index: SearchIndex): Ask {
  const open = (): SearchIndex => Object.assign(Object.create(index), { close: () => undefined })
  const recall = (prompt: string): Recalled | null => recallFor(store, { prompt, session: '' }, open, judgePrompt)
  return (prompt) => {
    Object.assign(GATE, SHIPPED)
    const shipped = recall(prompt)?.fires ?? false
    for (const name of THRESHOLDS) GATE[name] = SHIPPED[name] * LEAST
    const recalled = recall(prompt)
    Object.assign(GATE, SHIPPED)
    if (firesAt(recordOf('own', 0, 0, recalled), 1) !== shipped) throw new Error(`not what the gate says: ${prompt}`)
    return recalled
  }
}

function recordOf(set: Group, memory: number, from: number, recalled: Recalled | null): Asked {
  const { strength = 0, needed = 0 } = recalled?.scores ?? {}
  const isFired = recalled?.fires === true
  return {
    set,
    memory,
    from,
    strength: isFired ? (strength / needed) * LEAST : 0,
    isGold: false,
    hasAnswer: false,
    tokens: recalled?.tokens ?? 0,
  }
}

function toldIn(recalled: Recalled | null): string[] {
  return (recalled?.picks ?? []).filter(({ verdict }) => verdict === 'told').map(({ id }) => id)
}

function firesAt({ strength }: Asked, scale: number): boolean {
  return strength > scale
}

function tellCurve(name: string, asked: readonly Asked[]): void {
  const hasAnswers = asked.some(({ hasAnswer }) => hasAnswer)
  const sets = (['questions', 'turns', 'prompts', 'talk', 'coding'] as const).filter((set) => count(asked, set) > 0)
  const headings = ['own fire', 'gold in packet', ...(hasAnswers ? ['answer in packet'] : []), 'precision']
  const rows = SCALES.map((scale) => {
    const fires = shareOf(asked, 'own', (one) => firesAt(one, scale))
    const gold = shareOf(asked, 'own', (one) => firesAt(one, scale) && one.isGold)
    const answers = hasAnswers ? [shareOf(asked, 'own', (one) => firesAt(one, scale) && one.hasAnswer)] : []
    const wrong = sets.map((set) => shareOf(asked, set, (one) => firesAt(one, scale)))
    return `| ${scale === 1 ? '**1, shipped**' : scale} | ${[fires, gold, ...answers, gold / fires, ...wrong].map(percent).join(' | ')} |`
  })
  const names = {
    questions: 'foreign questions',
    turns: 'foreign turns',
    prompts: 'real prompts of other work',
    talk: 'small talk',
    coding: 'unrelated work',
  }
  console.log(`\n${table([`${name}: thresholds ×`, ...headings, ...sets.map((set) => names[set])], rows)}`)
}

function tellTokens(asked: readonly Asked[]): void {
  const tokens = asked
    .flatMap((one) => (one.set === 'own' && firesAt(one, 1) ? [one.tokens] : []))
    .sort((a, b) => a - b)
  const at = (share: number): number => tokens[Math.floor(tokens.length * share)] ?? 0
  console.log(`\ntokens of a packet: median ${at(0.5)}, p95 ${at(0.95)}, most ${tokens.at(-1)}`)
}

/** The lowest thresholds that keep the limits in the other memories with the other conversations' questions. */
function tellHeldOut(asked: readonly Asked[], memories: number): void {
  const rows: string[] = []
  const held: Asked[] = []
  for (let n = 0; n < memories; n++) {
    const others = asked.filter(({ memory, from }) => memory !== n && from !== n)
    const scale = SCALES.find((one) => isWithinLimits(others, one)) ?? SCALES.at(-1) ?? 1
    // Measured at scale 1 from here on.
    const own = asked.filter(({ memory }) => memory === n).map((one) => ({ ...one, strength: one.strength / scale }))
    held.push(...own)
    rows.push(`| ${n + 1} | ${scale} | ${heldCells(own)} |`)
  }
  rows.push(`| all | | ${heldCells(held)} |`)
  const headings = [
    'left out',
    'thresholds ×',
    'own fire',
    'gold in packet',
    'foreign questions',
    'small talk',
    'unrelated work',
  ]
  console.log(`\n${table(headings, rows)}`)
}

function isWithinLimits(asked: readonly Asked[], scale: number): boolean {
  const fires = (set: Group): number => shareOf(asked, set, (one) => firesAt(one, scale))
  return fires('questions') <= 0.02 && fires('talk') <= 0.01 && fires('coding') <= 0.01
}

function heldCells(asked: readonly Asked[]): string {
  const fires = (set: Group): number => shareOf(asked, set, (one) => firesAt(one, 1))
  const gold = shareOf(asked, 'own', (one) => firesAt(one, 1) && one.isGold)
  return [fires('own'), gold, fires('questions'), fires('talk'), fires('coding')].map(percent).join(' | ')
}

function shareOf(asked: readonly Asked[], set: Group, is: (one: Asked) => boolean): number {
  const those = asked.filter((one) => one.set === set)
  return those.filter(is).length / those.length
}

function count(asked: readonly Asked[], set: Group): number {
  return asked.filter((one) => one.set === set).length
}
