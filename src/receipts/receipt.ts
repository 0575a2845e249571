/** A receipt: what a session was told at its start and with its prompts, and why. These are the forms in which the journal keeps it. */
import { isObject, parseObject } from '../platform/json.ts'
import { fingerprint, fingerprintOfWords } from '../text/fingerprint.ts'

const VERSION = 1

/** One line of a briefing, and why it is in it. */
export interface BriefingLine {
  section: string
  text: string
  reason: string
}

/** The text is its lines, joined by line breaks. */
export interface Briefing {
  text: string
  lines: BriefingLine[]
}

/** Why each line of a briefing is in it. The text itself lies beside it, and is not repeated. */
export function formatWhy(text: string, lines: readonly BriefingLine[]): string {
  const kept = lines.map((line) => [line.section, line.reason, line.text.length])
  return `${JSON.stringify({ version: VERSION, of: fingerprint(text), lines: kept })}\n`
}

/** Null: it tells of another text, or is broken. */
export function parseWhy(kept: string, text: string): BriefingLine[] | null {
  const raw = parseObject(kept)
  if (raw === null || raw.of !== fingerprint(text) || !Array.isArray(raw.lines)) return null
  const lines: BriefingLine[] = []
  let from = 0
  for (const [section, reason, length] of raw.lines.filter(Array.isArray)) {
    if (typeof section !== 'string' || typeof reason !== 'string' || !Number.isInteger(length)) return null
    lines.push({ section, reason, text: text.slice(from, from + length) })
    from += length + 1
  }
  return from === text.length + 1 ? lines : null
}

/** For a text of which only the words are kept. */
export function linesWithoutWhy(text: string): BriefingLine[] {
  let section = ''
  return text.split('\n').map((line, i, all) => {
    if (line.startsWith('## ')) section = line.slice(3)
    return { section: i === all.length - 1 ? '' : section, text: line, reason: '' }
  })
}

/** A whole number in whole parts by weight that add up to it; none is nothing where it can be helped. */
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

/** What went with one prompt. */
export interface ToldRecall {
  at: string
  session: string
  text: string
}

export function formatToldRecall({ at, session, text }: ToldRecall): string {
  return `${JSON.stringify({ at, session, text })}\n`
}

/** A line that cannot be read is left out. */
export function parseToldRecalls(kept: string): ToldRecall[] {
  return kept.split('\n').flatMap((line) => {
    const { at, session, text } = parseObject(line) ?? {}
    return typeof at === 'string' && typeof session === 'string' && typeof text === 'string'
      ? [{ at, session, text }]
      : []
  })
}

/** An excerpt of something remembered, by its place and by its words. */
export interface Shown {
  id: string
  /** Where in the text of what has this id. */
  from: number
  to: number
  /** `markOf` its words: the same words may stand in another place, too. */
  mark: string
}

export interface Receipt {
  at: string
  session: string
  /** Entries the session had: what was shown before its last compaction is forgotten with the rest. */
  n: number
  fired: boolean
  shown: readonly Shown[]
  tokens: number
  /** Why, in one sentence. */
  verdict: string
  ms: number
}

/** A session began or went on, in a process of the host. */
export interface Start {
  at: string
  session: string
  /** As the host calls it: startup, resume, fork, clear, compact. */
  source: string
  host: number
}

/** More of an excerpt in one that was shown: it says nothing new. */
const MOST = 0.5

export function recallMark(text: string): string {
  return fingerprintOfWords(text.toLowerCase())
}

/** One line. Silence is the usual case, so it is told briefly. */
export function formatReceipt({ shown, tokens, fired, ...receipt }: Receipt): string {
  return `${JSON.stringify(fired ? { ...receipt, fired, tokens, shown } : receipt)}\n`
}

/** A line that cannot be read is left out. */
export function parseReceipts(text: string): Receipt[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : (parseReceipt(line) ?? [])))
}

function parseReceipt(line: string): Receipt | null {
  const raw = parseObject(line)
  if (raw === null || typeof raw.source === 'string') return null
  const { at, session, n, fired, shown, tokens, verdict, ms } = raw
  if (typeof at !== 'string' || typeof session !== 'string') return null
  return {
    at,
    session,
    n: count(n),
    fired: fired === true,
    shown: Array.isArray(shown) ? shown.filter(isShown) : [],
    tokens: count(tokens),
    verdict: typeof verdict === 'string' ? verdict : '',
    ms: count(ms),
  }
}

export function formatStart({ at, session, source, host }: Start): string {
  return `${JSON.stringify({ at, session, source, host })}\n`
}

/** Only lines that may be starts are parsed: each first prompt of a session pays for it. */
export function parseStarts(text: string): Start[] {
  return text.split('\n').flatMap((line) => {
    const { at, session, source, host } = (line.includes('"source":') ? parseObject(line) : null) ?? {}
    if (typeof at !== 'string' || typeof session !== 'string' || typeof source !== 'string') return []
    return [{ at, session, source, host: count(host) }]
  })
}

/** Where a session comes from that nothing is known of yet. `from` null: from another one, which nobody names. */
export interface Origin {
  from: string | null
  at: string
}

/** Null: it begins anew. */
export function originOf(starts: readonly Start[], session: string, host: number): Origin | null {
  const own = starts.findLast((start) => start.session === session)
  if (own !== undefined) return own.source === 'fork' || own.source === 'resume' ? { from: null, at: own.at } : null
  // Older hosts announce the session that is forked; the fork's own id comes with its first prompt.
  const last = host === 0 ? undefined : starts.findLast((start) => start.host === host)
  return last?.source === 'resume' ? { from: last.session, at: last.at } : null
}

/**
 * Receipts behind the line that tells of the session's last compaction; null: there is none. By their place in the ledger:
 * the transcript may tell of a compaction later than its next prompt comes.
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

/** Tells whether this session was shown an excerpt since its entry `since`, its last compaction; 0: since its beginning. */
export function shownTo(receipts: readonly Receipt[], session: string, since: number): (pick: Shown) => boolean {
  const shown = receipts
    .filter((receipt) => receipt.session === session && (since === 0 || receipt.n > since))
    .flatMap((receipt) => receipt.shown)
  const marks = new Set(shown.map(({ mark }) => mark))
  return (pick) => marks.has(pick.mark) || shown.some((one) => one.id === pick.id && overlap(one, pick) > MOST)
}

/** Which part of `pick` lies in `one`. */
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

/** Tokens by part, and how often. */
export interface ToldRow {
  /** The first eight characters of the session's id. */
  id: string
  session: string
  at: string
  briefing: number
  rules: number
  recall: number
  request: number
  /** That something went with. */
  prompts: number
  recalls: number
}

export interface ToldLine {
  text: string
  section: string
  /** Empty where it was not kept. */
  why: string
  tokens: number
}

export interface ToldPage {
  row: ToldRow
  /** In the order it was told: at the start, and again after each compaction. */
  briefing: ToldLine[]
  /** Each version of the rules that was told, and how often. */
  rules: { text: string; tokens: number; times: number }[]
  /** `text` word for word; empty where nothing was told. */
  recalls: { at: string; isTold: boolean; text: string; tokens: number; why: string; shown: { id: string }[] }[]
}
