/** Units of JSON files: facts, concepts, summaries of archives. Read field by field: a wrong field does not affect the others. */

import { BY_CLAUDE } from '../../kernel/memory/note.ts'
import { OTHERS_DIR, SHARED_DIR } from '../../kernel/platform/layout.ts'
import { quotedWords } from '../../kernel/text/memory-words.ts'
import { isWho, SHARED_CONCEPTS, SHARED_FACTS, SHARED_FILES, SHARED_MEMORY } from '../../kernel/trust/share-files.ts'
import { allFacts, type Fact, isLegacy, isTold, parseFacts } from '../knowledge/fact.ts'
import { authorOfFact, isClaudes } from '../knowledge/fact-list.ts'
import { allPermanent, type PermanentItem, type PermanentKind } from '../knowledge/permanent.ts'
import { type OtherRow, type OtherType, parseOthers, toldAt } from '../others/others.ts'
import { parseSharedConcepts, parseSharedFacts, parseSharedNotes } from '../others/share.ts'
import { authorNamed } from '../receipts/authored-line.ts'
import { type ToldAuthor } from '../../kernel/memory/document.ts'
import { type Kind, LEGACY, UNAUDITED, type Unit } from '../../kernel/memory/document.ts'
import { prosePieces } from './units-prose.ts'

/** Missing fields are empty. */
export type NewUnit = Pick<Unit, 'id' | 'kind' | 'text'> & Partial<Unit>

export function factUnits(text: string): NewUnit[] {
  const facts = parseFacts(text) ?? parseFacts(salvage(text))
  if (facts === null) return []
  // Rejected facts are never found.
  const kept = allFacts(facts).filter(({ state }) => state !== 'rejected')
  return [...kept.map(factUnit), ...allPermanent(facts.permanent).flatMap(permanentUnit)]
}

/** Items that the user has not accepted are not part of the memory yet. */
function permanentUnit({
  id,
  kind,
  text,
  at,
  status,
  evidence,
  by,
}: PermanentItem & { kind: PermanentKind }): NewUnit[] {
  if (status === 'proposed' || status === 'declined') return []
  const [proof] = evidence
  return [
    {
      id,
      kind: kind === 'rules' ? 'rule' : 'pattern',
      text,
      at,
      state: status === 'superseded' ? status : '',
      by: authorNamed(by),
      about: proof === undefined || proof.entry < 0 ? '' : aboutFact(proof.session, proof.entry, proof.entry),
    },
  ]
}

function factUnit(fact: Fact): NewUnit {
  const { id, type, at, text, reason, resolution, files, session, evidence } = fact
  return {
    id,
    kind: type,
    at,
    text: joinedUnits([
      text,
      ...[reason, resolution].map((more) => (text.includes(more ?? '') ? '' : (more ?? ''))),
      files.join(' '),
    ]),
    state: stateOf(fact),
    by: authorOfFact(fact),
    about: session === '' || evidence.entry < 0 ? '' : aboutFact(session, evidence.entry, evidence.entry),
  }
}

/** Only one word is shown: a weakening state takes precedence over the author. */
function stateOf({ state, status, pinned, ...fact }: Fact): string {
  if (state !== 'fresh') return state
  const own = { ...fact, ...(pinned ? { pinned } : {}) }
  if (!isTold(own)) return isLegacy(own) ? LEGACY : UNAUDITED
  if (status === 'resolved') return status
  if (isClaudes(fact)) return BY_CLAUDE
  return pinned ? 'pinned' : 'fresh'
}

/** There is one fact per line: of a file that was cut off or badly merged, the complete lines are used. */
function salvage(text: string): string {
  const lists: Record<string, unknown[]> = { d: [], p: [], i: [] }
  for (const line of text.split('\n')) {
    const fact = parseObject(line.trim().replace(/,$/, ''))
    if (fact !== null) lists[textOf(fact.id)[0] ?? '']?.push(fact)
  }
  return JSON.stringify({ decisions: lists.d, patterns: lists.p, issues: lists.i })
}

export function conceptUnits(text: string): NewUnit[] {
  return listOf(parseObject(text)?.concepts).flatMap((concept, k): NewUnit[] => {
    const words = joinedUnits([
      textOf(concept.name),
      textsOf(concept.aliases).join(', '),
      textOf(concept.summary),
      textsOf(concept.keywords).join(' '),
      textsOf(concept.files).join(' '),
    ])
    const named = textOf(concept.id)
    const id = /^c\d{1,9}$/.test(named) ? named : `c${String(k + 1).padStart(3, '0')}`
    return words === '' ? [] : [{ id, kind: 'concept', text: words }]
  })
}

