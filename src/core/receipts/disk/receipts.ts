/** Reads the receipts of sessions, for people who ask what was injected. */
import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { sessionIn } from '../../../kernel/memory/state.ts'
import { list, readOwnText, statOf } from '../../../kernel/platform/disk/files.ts'
import { BRIEFINGS_DIR, INJECTED_RULES_DIR, JOURNAL_DIR, RECALL_TEXTS_FILE } from '../../../kernel/platform/layout.ts'
import { grouped, total } from '../../../kernel/text/figures.ts'
import { estimateTokens } from '../../../kernel/text/tokens.ts'
import {
  type InjectedLine,
  linesWithoutWhy,
  parseInjectedRecalls,
  parseWhy,
  type Receipt,
  type ReceiptRow,
  type SessionReceipts,
  sharesOf,
} from '../receipt.ts'
import { type HookTime, readHookTimes, readRecalls } from './journal.ts'

/** For English prose; used only if the text was counted in characters and not stored. */
const CHARS_PER_TOKEN = 4

/** The sessions with a stored receipt, newest first. */
export function listReceipts(store: Store): ReceiptRow[] {
  const seen = readAll(store)
  const sessions = new Set([...seen.briefings.keys(), ...seen.times.keys(), ...seen.recalls.keys()])
  return [...sessions]
    .map((session) => rowOf(seen, session))
    .filter(({ briefing, rules, recall, request }) => briefing + rules + recall + request > 0)
    .toSorted((a, b) => (a.at < b.at ? 1 : -1))
}

/** By the whole id or its first eight characters; null: nothing was injected, or the receipt was deleted. */
export function readReceipts(store: Store, given: string): SessionReceipts | null {
  const seen = readAll(store)
  const known = [...seen.briefings.keys(), ...seen.times.keys(), ...seen.recalls.keys()]
  const wanted = given.trim().toLowerCase()
  const session =
    known.find((id) => id.toLowerCase() === wanted) ??
    known.find((id) => wanted.length === 8 && id.toLowerCase().startsWith(wanted))
  if (session === undefined) return null
  return {
    row: rowOf(seen, session),
    briefing: injectedLines(store, session, seen.briefings.get(session) ?? []),
    rules: injectedRules(seen, session),
    recalls: injectedRecalls(store, seen.recalls.get(session) ?? []),
  }
}

interface Seen {
  /** The files, oldest first. */
  briefings: Map<string, Kept[]>
  times: Map<string, HookTime[]>
  recalls: Map<string, Receipt[]>
  rulesNamed: (name: string) => InjectedRules | null
}

interface InjectedRules {
  text: string
  tokens: number
}

interface Kept {
  /** The file name without its suffix. */
  name: string
  text: string
  at: string
}

function readAll(store: Store): Seen {
  const injecting = readHookTimes(store.dir).filter((time) => time.session !== undefined && time.told !== undefined)
  const rules = new Map<string, InjectedRules | null>()
  return {
    briefings: grouped(readBriefings(store), ({ name }) => name.replace(/\.\d+$/, '')),
    times: grouped(injecting, ({ session = '' }) => session),
    recalls: grouped(readRecalls(store), ({ session }) => session),
    rulesNamed: (name) => {
      if (!rules.has(name)) rules.set(name, readInjectedRules(store, name))
      return rules.get(name) ?? null
    },
  }
}

function readBriefings(store: Store): Kept[] {
  const dir = path.join(store.dir, JOURNAL_DIR, BRIEFINGS_DIR)
  const numberOf = (name: string): number => Number(/\.(\d+)$/.exec(name)?.[1] ?? Number.POSITIVE_INFINITY)
  return list(dir)
    .filter((file) => /^[\w-]{8,64}(?:\.\d+)?\.txt$/.test(file))
    .flatMap((file) => {
      const text = readOwnText(path.join(dir, file))
      const at = new Date(statOf(path.join(dir, file))?.mtimeMs ?? 0).toISOString()
      return text === null ? [] : [{ name: file.slice(0, -'.txt'.length), text, at }]
    })
    .toSorted((a, b) => numberOf(a.name) - numberOf(b.name) || 0)
}

