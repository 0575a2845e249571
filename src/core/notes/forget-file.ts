/** Removes forgotten content from one file of ours, depending on the kind of file. */

import { parseObject } from '../../kernel/platform/json.ts'
import {
  BRIEFINGS_DIR,
  CONCEPTS_FILE,
  DELTA_FILE,
  FACTS_FILE,
  isArchiveFile,
  isSetAside,
  JOURNAL_DIR,
  MEMORY_FILE,
  PAGE_SUFFIX,
  RULES_FILE,
  SESSIONS_DIR,
} from '../../kernel/platform/layout.ts'
import { handLines, withMarks } from '../../kernel/text/fingerprint.ts'
import { parseEntryId } from '../../kernel/transcript/session.ts'
import { type Concept, formatConcepts, parseConcepts } from '../knowledge/concept.ts'
import { allFacts, NO_FACTS, parseFacts } from '../knowledge/fact.ts'
import {
  cutFacts,
  cutJson,
  cutLines,
  cutNotes,
  cutProse,
  cutSessionFacts,
  type Forgetting,
  type Gone,
  isTouched,
  leftPlaces,
  type Outcome,
  stringsIn,
  type TextTest,
  type TextTests,
  unchanged,
} from '../knowledge/forgotten.ts'
import { formatTier, parseTier, type TierBlock, type TierLine } from './tier.ts'
import { type Period, periodOf } from './tier-period.ts'

/** What to forget, for the files of a memory. */
export interface ForgettingHere extends Forgetting, TextTests {
  /** Sessions (id8) that are deleted completely. */
  whole: ReadonlySet<string>
  /** `traces`, or an exact copy of a forgotten line, whoever else said it: receipts lose nothing that cannot be missed. */
  isTold: TextTest
}

export interface ForgetAround {
  /** The text of another file of the same directory; null: there is none. */
  textOf: (file: string) => string | null
  timezone: string
}

const OF_SESSION = /^\d{8}_\d{6}_([0-9a-z]{8})\.(md|l2\.json)$/

/** `file`: relative to its directory, with slashes. Not for the state, and not for compressed files. */
export function forgetInFile(file: string, text: string, around: ForgetAround, about: ForgettingHere): Outcome {
  const name = file.slice(file.lastIndexOf('/') + 1)
  if (isSetAside(name) || name.endsWith('.log')) return inLines(file, text, about.isTold)
  if (file.startsWith(`${SESSIONS_DIR}/`)) return inSessions(file, name, text, about)
  if (file.startsWith(`${JOURNAL_DIR}/`)) return inJournal(file, name, text, around, about)
  if (ROWS_OF_OTHERS.test(file)) return inRows(text, about)
  if (name === FACTS_FILE) return inFacts(text, around, about)
  if (name === CONCEPTS_FILE) return inConcepts(text, around.textOf(FACTS_FILE), about)
  if (name === DELTA_FILE) return inDelta(text, about)
  if (name === MEMORY_FILE || isArchiveFile(name)) return inNotes(name, text, around, about)
  const archive = name.replace(/\.summary\.json$/, '.md')
  if (archive !== name && isArchiveFile(archive)) return inArchiveSummary(archive, text, around, about)
  return name.endsWith(PAGE_SUFFIX) && !file.includes('/') ? inPage(name, text, about) : inOthers(file, text, about)
}

function inSessions(file: string, name: string, text: string, about: ForgettingHere): Outcome {
  const [, id8 = '', kind] = OF_SESSION.exec(name) ?? []
  if (kind === 'md') return inSummary(id8, text, about)
  if (kind === 'l2.json') return cutSessionFacts(id8, text, about)
  const period = periodOf(file.slice(SESSIONS_DIR.length + 1))
  return period === null ? inOthers(file, text, about) : inTier(period, text, about)
}

/** Receipts, undo records and hook times: a record with a trace is dropped; a file with a single text is deleted. */
function inJournal(file: string, name: string, text: string, { textOf }: ForgetAround, about: ForgettingHere): Outcome {
  const dropped = { text: null, gone: [{ id: file, kind: 'receipt', text: '' }] }
  const id8 = name.replace(/-/g, '').slice(0, 8).toLowerCase()
  if (file.includes(`/${BRIEFINGS_DIR}/`) && about.whole.has(id8)) return dropped
  if (name.endsWith('.jsonl')) return inLines(file, text, about.isTold)
  const told = name.endsWith('.why.json') ? textOf(file.replace(/\.why\.json$/, '.txt')) : text
  const value = told === text && name.endsWith('.json') ? parseObject(text) : null
  const parts = value === null ? linesTold(told ?? '') : stringsIn(value)
  return told === null || about.repeats(told) || parts.some(about.isTold) ? dropped : unchanged(text)
}

