/** A receipt: what was injected into a session at its start and with its prompts, and why. Defines the formats of the journal. */
import { isObject, parseObject } from '../../kernel/platform/json.ts'
import { fingerprint, fingerprintOfWords } from '../../kernel/text/fingerprint.ts'

const VERSION = 1

/** One line of a briefing, and the reason for it. */
export interface BriefingLine {
  section: string
  text: string
  reason: string
}

/** The text equals its lines, joined by line breaks. */
export interface Briefing {
  text: string
  lines: BriefingLine[]
}

/** Why each line of a briefing is in it. The text itself lies beside it and is not repeated, nor is what the line before has: 0. */
export function formatWhy(text: string, lines: readonly BriefingLine[]): string {
  const kept = lines.map(({ section, reason, text: { length } }, i) => {
    const before = lines[i - 1]
    return [before?.section === section ? 0 : section, before?.reason === reason ? 0 : reason, length]
  })
  return `${JSON.stringify({ version: VERSION, of: fingerprint(text), lines: kept })}\n`
}

/** Null: it belongs to another text, or is broken. */
export function parseWhy(kept: string, text: string): BriefingLine[] | null {
  const raw = parseObject(kept)
  if (raw === null || raw.of !== fingerprint(text) || !Array.isArray(raw.lines)) return null
  const lines: BriefingLine[] = []
  let from = 0
  for (const kept of raw.lines.filter(Array.isArray)) {
    const before = lines.at(-1)
    const section = kept[0] === 0 ? before?.section : kept[0]
    const reason = kept[1] === 0 ? before?.reason : kept[1]
    const length = kept[2]
    if (typeof section !== 'string' || typeof reason !== 'string' || !Number.isInteger(length)) return null
    lines.push({ section, reason, text: text.slice(from, from + length) })
    from += length + 1
  }
  return from === text.length + 1 ? lines : null
}

/** For a text whose reasons are not stored. */
export function linesWithoutWhy(text: string): BriefingLine[] {
  let section = ''
  return text.split('\n').map((line, i, all) => {
    if (line.startsWith('## ')) section = line.slice(3)
    return { section: i === all.length - 1 ? '' : section, text: line, reason: '' }
  })
}

/** Splits a whole number by weight into whole parts that add up to it; every part is at least 1 if possible. */
export function sharesOf(total: number, weights: readonly number[]): number[] {
  const least = total >= weights.length ? 1 : 0
  const over = weights.map((weight) => Math.max(0, weight - least))
  const all = over.reduce((sum, weight) => sum + weight, 0)
  const rest = total - least * weights.length
  let [before, given] = [0, 0]
  return over.map((weight, i) => {
    before += weight
    const upTo = i === over.length - 1 ? rest : all === 0 ? 0 : Math.round((rest * before) / all)
    const share = upTo - given
    given = upTo
    return least + share
  })
}

/** The text that was injected with one prompt. */
export interface InjectedRecall {
  at: string
  session: string
  text: string
}

export function formatInjectedRecall({ at, session, text }: InjectedRecall): string {
  return `${JSON.stringify({ at, session, text })}\n`
}

/** Skips unreadable lines. */
export function parseInjectedRecalls(kept: string): InjectedRecall[] {
  return kept.split('\n').flatMap((line) => {
    const { at, session, text } = parseObject(line) ?? {}
    return typeof at === 'string' && typeof session === 'string' && typeof text === 'string'
      ? [{ at, session, text }]
      : []
  })
}

/** An excerpt that was injected, identified by its position and by its words. */
export interface Shown {
  id: string
  /** The position in the text of the item with this id. */
  from: number
  to: number
  /** The fingerprint of its words: the same words may occur elsewhere. */
  mark: string
}

export interface Receipt {
  at: string
  session: string
  /** The number of the session's entries. */
  n: number
  fired: boolean
  /** What of the prompt was answered; empty: nothing, or a version before 0.7 wrote it. */
  signal: string
  shown: readonly Shown[]
  tokens: number
  /** The reason, in one sentence. */
  verdict: string
  ms: number
}

/** Not about a prompt, but about a failed command or the task of an agent. */
export function isAboutWork({ signal }: Pick<Receipt, 'signal'>): boolean {
  return signal === 'failure' || signal === 'agent'
}

/** A session started or continued in a process of the host. */
export interface Start {
  at: string
  session: string
  /** In the host's words: startup, resume, fork, clear, compact. */
  source: string
  host: number
}

/** If more than this share of an excerpt was already injected, it adds nothing new. */
const MOST = 0.5

export function recallMark(text: string): string {
  return fingerprintOfWords(text.toLowerCase())
}

