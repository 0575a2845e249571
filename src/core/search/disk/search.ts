/** Search over the whole memory: one ranked list for the command line, the page and Claude. */

import type { Store } from '../../../kernel/memory/disk/store.ts'
import type { Kind, NamedAuthor } from '../../../kernel/memory/document.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { clockOf } from '../../../kernel/platform/time.ts'
import { once } from '../../../kernel/text/once.ts'
import { stemOf } from '../../../kernel/text/token.ts'
import { tokenise, tokenSpans } from '../../../kernel/text/words.ts'
import { authorOfUnit, type Layer, layerOf } from '../corpus.ts'
import { phraseRanges } from '../match.ts'
import {
  ALL_KINDS,
  type AskedAt,
  bothKinds,
  hasNoFilter,
  kindsIn,
  type Operators,
  parseKinds,
  parseLayers,
  parseOperators,
  parseSessionName,
  parseTime,
} from '../operators.ts'
import { type Match, readable, snippetOf } from '../snippet.ts'
import { type IndexOptions, openIndex, type SearchIndex } from './memory-index.ts'
import { type Gathered, gather, MOST_READ } from './search-candidates.ts'
import { type Correction, correctWords, holdsEach, missingWords, namesInQuery } from './search-typo.ts'

/** All values as a person writes them: `L1,L2`, `decision`, `yesterday`. */
export interface SearchRequest {
  /** Words and operators (operators.ts). */
  query: string
  layers?: string | readonly string[] | undefined
  kinds?: string | readonly string[] | undefined
  since?: string | undefined
  until?: string | undefined
  session?: string | undefined
  file?: string | undefined
  limit?: number | undefined
  /** At most three entries of one session come first, unless the request names a session. */
  isSpread?: boolean
}

export interface Hit {
  /** Its number in the index, valid until the next refresh. */
  doc: number
  id: string
  layer: Layer
  kind: Kind
  session: string | null
  entry: number | null
  date: string
  score: number
  /** One harmless line around the best match. */
  snippet: string
  /** [from, to) of the matching words in the snippet. */
  marks: readonly (readonly [number, number])[]
  state: string
  /** Whose words it is. */
  by: NamedAuthor
  /** Ids of hits about the same event, best first. */
  also: readonly string[]
}

export interface Found {
  hits: Hit[]
  news: readonly string[]
  /** A word without a match, and the word that was searched instead. */
  corrected: readonly Correction[]
  /** Words of the query, as typed, without a match that were not corrected. */
  missing: readonly string[]
  /** The largest share of the question's words in one hit, 0 to 1, not counting summaries of sessions; 1 without a question. */
  covered: number
  /** The hits contain every identifier, path and number of the query whole. */
  holdsNames: boolean
  /** Entries of sessions were searched. */
  deep: boolean
}

export interface Searcher {
  find(request: SearchRequest): Found
  readonly index: SearchIndex
  close(): void
}

const LIMIT = 10
const MOST_OF_SESSION = 3
const SNIPPET_CHARS = 220
/** The same words may occur a hundred times. */
const MAX_ALSO = 20
const PHRASE_WEIGHT = 20

export function openSearcher(store: Store, options: IndexOptions): Searcher {
  const index = openIndex(store, options)
  const at = (): AskedAt => ({ now: Date.parse(options.now()), timezone: store.config.timezone })
  return {
    index,
    find: (request) => {
      index.refresh()
      const found = findIn(index, request, at())
      if (index.isSound()) return found
      index.refresh()
      return findIn(index, request, at())
    },
    close: () => index.close(),
  }
}

/** Also over documents that are in no file: those of the team's server. */
export function findIn(index: SearchIndex, request: SearchRequest, at: AskedAt): Found {
  const limit = request.limit ?? LIMIT
  const asked = operatorsOf(request, at)
  const isPlain = hasNoFilter(asked)
  if (isPlain && asked.words === '') {
    throw new KeeperError(
      'usage',
      'There is nothing to search for. Give some words, or a filter like since:3d or type:decision.',
    )
  }
  const deep = [...asked.kinds].some((kind) => layerOf(kind) === 'L1')
  if (isPlain && tokenise(asked.words).length === 0)
    return foundWith(index, [], { news: [onlyCommon(asked.words)], deep })
  const most = request.isSpread === true && asked.session === null ? MOST_OF_SESSION : limit
  const first = gather(index, asked, limit, most)
  const { words, corrected } = correctWords(index, asked.words, first.counts)
  const second = corrected.length === 0 ? first : gather(index, { ...asked, words }, limit, most)
  const found = second.folded.length === 0 ? (readForSingles(index, asked, limit) ?? second) : second
  const news = found.isCut ? [`Only the newest ${MOST_READ} texts were read for it.`] : []
  const hits = hitsOf(found, index.columns.live)
  const more = isTitleInQuestion(asked) ? withoutQuotes(index, { ...asked, words }, found, limit) : []
  if (more.length > 0) news.push(quotesIn(hits.length))
  const taken = new Set(corrected.map(({ from }) => from))
  // In an empty memory every word would be missing.
  const unwritten = index.columns.live === 0 ? [] : missingWords(asked.words, first.counts)
  const missing = unwritten.filter((word) => !taken.has(word))
  const texts = found.folded.flatMap(({ hit, also }) => [hit, ...also].map(({ text }) => text))
  const holdsNames = holdsEach(texts, namesInQuery(words))
  return foundWith(index, [...hits, ...more], { corrected, missing, covered: coverOf(found), holdsNames, deep, news })
}