/** Without headings, which are ours. */
function linesTold(text: string): string[] {
  return text.split('\n').filter((line) => !line.startsWith('## '))
}

function inFacts(text: string, around: ForgetAround, about: ForgettingHere): Outcome {
  const concepts = around.textOf(CONCEPTS_FILE)
  const left = concepts === null ? null : parseConcepts(inConcepts(concepts, null, about).text ?? '')
  return cutFacts(text, about, left === null ? null : new Set(left.concepts.map(({ id }) => id)))
}

/** A concept is deleted with its name or with its last fact. Its derived fields are emptied and rebuilt afterwards. */
function inConcepts(text: string, factsText: string | null, about: ForgettingHere): Outcome {
  const concepts = parseConcepts(text)
  if (concepts === null) return unchanged(text)
  const named = (facts: string | null): Set<string | null> =>
    new Set(allFacts(parseFacts(facts ?? '') ?? NO_FACTS).map(({ concept }) => concept))
  const [had, left] = [named(factsText), named(factsText === null ? null : cutFacts(factsText, about, null).text)]
  const gone: Gone[] = []
  const kept = concepts.concepts.flatMap((one): Concept[] => {
    const isOut = about.ids.has(one.id) || about.traces(one.name) || (had.has(one.id) && !left.has(one.id))
    if (isOut) gone.push({ id: one.id, kind: 'concept', text: one.name })
    return isOut ? [] : [keptConcept(one, about)]
  })
  const next = formatConcepts({ ...concepts, concepts: kept })
  return next === formatConcepts(concepts) ? unchanged(text) : { text: next, gone }
}

function keptConcept(one: Concept, about: ForgettingHere): Concept {
  const exchanges = leftPlaces(one.exchanges, about)
  if (exchanges.length === one.exchanges.length && !stringsIn(one).some(about.traces)) return one
  const aliases = one.aliases.filter((name) => !about.traces(name))
  return { ...one, summary: '', files: [], keywords: [], exchanges, aliases }
}

/** The next reader of the delta rewrites it from the remaining entries. */
function inDelta(text: string, about: ForgettingHere): Outcome {
  const [, id8 = '', from, to] = /^# Delta ([0-9a-z]{8})-(\d+)-(\d+):/.exec(text) ?? []
  const isOut = isTouched(about, id8, Number(from), Number(to)) || about.from(id8).traces(text)
  return isOut ? { text: null, gone: [{ id: `${id8}-${from}-${to}`, kind: 'delta', text: '' }] } : unchanged(text)
}