/** One line. Most prompts get no recall, so that such a line is short. */
export function formatReceipt({ shown, tokens, fired, signal, ...receipt }: Receipt): string {
  return `${JSON.stringify(fired ? { ...receipt, fired, signal, tokens, shown } : receipt)}\n`
}

/** Skips unreadable lines. */
export function parseReceipts(text: string): Receipt[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : (parseReceipt(line) ?? [])))
}

function parseReceipt(line: string): Receipt | null {
  const raw = parseObject(line)
  if (raw === null || typeof raw.source === 'string') return null
  const { at, session, n, fired, signal, shown, tokens, verdict, ms } = raw
  if (typeof at !== 'string' || typeof session !== 'string') return null
  return {
    at,
    session,
    n: count(n),
    fired: fired === true,
    signal: typeof signal === 'string' ? signal : '',
    shown: Array.isArray(shown) ? shown.filter(isShown) : [],
    tokens: count(tokens),
    verdict: typeof verdict === 'string' ? verdict : '',
    ms: count(ms),
  }
}

export function formatStart({ at, session, source, host }: Start): string {
  return `${JSON.stringify({ at, session, source, host })}\n`
}

/** Parses only lines that may be starts: this runs with the first prompt of each session. */
export function parseStarts(text: string): Start[] {
  return text.split('\n').flatMap((line) => {
    const { at, session, source, host } = (line.includes('"source":') ? parseObject(line) : null) ?? {}
    if (typeof at !== 'string' || typeof session !== 'string' || typeof source !== 'string') return []
    return [{ at, session, source, host: count(host) }]
  })
}

/** The origin of a session without entries yet. `from` null: another session, which is not named. */
export interface Origin {
  from: string | null
  at: string
}

/** Null: a new session. */
export function originOf(starts: readonly Start[], session: string, host: number): Origin | null {
  const own = starts.findLast((start) => start.session === session)
  if (own !== undefined) return own.source === 'fork' || own.source === 'resume' ? { from: null, at: own.at } : null
  // Older hosts announce the forked session; the fork's own id comes with its first prompt.
  const last = host === 0 ? undefined : starts.findLast((start) => start.host === host)
  return last?.source === 'resume' ? { from: last.session, at: last.at } : null
}

/**
 * The receipts behind the line about the session's last compaction; null: there is none. Decided by their order in the ledger:
 * the transcript may record a compaction only after the next prompt.
 */
export function receiptsSinceCompaction(text: string, session: string): Receipt[] | null {
  const lines = text.split('\n')
  const at = lines.findLastIndex(
    (line) => line.includes('"compact"') && parseStarts(line).some((one) => isCompaction(one, session)),
  )
  return at < 0 ? null : parseReceipts(lines.slice(at + 1).join('\n'))
}

function isCompaction({ session, source }: Start, of: string): boolean {
  return session === of && source === 'compact'
}

/** Returns a function that checks whether one of these receipts injected an excerpt into the session. */
export function shownTo(receipts: readonly Receipt[], session: string): (pick: Shown) => boolean {
  const shown = receipts.filter((receipt) => receipt.session === session).flatMap((receipt) => receipt.shown)
  const marks = new Set(shown.map(({ mark }) => mark))
  return (pick) => marks.has(pick.mark) || shown.some((one) => one.id === pick.id && overlap(one, pick) > MOST)
}

/** The share of `pick` that overlaps `one`. */
function overlap(one: Shown, pick: Shown): number {
  const length = pick.to - pick.from
  return length <= 0 ? 0 : (Math.min(one.to, pick.to) - Math.max(one.from, pick.from)) / length
}

function isShown(value: unknown): value is Shown {
  if (!isObject(value)) return false
  const { id, from, to, mark } = value
  return typeof id === 'string' && typeof mark === 'string' && typeof from === 'number' && typeof to === 'number'
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0
}

/** Injected tokens by part, and counts. */
export interface ReceiptRow {
  /** The first eight characters of the session's id. */
  id: string
  session: string
  at: string
  briefing: number
  rules: number
  recall: number
  request: number
  /** The number of prompts with something injected. */
  prompts: number
  recalls: number
}

export interface InjectedLine {
  text: string
  section: string
  /** Empty if it was not stored. */
  why: string
  tokens: number
}

export interface SessionReceipts {
  row: ReceiptRow
  /** In the order of injection: at the start, and again after each compaction. */
  briefing: InjectedLine[]
  /** Each injected version of the rules, and how often. */
  rules: { text: string; tokens: number; times: number }[]
  /** `text` is complete; empty if nothing was injected. */
  recalls: { at: string; isTold: boolean; text: string; tokens: number; why: string; shown: { id: string }[] }[]
}
