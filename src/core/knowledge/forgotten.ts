/** Removes forgotten content from texts, notes and facts, by the entries they come from and by their wording. */

import { fingerprintOfNote, formatNote, madeByCode, type Note, parseMemory } from '../../kernel/memory/note.ts'
import { isObject, parseObject } from '../../kernel/platform/json.ts'
import { splitSentences } from '../../kernel/text/sentences.ts'
import { type Fact, type Facts, formatFacts, parseFacts } from './fact.ts'
import { PERMANENT_KINDS, type PermanentItem } from './permanent.ts'
import { formatSessionFacts, parseSessionFacts, type SessionFact } from './session-facts.ts'

export type TextTest = (text: string) => boolean

/** Whether a text tells what is forgotten. */
export interface TextTests {
  /** It repeats forgotten content. */
  repeats: TextTest
  /** For entries; false for items deleted by id. */
  isRepeatedBy: TextTest
  /** It repeats it, or contains a word that occurs nowhere else. For texts derived by code. */
  traces: TextTest
}

/** What to forget. */
export interface Forgetting {
  /** Whether an entry is deleted, by its session's id8 and its number. */
  isGone(id8: string, n: number): boolean
  /** The sessions (id8) with deleted entries. */
  sessions: ReadonlySet<string>
  /** Items that are deleted by id: d001, n-…, page:…; in lower case. */
  ids: ReadonlySet<string>
  /** Whether a text repeats forgotten content. */
  repeats: TextTest
  /** For texts that come from this session (id8; null: from none): what its user typed in the same words is its own. */
  from(id8: string | null): TextTests
  /** The facts extracted from a session, with their ids in facts.json. */
  factsOf(id8: string): readonly SessionFact[]
  /** A note about a range with deleted entries, rewritten by code from the others; null: nothing is left. */
  remade(note: Note): string | null
}

/** An item that is deleted or rewritten. */
export interface Gone {
  id: string
  kind: string
  /** A part of its text, for a preview. */
  text: string
  /** When another machine or a teammate wrote it. */
  at?: string
}

/** Null: the file is deleted. The same text: nothing changes. */
export interface Outcome {
  text: string | null
  gone: Gone[]
}

export function unchanged(text: string): Outcome {
  return { text, gone: [] }
}

const LIST_MARK = /^\s*(?:(?:[-*+•]|\d+[.)]|#{1,6}|>)\s+)*/
/** Fields that contain one of our own words, an id or a time. */
const OURS = /^(?:id|type|status|state|author|role|kind|by|ts|at|session|concept|event|version|verdict|source)$/

/** Deletes the sentences that `isHit` names. A line without any stays byte for byte. */
export function cutProse(text: string, isHit: TextTest): { left: string; gone: string[] } {
  const gone: string[] = []
  if (!isHit(text)) return { left: text, gone }
  const lines = text.split('\n').flatMap((line) => {
    if (!isHit(line)) return [line]
    const mark = LIST_MARK.exec(line)?.[0] ?? ''
    const kept = withoutHits(splitSentences(line.slice(mark.length)), ' ', isHit, gone)
    return kept.length === 0 ? [] : [mark + kept.join(' ')]
  })
  return { left: withoutHits(lines, '\n', isHit, gone).join('\n'), gone }
}

/** Deletes the parts that are hits, and the shortest runs of parts that are a hit together. */
function withoutHits(parts: readonly string[], glue: string, isHit: TextTest, gone: string[]): string[] {
  const left = [...parts]
  for (let size = 1; size <= left.length && isHit(left.join(glue)); size++) {
    for (let i = 0; i + size <= left.length; i++) {
      if (!isHit(left.slice(i, i + size).join(glue))) continue
      gone.push(...left.splice(i, size).map((one) => one.trim()))
      // The parts before and behind it are neighbours now.
      i = Math.max(-1, i - size)
    }
  }
  return left
}

/** Every text in a value, except ids, times and our own words. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(stringsIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, field]) =>
    OURS.test(name) ? [] : [...(/^\w{1,24}$/.test(name) ? [] : [name]), ...stringsIn(field)],
  )
}

/** Drops the items of lists and the fields of objects that are hits, and the items that come from a deleted entry. */
export function cutJson(text: string, about: Pick<Forgetting, 'isGone'>, isHit: TextTest): Outcome {
  const gone: string[] = []
  const isOut = (one: unknown): boolean => {
    const place = isObject(one) ? one : {}
    const { session, entry } = place
    if (typeof session === 'string' && typeof entry === 'number' && about.isGone(session, entry)) return true
    return stringsIn(one).some(isHit)
  }
  const cut = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.filter((item) => !isOut(item) || gone.push(shown(item)) === 0)
    if (!isObject(one)) return one
    const kept = Object.entries(one).filter(([name, field]) => {
      const isHitHere = stringsIn({ [name]: typeof field === 'string' ? field : '' }).some(isHit)
      return !isHitHere || gone.push(shown(field)) === 0
    })
    return Object.fromEntries(kept.map(([name, field]) => [name, cut(field)]))
  }
  const value = parseObject(text)
  const left = value === null ? null : cut(value)
  return gone.length === 0
    ? unchanged(text)
    : { text: `${JSON.stringify(left)}\n`, gone: gone.map((one) => ({ id: '', kind: 'file', text: one })) }
}