/** "Where did we read "Clean Code" together?": the quotes mark a title, and the answer need not contain it. */
function isTitleInQuestion({ words, phrases }: Operators): boolean {
  const quoted = new Set(phrases.flatMap((phrase) => Array.from(tokenise(phrase), stemOf)))
  return phrases.length > 0 && Array.from(tokenise(words), stemOf).filter((stem) => !quoted.has(stem)).length >= 2
}

/** If too few hits contain the quoted words, adds others behind them. */
function withoutQuotes(index: SearchIndex, asked: Operators, strict: Gathered, limit: number): Hit[] {
  if (strict.folded.length >= limit) return []
  const known = new Set(strict.folded.flatMap(({ hit, also }) => [hit.doc, ...also.map(({ doc }) => doc)]))
  const loose = gather(index, { ...asked, phrases: [] }, limit)
  const isNew = ({ hit, also }: (typeof loose.folded)[number]): boolean =>
    ![hit, ...also].some(({ doc }) => known.has(doc))
  const folded = loose.folded.filter(isNew).slice(0, limit - strict.folded.length)
  return hitsOf({ ...loose, folded }, index.columns.live)
}

function quotesIn(count: number): string {
  return count === 0
    ? 'No match contains the words in quotes; these are close.'
    : `Only the first ${count} contain the words in quotes.`
}

/** One character of a script without spaces is a word (猫), but the index contains pairs: then the texts are read. */
function readForSingles(index: SearchIndex, asked: Operators, limit: number): Gathered | null {
  const singles = asked.words.match(SINGLE()) ?? []
  if (singles.length === 0 || /\w/.test(asked.words)) return null
  return gather(index, { ...asked, words: '', phrases: [...asked.phrases, ...singles] }, limit)
}

const SINGLE = once(() => /(?<![\p{L}\p{N}])[\p{sc=Han}\p{sc=Hangul}\p{sc=Hira}\p{sc=Kana}](?![\p{L}\p{N}])/gu)

/** The largest share of the question in one hit. A session's summary contains many words without answering. */
function coverOf({ folded, question: { terms } }: Gathered): number {
  const weigh = (isCounted: (stem: number) => boolean): number =>
    terms.reduce((sum, { stem, weight }) => sum + (isCounted(stem) ? weight : 0), 0)
  const all = weigh(() => true)
  const telling = folded.filter(({ hit }) => hit.kind !== 'session')
  return all === 0 ? 1 : Math.max(0, ...telling.map(({ hit }) => weigh((stem) => hit.held.has(stem)) / all))
}

function foundWith(index: SearchIndex, hits: Hit[], more: Partial<Found>): Found {
  const news = [...index.news, ...(more.news ?? [])]
  const nothing = { corrected: [], missing: [], covered: 1, holdsNames: true, deep: true }
  return { hits, ...nothing, ...more, news }
}

function onlyCommon(words: string): string {
  const shown = `"${words.length > 60 ? `${Array.from(words).slice(0, 60).join('')}…` : words}"`
  return /[\p{L}\p{N}]/u.test(words)
    ? `Every word of ${shown} is too common to search for. Add a name, a file or an unusual word, or put the words in quotes.`
    : 'This query contains no word to search for.'
}

/** Query and options together: each narrows the other. */
export function operatorsOf(request: SearchRequest, at: AskedAt): Operators {
  const { layers, kinds, since, until, session, file } = request
  const asked = parseOperators(request.query, at)
  const named = session ? parseSessionName(session) : null
  const times = {
    since: Math.max(asked.since, since ? parseTime('since', since, at) : asked.since),
    until: Math.min(asked.until, until ? parseTime('until', until, at) : asked.until),
  }
  if (times.since >= times.until) {
    const [from, to] = [times.since, times.until - 1].map((ms) =>
      clockOf(at.timezone ?? 'UTC').day(new Date(ms).toISOString()),
    )
    throw new KeeperError('usage', `since ${from} is later than until ${to}: there is no time between them.`)
  }
  const allowed = bothKinds(
    kinds?.length ? parseKinds(String(kinds)) : ALL_KINDS,
    layers?.length ? kindsIn(parseLayers(String(layers))) : ALL_KINDS,
  )
  // No entry belongs to two sessions.
  const isNone = named !== null && asked.session !== null && named !== asked.session
  return {
    ...asked,
    ...times,
    kinds: isNone ? new Set() : bothKinds(asked.kinds, allowed),
    files: file?.trim() ? [...asked.files, file.trim()] : asked.files,
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
    ...snippetOf(readable(hit), find, SNIPPET_CHARS),
    state: hit.state,
    by: authorOfUnit(hit),
    also: also.slice(0, MAX_ALSO).map(({ id }) => id),
  }))
}