/** An archive without any note is deleted. */
function inNotes(name: string, text: string, { timezone }: ForgetAround, about: ForgettingHere): Outcome {
  const outcome = cutNotes(text, timezone, about)
  const words = (outcome.text ?? '').replace(/^(?:#.*|<!--.*-->)$/gm, '')
  return outcome.gone.length > 0 && isArchiveFile(name) && words.trim() === '' ? { ...outcome, text: null } : outcome
}

function inArchiveSummary(archive: string, text: string, around: ForgetAround, about: ForgettingHere): Outcome {
  const notes = around.textOf(archive)
  const isStale = notes !== null && inNotes(archive, notes, around, about).text !== notes
  const isOut = isStale || stringsIn(parseObject(text) ?? text).some(about.traces)
  return isOut ? { text: null, gone: [{ id: archive, kind: 'summary of an archive', text: '' }] } : unchanged(text)
}

/** For `sessions/….md`, which is rebuilt afterwards. Text that a person wrote into it only loses sentences. */
function inSummary(id8: string, text: string, about: ForgettingHere): Outcome {
  const hand = handLines(text)
  const own = text.split('\n').filter((line) => !line.startsWith('<!-- ours:') && !hand.includes(line.trimEnd()))
  const isOut = about.sessions.has(id8) || about.ids.has(`s:${id8}`) || own.some(about.from(id8).traces)
  const left = cutProse(hand.join('\n'), about.repeats)
  if (!isOut && left.gone.length === 0) return unchanged(text)
  const kept = left.left.split('\n').filter((line) => line !== '')
  const next = withMarks(isOut ? '' : own.join('\n'), kept)
  if (next === text) return unchanged(text)
  const gone = [{ id: `S:${id8}`, kind: 'summary', text: left.gone[0] ?? '' }]
  return { text: isOut && kept.length === 0 ? null : next, gone }
}

/** For a week or month: drops lines that come from deleted entries or have a trace. */
function inTier(period: Period, text: string, about: ForgettingHere): Outcome {
  const tier = parseTier(period, text)
  const gone: Gone[] = []
  const isOut = ({ link, text: words }: TierLine): boolean => {
    const { id8 = '', n = null } = parseEntryId(link) ?? {}
    return (n === null ? about.sessions.has(id8) : about.isGone(id8, n)) || about.from(id8).traces(words)
  }
  const handOf = (hand: readonly string[]): string[] => {
    const cut = cutProse(hand.join('\n'), about.repeats)
    gone.push(...cut.gone.map((one) => ({ id: period.file, kind: 'text', text: one })))
    return cut.gone.length === 0 ? [...hand] : cut.left.split('\n')
  }
  const blocks = tier.blocks.flatMap((block): TierBlock[] => {
    const isBlockOut = about.whole.has(block.id8) || about.ids.has(`s:${block.id8}`)
    const out = isBlockOut ? block.lines : block.lines.filter(isOut)
    gone.push(...out.map((line) => ({ id: `S:${block.id8}`, kind: period.is, text: line.text })))
    const hand = handOf(block.hand)
    const isEmpty = isBlockOut && hand.every((line) => line.trim() === '')
    return isEmpty ? [] : [{ ...block, lines: block.lines.filter((line) => !out.includes(line)), hand }]
  })
  const hand = handOf(tier.hand)
  if (gone.length === 0 && blocks.length === tier.blocks.length) return unchanged(text)
  return { text: blocks.length === 0 && hand.length === 0 ? null : formatTier(period, { blocks, hand }), gone }
}

/** For a page or rules.md. An empty rules.md stays, since without the file the built-in rules would apply. */
function inPage(name: string, text: string, about: ForgettingHere): Outcome {
  const id = `page:${name.slice(0, -PAGE_SUFFIX.length)}`
  if (about.ids.has(id.toLowerCase()) || about.repeats(name)) return { text: null, gone: [{ id, kind: 'page', text }] }
  const { left, gone } = cutProse(text, about.repeats)
  const isDeleted = left.trim() === '' && name !== RULES_FILE && gone.length > 0
  return { text: isDeleted ? null : left, gone: gone.map((one) => ({ id: name, kind: 'text', text: one })) }
}

function inOthers(file: string, text: string, about: ForgettingHere): Outcome {
  if (file.endsWith('.jsonl') || parseObject(text) === null) return inLines(file, text, about.traces)
  // A single plain word may be one of ours.
  const isHit: TextTest = (value) => (/^[\w-]{1,40}$/.test(value) ? about.repeats(value) : about.traces(value))
  const outcome = cutJson(text, about, isHit)
  return { ...outcome, gone: outcome.gone.map((one) => ({ ...one, id: file })) }
}

const ROWS_OF_OTHERS = /^(?:machine|team)\/[\w-]+\.jsonl$/

/** Memory of others: a row goes by its id, by the entries that it tells of, or by what it says. */
function inRows(text: string, about: ForgettingHere): Outcome {
  const gone: Gone[] = []
  const isOut = (line: string): boolean => {
    const row = line === '' ? null : parseObject(line)
    const id = `${row?.who}:${row?.id}`
    const [, id8 = '', from, to] = /^([0-9a-z]{8})#(\d+)-(\d+)$/.exec(String(row?.about)) ?? []
    const isHit =
      row === null
        ? line !== '' && about.traces(line)
        : about.ids.has(id.toLowerCase()) ||
          isTouched(about, id8, Number(from), Number(to) + 1) ||
          stringsIn(row).some(about.repeats)
    if (isHit) gone.push({ id, kind: String(row?.type), text: String(row?.text), at: String(row?.at) })
    return isHit
  }
  const left = text.split('\n').filter((line) => !isOut(line))
  return gone.length === 0 ? unchanged(text) : { text: left.join('\n'), gone }
}

function inLines(file: string, text: string, isHit: TextTest): Outcome {
  const { left, gone } = cutLines(text, isHit)
  const kind = file.endsWith('.log') ? 'log' : 'record'
  const next = gone.length > 0 && left.trim() === '' ? null : left
  return { text: next, gone: gone.map(() => ({ id: file, kind, text: '' })) }
}