export function readArchiveSummary(path: string, text: string): NewUnit[] {
  const raw = parseObject(text) ?? {}
  const at = textOf(raw.generatedAt)
  const told = [
    { text: textOf(raw.overallSummary) },
    ...listOf(raw.themes).map((theme) => ({ text: joinedUnits([textOf(theme.name), textOf(theme.summary)]) })),
    ...listOf(raw.keyDecisions).map((one) => ({ text: joinedUnits([textOf(one.decision), textOf(one.reason)]) })),
    ...listOf(raw.issues).map((one) => ({
      text: textOf(one.issue),
      state: one.status === 'resolved' ? 'resolved' : '',
    })),
  ]
  return told.filter((one) => one.text !== '').map((one, k) => ({ ...one, id: place(path, k), kind: 'summary', at }))
}

/** Items without an id are named by their position, counted from 1. */
export function place(name: string, k: number): string {
  return `${name}#${k + 1}`
}

/** `to` is inclusive. */
export function aboutFact(id8: string, from: number, to: number): string {
  return `${id8}#${from}-${to}`
}

export function joinedUnits(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n')
}

function parseObject(text: string): Record<string, unknown> | null {
  if (!text.trimStart().startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/** Teammates' shared items are found under their name, are about no session of ours, and are never rules. */
export const SHARED_PREFIX = `${SHARED_DIR}/`

/** The owner of a shared file that we read; null: not such a file. */
export function sharerOf(path: string): string | null {
  const [dir, who = '', file = '', ...rest] = path.split('/')
  return dir === SHARED_DIR && isWho(who) && SHARED_FILES.includes(file) && rest.length === 0 ? who : null
}

export function readShared(path: string, text: string): NewUnit[] {
  const who = sharerOf(path)
  if (who === null) return []
  return (
    SHARED_READERS[path.slice(path.lastIndexOf('/') + 1)]?.(text).map((unit) => ({
      ...unit,
      by: `from ${quotedWords(who)}`,
      id: `${who}:${unit.id}`,
      state: unit.state || `of ${who}`,
    })) ?? []
  )
}

const SHARED_READERS: Readonly<Record<string, (text: string) => NewUnit[]>> = {
  [SHARED_FACTS]: (text) => parseSharedFacts(text).map(foreignUnit),
  [SHARED_MEMORY]: (text) => parseSharedNotes(text).map((note) => ({ ...note, kind: 'note' })),
  [SHARED_CONCEPTS]: (text) =>
    parseSharedConcepts(text).map(({ id, name, summary, keywords }) => ({
      id,
      kind: 'concept',
      text: joinedUnits([name, summary, keywords.join(' ')]),
    })),
}

/** Of others, a rule is something that they say, and where a session stands is told like its summary. */
const KIND_OF_OTHER: Readonly<Record<OtherType, Kind>> = {
  decision: 'decision',
  pattern: 'pattern',
  issue: 'issue',
  rule: 'pattern',
  note: 'note',
  stands: 'session',
  concept: 'concept',
  page: 'page',
}

type Foreign = Omit<OtherRow, 'who' | 'about'>

function foreignUnit(row: Foreign): NewUnit {
  return {
    id: row.id,
    kind: KIND_OF_OTHER[row.type],
    at: row.at,
    text: joinedUnits([row.text, row.reason ?? '', row.resolution ?? '', (row.files ?? []).join(' ')]),
    state: row.isStale === true ? 'stale' : row.status === 'resolved' ? 'resolved' : '',
  }
}

export const OTHERS_PREFIX = `${OTHERS_DIR}/`

/** Rows of `copies/others.ts`, found under the name of their owner. */
export function otherUnits(text: string): NewUnit[] {
  return parseOthers(text).flatMap((row): NewUnit[] => {
    const unit = foreignUnit({ ...row, at: toldAt(row) })
    const by: ToldAuthor = `from ${quotedWords(row.who)}`
    const named = {
      ...unit,
      by,
      id: `${row.who}:${row.id}`,
      state: unit.state || `of ${row.who}`,
      about: row.about ?? '',
    }
    if (row.type !== 'page') return [named]
    return prosePieces(row.text).map((piece, k) => ({ ...named, id: place(named.id, k), text: piece }))
  })
}