function shown(value: unknown): string {
  return stringsIn(value)[0] ?? ''
}

/** One record per line, JSON or log: a line with a hit is dropped. */
export function cutLines(text: string, isHit: TextTest): { left: string; gone: string[] } {
  const isOut = (line: string): boolean => {
    const value = line === '' ? null : parseObject(line)
    return value === null ? isHit(line) || isHit(unescaped(line)) : stringsIn(value).some(isHit)
  }
  const gone: string[] = []
  const lines = text.split('\n').filter((line) => !isOut(line) || gone.push(line) === 0)
  return { left: gone.length === 0 ? text : lines.join('\n'), gone }
}

function unescaped(line: string): string {
  return line.replace(/\\[nrt]/g, ' ').replace(/\\(.)/g, '$1')
}

/** For memory.md or an archive. Text that people wrote only loses sentences. */
export function cutNotes(text: string, timezone: string, about: Forgetting): Outcome {
  const gone: Gone[] = []
  const blocks = parseMemory(text).map(({ raw, note }) => {
    if (note === null) {
      const cut = cutProse(raw, about.repeats)
      gone.push(...cut.gone.map((one) => ({ id: '', kind: 'text', text: one })))
      return cut.left
    }
    const kept = keptNote(note, about)
    const next = kept === null ? '' : formatNote(kept, timezone)
    if (kept === note || next.trim() === raw.trim()) return raw
    gone.push({ id: note.id, kind: kept === null ? 'note' : 'note, written anew', text: note.text })
    return next
  })
  return gone.length === 0 ? unchanged(text) : { text: blocks.join(''), gone }
}

/** The same note: nothing changes. Null: nothing is left of it. A note rewritten by code may later be replaced by a model's. */
function keptNote(note: Note, about: Forgetting): Note | null {
  if (about.ids.has(note.id.toLowerCase())) return null
  const isRemade = note.session !== null && isTouched(about, note.session, note.from, note.to)
  const { left, gone } = cutProse(isRemade ? (about.remade(note) ?? '') : note.text, about.from(note.session).repeats)
  if (!isRemade && gone.length === 0) return note
  if (left.trim() === '') return null
  const cut = { ...note, text: left.trim() }
  return isRemade || note.fingerprint === fingerprintOfNote(note.text) ? madeByCode(cut) : cut
}

export function isTouched(about: Forgetting, id8: string, from: number, to: number): boolean {
  if (!about.sessions.has(id8)) return false
  for (let n = from; n < to; n++) if (about.isGone(id8, n)) return true
  return false
}

/** For facts.json. `concepts`: the ids of the concepts that stay; null: all of them. */
export function cutFacts(text: string, about: Forgetting, concepts: ReadonlySet<string> | null): Outcome {
  const facts = parseFacts(text)
  if (facts === null) return unchanged(text)
  const gone: Gone[] = []
  const lost = new Set(about.ids)
  const keep = (list: readonly Fact[]): Fact[] =>
    list.flatMap((fact) => {
      const kept = keptFact(fact, about)
      if (kept === null) {
        gone.push({ id: fact.id, kind: fact.type, text: fact.text })
        lost.add(fact.id.toLowerCase())
      }
      const isConceptGone = kept !== null && kept.concept !== null && concepts?.has(kept.concept) === false
      return kept === null ? [] : [isConceptGone ? { ...kept, concept: null } : kept]
    })
  const lists = { decisions: keep(facts.decisions), patterns: keep(facts.patterns), issues: keep(facts.issues) }
  const permanent = { ...facts.permanent }
  for (const kind of PERMANENT_KINDS)
    permanent[kind] = permanent[kind].flatMap((item) => {
      const kept = keptPermanent(item, lost, about)
      if (kept === null) gone.push({ id: item.id, kind: 'permanent', text: item.text })
      return kept ?? []
    })
  if (permanent.kept !== undefined) permanent.kept = permanent.kept.filter((one) => !stringsIn(one).some(about.repeats))
  const after: Facts = { ...facts, ...lists, permanent }
  return formatFacts(after) === formatFacts(facts) ? unchanged(text) : { text: formatFacts(after), gone }
}

