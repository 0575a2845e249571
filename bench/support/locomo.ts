/** LoCoMo's conversations as dialogues with questions; for measuring only, read where it lies and never copied. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Said } from './corpus.ts'

export interface Question {
  text: string
  /** Ids of the turns that answer it. */
  gold: ReadonlySet<string>
  sessions: ReadonlySet<string>
}

export interface Conversation {
  said: Said[]
  questions: Question[]
}

const FILE = process.env.MK_LOCOMO ?? path.resolve('../shared/bench/locomo-dev.json')
const MONTHS = 'January February March April May June July August September October November December'.split(' ')
/** Between two turns, in seconds. */
const PACE = 30

/** Null: it is not on this machine. */
export function readLocomo(): Conversation[] | null {
  if (!existsSync(FILE)) {
    console.log(`skipped: no ${FILE}`)
    return null
  }
  return (JSON.parse(readFileSync(FILE, 'utf8')) as RawConversation[]).map(readConversation)
}

/** The same, with the second speaker in the place of Claude. */
export function withAssistant({ said, questions }: Conversation): Conversation {
  const first = speakerOf(said[0])
  return {
    questions,
    said: said.map((one) => (speakerOf(one) === first ? one : { ...one, role: 'assistant' as const })),
  }
}

/** All of them in one memory. */
export function pool(conversations: readonly Conversation[]): Conversation {
  const within = (n: number, id: string): string => `${n}/${id}`
  return {
    said: conversations.flatMap(({ said }, n) =>
      said.map((one) => ({ ...one, id: within(n, one.id), session: within(n, one.session) })),
    ),
    questions: conversations.flatMap(({ questions }, n) =>
      questions.map(({ text, gold, sessions }) => ({
        text,
        gold: new Set([...gold].map((id) => within(n, id))),
        sessions: new Set([...sessions].map((id) => within(n, id))),
      })),
    ),
  }
}

/** Without who said it. */
export function wordsOf({ text }: Said): string {
  return text.replace(/^\S+: /, '')
}

function speakerOf(said: Said | undefined): string {
  return /^\S+(?=: )/.exec(said?.text ?? '')?.[0] ?? ''
}

interface RawTurn {
  speaker: string
  dia_id: string
  text: string
  blip_caption?: string
}

interface RawConversation {
  conversation: Record<string, RawTurn[] | string | undefined>
  qa: { question: string; evidence?: string[] }[]
}

function readConversation({ conversation, qa }: RawConversation): Conversation {
  const numbers = Object.keys(conversation).flatMap((name) => /^session_(\d+)$/.exec(name)?.[1] ?? [])
  const said = numbers
    .map(Number)
    .sort((a, b) => a - b)
    .flatMap((n) => readSession(conversation, n))
  const known = new Set(said.map(({ id }) => id))
  const questions = qa.flatMap(({ question, evidence = [] }) => {
    const gold = new Set(evidence.flatMap(turnsIn).filter((id) => known.has(id)))
    const sessions = new Set([...gold].map((id) => id.split(':')[0] ?? ''))
    return gold.size === 0 ? [] : [{ text: question, gold, sessions }]
  })
  return { said, questions }
}

function readSession(conversation: RawConversation['conversation'], n: number): Said[] {
  const turns = conversation[`session_${n}`]
  const began = timeOf(String(conversation[`session_${n}_date_time`]))
  if (!Array.isArray(turns)) return []
  return turns.map(({ speaker, dia_id, text, blip_caption }, i) => ({
    id: dia_id,
    session: `D${n}`,
    role: 'user',
    at: new Date(began + i * PACE * 1000).toISOString(),
    text: `${speaker}: ${text}${blip_caption ? ` [shares ${blip_caption}]` : ''}`,
  }))
}

/** Some are written `D:11:26`, some hold several. */
function turnsIn(evidence: string): string[] {
  return [...evidence.matchAll(/D:?(\d+):(\d+)/g)].map(([, session, turn]) => `D${Number(session)}:${Number(turn)}`)
}

/** `1:56 pm on 8 May, 2023`. */
function timeOf(text: string): number {
  const [, hour, minute, half, day, month = '', year] = /(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)/.exec(text) ?? []
  const hours = (Number(hour) % 12) + (half === 'pm' ? 12 : 0)
  const time = Date.UTC(Number(year), MONTHS.indexOf(month), Number(day), hours, Number(minute))
  if (Number.isNaN(time)) throw new Error(`no time in "${text}"`)
  return time
}
