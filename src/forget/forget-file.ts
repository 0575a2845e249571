/** One file of ours without what is forgotten, by what kind of file it is. */
import { type Facts, NO_FACTS, parseFacts } from '../knowledge/fact.ts'
import { periodOf } from '../notes/tier-period.ts'
import { cutJson, cutLines, cutProse, isSaidIn, type SaidTest } from '../outgoing/forget-cut.ts'
import { forgetConcepts, forgetFacts, forgetSessionFacts } from '../outgoing/forget-knowledge.ts'
import { forgetArchiveSummary, forgetDelta, forgetNotes, forgetSummary, forgetTier } from '../outgoing/forget-notes.ts'
import { forgetReceipt } from '../outgoing/forget-receipt.ts'
import { forgetStanding } from '../outgoing/forget-standing.ts'
import { parseObject } from '../platform/json.ts'
import {
  BRIEFINGS_DIR,
  CONCEPTS_FILE,
  DELTA_FILE,
  FACTS_FILE,
  id8OfFile,
  isArchiveFile,
  JOURNAL_DIR,
  MEMORY_FILE,
  PAGE_SUFFIX,
  RULES_FILE,
  SESSIONS_DIR,
  STANDING_FILE,
} from '../platform/layout.ts'
import { type Forgetting, forgetEntries, type Outcome, unchanged } from './forget-context.ts'

/** The directory that a file stands in. */
export interface ForgetAround {
  /** What another file of it holds; null: there is none. */
  textOf: (file: string) => string | null
  timezone: string
  summaryMaxTokens: number
}

const OF_SESSION = /^\d{8}_\d{6}_([0-9a-z]{8})\.(md|l2\.json)$/

/** `file`: below its directory, with slashes. Not for the state nor for what is compressed. */
export function forgetInFile(file: string, text: string, around: ForgetAround, about: Forgetting): Outcome {
  const name = file.slice(file.lastIndexOf('/') + 1)
  if (/\.broken-[^.]+$/.test(name)) return inLines(file, text, about.isSaid)
  if (file.startsWith(`${SESSIONS_DIR}/`)) return inSessions(file, name, text, around, about)
  if (file.startsWith(`${JOURNAL_DIR}/`)) return inJournal(file, name, text, around, about)
  switch (name) {
    case FACTS_FILE:
      return forgetFacts(text, around.textOf(CONCEPTS_FILE), about)
    case CONCEPTS_FILE:
      return forgetConcepts(text, around.textOf(FACTS_FILE), about)
    case STANDING_FILE:
      return forgetStanding(text, about)
    case DELTA_FILE:
      return forgetDelta(text, about)
  }
  if (name === MEMORY_FILE || isArchiveFile(name)) return inNotes(name, text, around, about)
  const archive = `${name.replace(/\.summary\.json$/, '')}.md`
  if (isArchiveFile(archive) && name !== archive) return inArchiveSummary(archive, text, around, about)
  return inOthers(file, name, text, about)
}

function inSessions(file: string, name: string, text: string, around: ForgetAround, about: Forgetting): Outcome {
  const session = id8OfFile(name)
  if (session !== null) return forgetEntries(session, text, about)
  const [, id8 = '', kind] = OF_SESSION.exec(name) ?? []
  if (kind === 'md') return forgetSummary(id8, text, around.summaryMaxTokens, about)
  if (kind === 'l2.json') return forgetSessionFacts(id8, text, about)
  const period = periodOf(file.slice(SESSIONS_DIR.length + 1))
  return period === null ? inOthers(file, name, text, about) : forgetTier(period, text, about)
}

/** What a session was told goes with the session. */
function inJournal(file: string, name: string, text: string, { textOf }: ForgetAround, about: Forgetting): Outcome {
  const id8 = name
    .replace(/[^0-9a-z]/gi, '')
    .slice(0, 8)
    .toLowerCase()
  if (file.includes(`/${BRIEFINGS_DIR}/`) && about.whole.has(id8))
    return { text: null, gone: [{ id: file, kind: 'receipt', text: '' }] }
  return forgetReceipt(file, text, textOf, about)
}

/** An archive without any note is no archive. */
function inNotes(name: string, text: string, { timezone }: ForgetAround, about: Forgetting): Outcome {
  const outcome = forgetNotes(text, timezone, about)
  const words = (outcome.text ?? '').replace(/^(?:#.*|<!--.*-->)$/gm, '')
  const isEmptied = outcome.gone.length > 0 && isArchiveFile(name) && words.trim() === ''
  return isEmptied ? { ...outcome, text: null } : outcome
}

function inArchiveSummary(archive: string, text: string, around: ForgetAround, about: Forgetting): Outcome {
  const before = around.textOf(archive)
  const after = before === null ? null : inNotes(archive, before, around, about).text
  return forgetArchiveSummary(archive, text, { before, after }, factsAfter(around, about), about)
}

function factsAfter(around: ForgetAround, about: Forgetting): Facts {
  const text = around.textOf(FACTS_FILE)
  const after = text === null ? null : forgetFacts(text, around.textOf(CONCEPTS_FILE), about).text
  return (after === null ? null : parseFacts(after)) ?? NO_FACTS
}

/** Pages, rules, records and logs. What people keep by hand loses whole sentences only. */
function inOthers(file: string, name: string, text: string, about: Forgetting): Outcome {
  const page = name.endsWith(PAGE_SUFFIX) && !file.includes('/') ? `page:${name.slice(0, -PAGE_SUFFIX.length)}` : ''
  if (page !== '' && (about.ids.has(page.toLowerCase()) || about.isAsked(name)))
    return { text: null, gone: [{ id: page, kind: 'page', text }] }
  if (name.endsWith('.jsonl')) return inRecords(file, text, about)
  if (name.endsWith('.json')) return inJson(file, text, about)
  if (name.endsWith('.log')) return inLines(file, text, about.isTold)
  const { left, gone } = cutProse(text, page === '' ? about.isSaid : about.isSaidByHand)
  return outcome(file, text, left, gone)
}

/** One record a line: it goes as a whole. */
function inRecords(file: string, text: string, about: Forgetting): Outcome {
  const gone: string[] = []
  const lines = text.split('\n').filter((line) => {
    const value = parseObject(line)
    const isGone = value === null ? about.isSaid(line) : isSaidIn(value, about.isSaid)
    if (isGone) gone.push(line)
    return !isGone
  })
  return outcome(file, text, lines.join('\n'), gone)
}

function inJson(file: string, text: string, about: Forgetting): Outcome {
  const value = parseObject(text)
  if (value === null) return inLines(file, text, about.isSaid)
  const { left, gone } = cutJson(value, about.isSaid)
  return outcome(file, text, gone.length === 0 ? text : `${JSON.stringify(left)}\n`, gone)
}

function inLines(file: string, text: string, isSaid: SaidTest): Outcome {
  const { left, gone } = cutLines(text, isSaid)
  return outcome(file, text, left, gone)
}

function outcome(file: string, text: string, left: string, gone: readonly string[]): Outcome {
  if (gone.length === 0) return unchanged(text)
  // Without rules of one's own the built-in ones would hold again.
  const isEmpty = left.trim() === '' && file !== RULES_FILE
  return { text: isEmpty ? null : left, gone: gone.map((one) => ({ id: file, kind: kindOf(file), text: one })) }
}

function kindOf(file: string): string {
  if (file.endsWith('.log')) return 'log'
  return file.endsWith(PAGE_SUFFIX) ? 'page' : 'file'
}
