/** `search --team`: the server finds candidates by hashed tokens and counts the tokens; the local ranking orders the candidates. */
import type { OtherRow } from '../../../core/others/others.ts'
import type { SearchIndex } from '../../../core/search/disk/memory-index.ts'
import { type Found, findIn, type SearchRequest } from '../../../core/search/disk/search.ts'
import type { Columns, Engine } from '../../../core/search/engine.ts'
import { type AskedAt, parseOperators } from '../../../core/search/operators.ts'
import { parseQuestion, type Term } from '../../../core/search/question.ts'
import { traitsOf } from '../../../core/search/traits.ts'
import { KINDS, type Unit } from '../../../kernel/memory/document.ts'
import { stemOf } from '../../../kernel/text/token.ts'
import { tokenise } from '../../../kernel/text/words.ts'
import { earlier, lexemeOf, receivedRow, unitOfRow } from '../row.ts'
import type { Server } from './server.ts'

/** Candidates of each project: more do not change the ten best hits (bench/README.md). */
const MOST_CANDIDATES = 70
/** About so many rows are ranked by the server: more take time and hardly change the ten best hits. A question of one word needs more rows, because their ranks differ little. */
const MOST_LOOKED = 500
const MOST_LOOKED_FOR_ONE = 2_500

export type ServerRow = OtherRow & { project: string }

interface Candidates {
  rows: ServerRow[]
  live: number
  length: number
  /** The number of rows with each word of the question, by stem. */
  counts: ReadonlyMap<number, number>
}

/** `isHeld`: the mirror has the row, so that the local search finds it, or the row was forgotten here. `projects`: the project of each hit. */
export async function askTeam(
  server: Server,
  request: SearchRequest,
  at: AskedAt,
  isHeld: (row: ServerRow) => boolean,
): Promise<Found & { projects: string[] }> {
  const { terms } = parseQuestion(parseOperators(request.query, at).words)
  const sizes = await server.sizes()
  const found = await Promise.all(sizes.map((size) => askProject(server, size, terms, at.now)))
  const all: Candidates = {
    rows: found.flatMap(({ rows }) => rows).filter((row) => !isHeld(row)),
    live: found.reduce((sum, { live }) => sum + live, 0),
    length: found.reduce((sum, { length }) => sum + length, 0),
    counts: new Map(
      terms.map(({ stem }) => [stem, found.reduce((sum, { counts }) => sum + (counts.get(stem) ?? 0), 0)]),
    ),
  }
  const answer = findIn(indexOf(all), request, at)
  return { ...answer, projects: answer.hits.map(({ doc }) => all.rows[doc]?.project ?? '') }
}

export type Size = Awaited<ReturnType<Server['sizes']>>[number]

export async function askProject(
  server: Server,
  { project, live, length }: Size,
  terms: readonly Term[],
  now: number,
): Promise<Candidates> {
  const none = { rows: [], live, length, counts: new Map<number, number>() }
  if (terms.length === 0 || live === 0) return none
  const { rows, docs } = await server.candidates({
    project,
    tokens: terms.map(({ stem }) => lexemeOf(project, stem)),
    weights: terms.map(({ weight }) => weight),
    live,
    meanLength: Math.max(1, length / live),
    looked: terms.length === 1 ? MOST_LOOKED_FOR_ONE : MOST_LOOKED,
    most: MOST_CANDIDATES,
  })
  const latest = new Date(now).toISOString()
  const read = rows.flatMap(({ who, body, arrived }) => receivedRow(who, body, earlier(arrived, latest)) ?? [])
  const once = new Map(read.map((row) => [`${row.who}:${row.id}`, { ...row, project }]))
  const counts = new Map(terms.map(({ stem }, i) => [stem, docs[i] ?? 0]))
  return { ...none, rows: [...once.values()], counts }
}

/** The candidates as a search index, with the counts of all rows that the server has. */
function indexOf({ rows, live, length, counts }: Candidates): SearchIndex {
  const units = rows.map((row, n): Unit => ({ at: '', state: '', about: '', ...unitOfRow(row), n }))
  const tokens = units.map(({ text }) => tokenise(text))
  const columns: Columns = {
    count: units.length,
    live: units.length === 0 ? 0 : Math.max(live, units.length),
    tokens: Math.max(length, 1),
    length: Uint32Array.from(tokens, (one) => one.length),
    group: new Uint32Array(units.length),
    prev: () => -1,
    next: () => -1,
    kind: Uint8Array.from(units, ({ kind }) => KINDS.indexOf(kind)),
    flags: Uint16Array.from(units, ({ text }) => traitsOf(text)),
    seconds: Uint32Array.from(units, ({ at }) => Math.max(0, Math.floor((Date.parse(at) || 0) / 1000))),
    dead: new Uint8Array(units.length),
  }
  return {
    columns,
    engine: engineOf(tokens, counts),
    news: [],
    entryOf: () => null,
    behind: () => [],
    rest: () => [],
    unitOf: (doc) => units[doc] ?? null,
    placeOf: (doc) => ({ source: '', session: null, n: doc }),
    vocabulary: () => [],
    refresh: () => true,
    isSound: () => true,
    close: () => undefined,
  }
}

/** Every candidate is ranked: the server has chosen already. */
function engineOf(tokens: readonly Uint32Array[], counts: ReadonlyMap<number, number>): Engine {
  return {
    look: (stems, _, __, isWanted) => ({
      docs: tokens.map((_tokens, doc) => doc).filter((doc) => isWanted?.(doc) !== false),
      found: stems.map((stem) => counts.get(stem) ?? 0),
    }),
    placesOf: (doc, stems) => {
      const places: number[] = []
      tokens[doc]?.forEach((token, at) => {
        if (stems.includes(stemOf(token))) places.push(at, token | 0)
      })
      return Int32Array.from(places)
    },
  }
}
