/** Search over everything that is remembered: one ranked list for the command line and for Claude. */
import { KeeperError } from '../core/error.ts'
import { type Kind, type Layer, layerOf } from '../core/query/corpus.ts'
import { phraseRanges } from '../core/query/match.ts'
import {
  ALL_KINDS,
  bothKinds,
  hasNoFilter,
  kindsIn,
  type Operators,
  parseOperators,
  parseSessionName,
  parseTime,
} from '../core/query/operators.ts'
import { type Match, snippetOf } from '../core/query/snippet.ts'
import { stemOf } from '../core/query/token.ts'
import { tokenise, tokenSpans } from '../core/query/words.ts'
import { type Gathered, gather, MOST_READ } from './search-candidates.ts'
import { type IndexOptions, openIndex, type SearchIndex } from './search-index/index.ts'
import { type Correction, correctWords } from './search-typo.ts'
import type { Store } from './store.ts'

export interface SearchRequest {
  /** Words and operators (core/query/operators). */
  query: string
  layers?: readonly Layer[]
  kinds?: readonly Kind[]
  /** As a person writes it: a day, `yesterday`, `3d`. */
  since?: string
  until?: string
  session?: string
  file?: string
  limit?: number
}

export interface Hit {
  /** In the index, until it is refreshed. */
  doc: number
  id: string
  layer: Layer
  kind: Kind
  session: string | null
  entry: number | null
  date: string
  score: number
  /** One line, harmless, around the best match. */
  snippet: string
  /** [from, to) in the snippet of the words that matched. */
  marks: readonly (readonly [number, number])[]
  state: string
  /** The same event in other layers, best first: ids. */
  also: readonly string[]
}

export interface Found {
  hits: Hit[]
  engine: 'fts5' | 'scan'
  news: readonly string[]
  /** A word nobody wrote, and what was taken for it. */
  corrected: readonly Correction[]
  /** The largest part of the question's words that one hit holds, 0 to 1; 1 where there was no question. */
  covered: number
}

export interface Searcher {
  find(request: SearchRequest): Found
  readonly index: SearchIndex
  close(): void
}

const LIMIT = 10
const SNIPPET_CHARS = 220
/** The same words may have been said a hundred times. */
const MAX_ALSO = 20
/** The words of a phrase together are what was asked for. */
const PHRASE_WEIGHT = 20

export function openSearcher(store: Store, options: IndexOptions): Searcher {
  const index = openIndex(store, options)
  return {
    index,
    find: (request) => {
      index.refresh()
      return find(index, request, Date.parse(options.now()))
    },
    close: () => index.close(),
  }
}

function find(index: SearchIndex, request: SearchRequest, now: number): Found {
  const limit = request.limit ?? LIMIT
  const asked = narrow(parseOperators(request.query, now), request, now)
  const isPlain = hasNoFilter(asked)
  if (isPlain && asked.words === '') {
    throw new KeeperError(
      'usage',
      'What is to be looked for? Give some words, or a filter like since:3d or type:decision.',
    )
  }
  if (isPlain && tokenise(asked.words).length === 0) return told(index, [], { news: [onlyCommon(asked.words)] })
  const first = gather(index, asked, limit)
  const { words, corrected } = correctWords(index, asked.words, first.counts)
  const second = corrected.length === 0 ? first : gather(index, { ...asked, words }, limit)
  const found = second.folded.length === 0 ? (readForSingles(index, asked, limit) ?? second) : second
  const news = found.isCut ? [`Only the newest ${MOST_READ} texts were read for it.`] : []
  return told(index, hitsOf(found, index.columns.live), { corrected, covered: coverOf(found), news })
}

/** One character of a script without spaces is a word (猫), but the index holds pairs: then the texts are read. */
function readForSingles(index: SearchIndex, asked: Operators, limit: number): Gathered | null {
  const singles = asked.words.match(SINGLE) ?? []
  if (singles.length === 0 || /\w/.test(asked.words)) return null
  return gather(index, { ...asked, words: '', phrases: [...asked.phrases, ...singles] }, limit)
}

const SINGLE = /(?<![\p{L}\p{N}])[\p{sc=Han}\p{sc=Hangul}\p{sc=Hira}\p{sc=Kana}](?![\p{L}\p{N}])/gu

/** How much of the question one hit holds at most. */
function coverOf({ folded, question: { terms } }: Gathered): number {
  const weigh = (isCounted: (stem: number) => boolean): number =>
    terms.reduce((sum, { stem, weight }) => sum + (isCounted(stem) ? weight : 0), 0)
  const all = weigh(() => true)
  return all === 0 ? 1 : Math.max(0, ...folded.map(({ hit }) => weigh((stem) => hit.held.has(stem)) / all))
}

function told(index: SearchIndex, hits: Hit[], more: Partial<Found>): Found {
  const news = [...index.news, ...(more.news ?? [])]
  return { hits, engine: index.engine.name, corrected: [], covered: 1, ...more, news }
}

function onlyCommon(words: string): string {
  const shown = `"${words.length > 60 ? `${Array.from(words).slice(0, 60).join('')}…` : words}"`
  return /[\p{L}\p{N}]/u.test(words)
    ? `Every word of ${shown} is too common to be looked for. Add a name, a file or an unusual word, or put the words in quotes.`
    : `There is no word in ${shown} to be looked for.`
}

/** What the options say besides the operators: each narrows the other. */
function narrow(
  asked: Operators,
  { layers, kinds, since, until, session, file }: SearchRequest,
  now: number,
): Operators {
  const allowed = bothKinds(
    kinds === undefined ? ALL_KINDS : new Set(kinds),
    layers === undefined ? ALL_KINDS : kindsIn(layers),
  )
  const named = session === undefined ? null : parseSessionName(session)
  return {
    ...asked,
    // Two sessions exclude each other: there is nothing in both.
    kinds:
      named !== null && asked.session !== null && named !== asked.session ? new Set() : bothKinds(asked.kinds, allowed),
    files: file === undefined || file.trim() === '' ? asked.files : [...asked.files, file.trim()],
    since: Math.max(asked.since, since === undefined ? asked.since : parseTime('since', since, now)),
    until: Math.min(asked.until, until === undefined ? asked.until : parseTime('until', until, now)),
    session: named ?? asked.session,
  }
}

function hitsOf({ asked, folded, counts }: Gathered, live: number): Hit[] {
  const weightOf = (stem: number): number => Math.log(1 + live / ((counts.get(stem) ?? 0) + 1))
  const find = (line: string): Match[] => [
    ...tokenSpans(line)
      .map(({ token, from, to }) => ({ from, to, what: stemOf(token) }))
      .filter(({ what }) => counts.has(what))
      .map((span) => ({ ...span, weight: weightOf(span.what) })),
    ...asked.phrases.flatMap((phrase, i) =>
      phraseRanges(line, phrase).map(([from, to]) => ({ from, to, what: -1 - i, weight: PHRASE_WEIGHT })),
    ),
  ]
  return folded.map(({ hit, also }) => ({
    doc: hit.doc,
    id: hit.id,
    layer: layerOf(hit.kind),
    kind: hit.kind,
    session: hit.session,
    entry: layerOf(hit.kind) === 'L1' ? hit.n : null,
    date: hit.at,
    score: hit.score,
    ...snippetOf(hit.text, find, SNIPPET_CHARS),
    state: hit.state,
    also: also.slice(0, MAX_ALSO).map(({ id }) => id),
  }))
}