/** A fact with evidence elsewhere stays, in the words of that place. */
function keptFact(fact: Fact, about: Forgetting): Fact | null {
  if (about.ids.has(fact.id.toLowerCase())) return null
  const also = leftPlaces(fact.also ?? [], about)
  const { also: _, closing, ...rest } = isClosedThere(fact, about) ? reopened(fact) : fact
  const isClosing = closing !== undefined && !about.isGone(closing.session, closing.entry)
  const places = also.length === 0 ? {} : { also }
  const placed: Fact = { ...rest, ...places, ...(isClosing ? { closing } : {}) }
  const { session: own, evidence: proof } = fact
  if (![proof.entry, ...(proof.more ?? [])].some((n) => about.isGone(own, n)))
    return stringsIn(placed).some(about.from(own).repeats) ? null : placed
  for (const place of also) {
    const [session = '', n = ''] = place.split('#')
    const said = about.factsOf(session).find(({ id, evidence }) => id === fact.id && evidence.entry === Number(n))
    if (said === undefined || stringsIn(said).some(about.from(session).repeats)) continue
    const { text, reason, evidence, author, at } = said
    const others = also.filter((one) => one !== place)
    return { ...rest, text, reason, evidence, author, at, session, ...(others.length === 0 ? {} : { also: others }) }
  }
  return null
}

/** Of places such as `1a2b3c4d#12`, those that stay. */
export function leftPlaces(places: readonly string[], about: Pick<Forgetting, 'isGone'>): string[] {
  return places.filter((place) => {
    const [id8 = '', n = '-1'] = place.split('#')
    return !about.isGone(id8, Number(n))
  })
}

function isClosedThere({ closedBy }: Fact, about: Forgetting): boolean {
  return closedBy !== undefined && about.isGone(closedBy.session, closedBy.entry)
}

function reopened({ closedBy: _, ...fact }: Fact): Fact {
  return { ...fact, status: 'open', resolution: null }
}

function keptPermanent(item: PermanentItem, lost: ReadonlySet<string>, about: Forgetting): PermanentItem | null {
  const evidence = item.evidence.filter(
    ({ session, entry, quote }) => !about.isGone(session, entry) && !about.from(session).repeats(quote),
  )
  const { repeats } = about.from(evidence[0]?.session ?? null)
  const isUnproved = evidence.length === 0 && item.evidence.length > 0
  if (lost.has(item.id.toLowerCase()) || isUnproved || stringsIn({ ...item, evidence }).some(repeats)) return null
  return { ...item, evidence, facts: item.facts.filter((id) => !lost.has(id.toLowerCase())) }
}

/** For `sessions/….l2.json`. */
export function cutSessionFacts(id8: string, text: string, about: Forgetting): Outcome {
  const known = parseSessionFacts(text)
  if (known === null) return unchanged(text)
  const isOut = (one: SessionFact): boolean =>
    [one.evidence.entry, ...(one.evidence.more ?? [])].some((n) => about.isGone(id8, n)) ||
    about.ids.has(one.id.toLowerCase()) ||
    stringsIn(one).some(about.from(id8).repeats)
  const gone = known.facts.filter(isOut).map(({ id, type, text: words }) => ({ id, kind: type, text: words }))
  const uncovered = known.uncovered.filter((n) => !about.isGone(id8, n))
  if (gone.length === 0 && uncovered.length === known.uncovered.length) return unchanged(text)
  const facts = known.facts.filter((one) => !isOut(one))
  return { text: facts.length === 0 ? null : formatSessionFacts({ ...known, facts, uncovered }), gone }
}
