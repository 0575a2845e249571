/** The documents of the index in memory: rows as they stand in docs.bin, and the columns that ranking reads. */
import type { Columns } from '../../corpus.ts'

/** One document; everything is a whole number below 2³². */
export interface Row {
  /** Tokens, and their sum: a damaged document is recognised when it is read. */
  length: number
  sum: number
  group: number
  /** The document that it stands behind in its source, -1 at the beginning. */
  prev: number
  kind: number
  flags: number
  seconds: number
  n: number
  /** Number of the session that it is about, -1: none. */
  session: number
  /** Its bytes in the source, where it is a line of it. */
  at: number
  size: number
  hash: number
}

const LENGTH = 0
const GROUP = 1
const PREV = 2
const KIND = 3
const SECONDS = 4
const N = 5
const SESSION = 6
const AT = 7
const SIZE = 8
const HASH = 9
const SUM = 10
/** Words of 32 bits in a row. */
export const WIDTH = 11
const FIRST_ROOM = 256

export interface Table {
  readonly columns: Columns
  /** The rows from this document on, as they are written. */
  rows(from: number): Uint32Array
  row(doc: number): Row
  /** Where the tokens of a document begin. */
  start(doc: number): number
  sum(doc: number): number
  /** How many tokens all documents have together, the dead too. */
  allTokens(): number
  add(row: Row): number
  /** Rows that were written before, behind those that are here, in so many groups; false: these are none. */
  load(rows: Uint32Array, groups: number): boolean
  kill(doc: number): void
  /** The living documents of a source in their order. */
  inGroup(group: number): number[]
  lastIn(group: number): number
}

interface Content {
  rows: Uint32Array
  starts: Uint32Array
  all: Columns
  /** First and last living document of each group. */
  heads: number[]
  tails: number[]
  tokens: number
}

/** Like a list into whose middle things are put: only its end is ever written, each row naming the one it stands behind. */
export function createTable(): Table {
  const content: Content = {
    rows: new Uint32Array(FIRST_ROOM * WIDTH),
    starts: new Uint32Array(FIRST_ROOM),
    all: emptyColumns(FIRST_ROOM),
    heads: [],
    tails: [],
    tokens: 0,
  }
  let shown: Columns | null = null
  const load = (rows: Uint32Array, groups: number): boolean => {
    shown = null
    makeRoom(content, rows)
    for (let group = content.heads.length; group < groups; group++) content.heads[group] = content.tails[group] = -1
    return takeRows(content, rows)
  }
  return {
    get columns() {
      shown ??= viewOf(content.all)
      shown.live = content.all.live
      shown.tokens = content.all.tokens
      return shown
    },
    rows: (from) => content.rows.subarray(from * WIDTH, content.all.count * WIDTH),
    row: (doc) => decode(content.rows.subarray(doc * WIDTH, (doc + 1) * WIDTH)),
    start: (doc) => content.starts[doc] ?? 0,
    sum: (doc) => content.rows[doc * WIDTH + SUM] ?? 0,
    allTokens: () => content.tokens,
    load,
    add: (row) => {
      load(encode(row), row.group + 1)
      return content.all.count - 1
    },
    kill: (doc) => kill(content, doc),
    inGroup: (group) => {
      const docs: number[] = []
      for (let doc = content.heads[group] ?? -1; doc >= 0; doc = content.all.next[doc] ?? -1) docs.push(doc)
      return docs
    },
    lastIn: (group) => content.tails[group] ?? -1,
  }
}

function makeRoom(content: Content, added: Uint32Array): void {
  const { all, starts } = content
  const count = all.count + added.length / WIDTH
  if (count <= starts.length) return
  // An index that was just opened is mostly only read: its rows are not copied, and there is no room behind them.
  const room = all.count === 0 ? count : Math.max(count + FIRST_ROOM, Math.ceil(count * 1.25))
  content.rows = all.count === 0 ? added : grown(content.rows, new Uint32Array(room * WIDTH))
  content.starts = grown(starts, new Uint32Array(room))
  content.all = grownColumns(all, room)
}