function readInjectedRules(store: Store, name: string): InjectedRules | null {
  if (!/^\w+$/.test(name)) return null
  const text = readOwnText(path.join(store.dir, JOURNAL_DIR, INJECTED_RULES_DIR, `${name}.txt`))
  return text === null ? null : { text, tokens: estimateTokens(text) }
}

function rowOf(seen: Seen, session: string): ReceiptRow {
  const briefings = seen.briefings.get(session) ?? []
  const times = seen.times.get(session) ?? []
  const recalls = (seen.recalls.get(session) ?? []).filter(({ fired }) => fired)
  const first = [times[0]?.at, briefings[0]?.at, recalls[0]?.at].filter((at) => at !== undefined).toSorted()[0]
  return {
    id: session.slice(0, 8).toLowerCase(),
    session,
    at: first ?? '',
    briefing: total(briefings, ({ text }) => estimateTokens(text)),
    rules: total(times, (time) => seen.rulesNamed(time.rules ?? '')?.tokens ?? about(time.told?.rules)),
    recall: total(recalls, ({ tokens }) => tokens),
    request: total(times, ({ told: injected }) => about(injected?.request)),
    prompts: times.filter(({ event }) => event === 'UserPromptSubmit').length,
    recalls: recalls.length,
  }
}

/** A fork gets its parent's briefing, for the same reasons. */
function injectedLines(store: Store, session: string, kept: readonly Kept[]): InjectedLine[] {
  const dir = path.join(store.dir, JOURNAL_DIR, BRIEFINGS_DIR)
  const parent = sessionIn(store.readState(), session)?.forkOf?.session ?? ''
  return kept.flatMap(({ name, text }, i) => {
    const whys = [name, parent].map((one) => readOwnText(path.join(dir, `${path.basename(one)}.why.json`)) ?? '')
    const lines = whys.map((why) => parseWhy(why, text)).find((found) => found !== null) ?? linesWithoutWhy(text)
    // A single line is estimated higher than within its text: the parts must add up to the total.
    const shares = sharesOf(
      estimateTokens(text),
      lines.map((line) => estimateTokens(`${line.text}\n`)),
    )
    return lines.map(({ section, text: said, reason }, at) => {
      return { text: said, section, why: i > 0 && at === 0 ? AGAIN : reason, tokens: shares[at] ?? 0 }
    })
  })
}

const AGAIN = 'begins the remembered text, injected again after a compaction'

/** Only the versions of the rules whose text is stored. */
function injectedRules(seen: Seen, session: string): SessionReceipts['rules'] {
  const names = grouped(seen.times.get(session) ?? [], ({ rules = '' }) => rules)
  return [...names].flatMap(([name, times]) => {
    const version = seen.rulesNamed(name)
    return version === null ? [] : [{ ...version, times: times.length }]
  })
}

/** The full text by session and time; empty: it was not stored. */
export function readRecallTexts(store: Store): (receipt: Pick<Receipt, 'session' | 'at'>) => string {
  const kept = parseInjectedRecalls(readOwnText(path.join(store.dir, JOURNAL_DIR, RECALL_TEXTS_FILE)) ?? '')
  const texts = new Map(kept.map(({ session, at, text }) => [`${session} ${at}`, text]))
  return ({ session, at }) => texts.get(`${session} ${at}`) ?? ''
}

function injectedRecalls(store: Store, receipts: readonly Receipt[]): SessionReceipts['recalls'] {
  const textOf = readRecallTexts(store)
  return receipts.map((receipt) => ({
    at: receipt.at,
    isTold: receipt.fired,
    text: receipt.fired ? textOf(receipt) : '',
    tokens: receipt.tokens,
    why: receipt.verdict,
    shown: receipt.shown.map(({ id }) => ({ id })),
  }))
}

function about(chars: number | undefined): number {
  return Math.ceil((chars ?? 0) / CHARS_PER_TOKEN)
}