/** One loop over plain variables: an index is opened by processes that live for milliseconds. */
function takeRows(content: Content, added: Uint32Array): boolean {
  const { rows, starts, all, heads, tails } = content
  const { length, group: groups, prev: prevs, next: nexts, kind, flags, seconds } = all
  let { tokens } = content
  let doc = all.count
  if (rows !== added) rows.set(added, doc * WIDTH)
  for (let at = 0; at < added.length; at += WIDTH, doc++) {
    const long = added[at + LENGTH] as number
    const group = added[at + GROUP] as number
    const prev = (added[at + PREV] as number) - 1
    const what = added[at + KIND] as number
    if (prev >= doc || group >= heads.length) return false
    starts[doc] = tokens
    tokens += long
    length[doc] = long
    groups[doc] = group
    kind[doc] = what & 0xff
    flags[doc] = what >>> 16
    seconds[doc] = added[at + SECONDS] as number
    const next = (prev < 0 ? heads[group] : nexts[prev]) as number
    prevs[doc] = prev
    nexts[doc] = next
    if (prev < 0) heads[group] = doc
    else nexts[prev] = doc
    if (next < 0) tails[group] = doc
    else prevs[next] = doc
  }
  all.live += doc - all.count
  all.tokens += tokens - content.tokens
  all.count = doc
  content.tokens = tokens
  return true
}

function kill({ all, heads, tails }: Content, doc: number): void {
  if (doc >= all.count || all.dead[doc] !== 0) return
  const group = all.group[doc] ?? 0
  const prev = all.prev[doc] ?? -1
  const next = all.next[doc] ?? -1
  if (prev < 0) heads[group] = next
  else all.next[prev] = next
  if (next < 0) tails[group] = prev
  else all.prev[next] = prev
  all.prev[doc] = -1
  all.next[doc] = -1
  all.dead[doc] = 1
  all.live--
  all.tokens -= all.length[doc] ?? 0
}

function encode(row: Row): Uint32Array {
  const words = new Uint32Array(WIDTH)
  words[LENGTH] = row.length
  words[GROUP] = row.group
  words[PREV] = row.prev + 1
  words[KIND] = row.kind | (row.flags << 16)
  words[SECONDS] = row.seconds
  words[N] = row.n
  words[SESSION] = row.session + 1
  words[AT] = row.at
  words[SIZE] = row.size
  words[HASH] = row.hash
  words[SUM] = row.sum
  return words
}

function decode(words: Uint32Array): Row {
  const word = (at: number): number => words[at] ?? 0
  return {
    length: word(LENGTH),
    group: word(GROUP),
    prev: word(PREV) - 1,
    kind: word(KIND) & 0xff,
    flags: word(KIND) >>> 16,
    seconds: word(SECONDS),
    n: word(N),
    session: word(SESSION) - 1,
    at: word(AT),
    size: word(SIZE),
    hash: word(HASH),
    sum: word(SUM),
  }
}

function emptyColumns(room: number): Columns {
  return {
    count: 0,
    live: 0,
    tokens: 0,
    length: new Uint32Array(room),
    group: new Uint32Array(room),
    prev: new Int32Array(room),
    next: new Int32Array(room),
    kind: new Uint8Array(room),
    flags: new Uint16Array(room),
    seconds: new Uint32Array(room),
    dead: new Uint8Array(room),
  }
}

function grownColumns(old: Columns, room: number): Columns {
  const next = emptyColumns(room)
  for (const name of COLUMNS) next[name].set(old[name])
  return { ...next, count: old.count, live: old.live, tokens: old.tokens }
}

/** Without the room behind the last document. */
function viewOf(all: Columns): Columns {
  const { count } = all
  return {
    ...all,
    length: all.length.subarray(0, count),
    group: all.group.subarray(0, count),
    prev: all.prev.subarray(0, count),
    next: all.next.subarray(0, count),
    kind: all.kind.subarray(0, count),
    flags: all.flags.subarray(0, count),
    seconds: all.seconds.subarray(0, count),
    dead: all.dead.subarray(0, count),
  }
}

const COLUMNS = ['length', 'group', 'prev', 'next', 'kind', 'flags', 'seconds', 'dead'] as const

function grown<T extends Uint32Array>(old: T, next: T): T {
  next.set(old)
  return next
}
