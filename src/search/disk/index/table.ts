/** The documents of the index in memory: rows as docs.bin contains them, and the columns that the ranking reads. */
import type { Columns } from '../../corpus.ts'

/** One document; every value is a whole number below 2³². */
export interface Row {
  /** Tokens, and their sum: it shows whether a document is damaged when it is read. */
  length: number
  sum: number
  group: number
  /** The document before it in its source, -1 at the beginning. */
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

/** The words of a row, each of 32 bits. */
const [LENGTH, GROUP, PREV, KIND, SECONDS, N, SESSION, AT, SIZE, HASH, SUM] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
] as const
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
  /** How many tokens all documents have together, the dead included. */
  allTokens(): number
  add(row: Row): number
  /** Appends rows that were written before, of so many groups; false: the rows are not sound. */
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

/** A list that takes insertions in its middle, although rows are only appended: each row names the one before it. */
export function createTable(): Table {
  const content: Content = {
    rows: new Uint32Array(FIRST_ROOM * WIDTH),
    starts: new Uint32Array(FIRST_ROOM),
    all: { count: 0, live: 0, tokens: 0, ...columnsBy((make) => new make(FIRST_ROOM)) },
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
      const { all } = content
      // Without the room behind the last document.
      shown ??= { ...all, ...columnsBy((_, name) => all[name].subarray(0, all.count)) }
      shown.live = all.live
      shown.tokens = all.tokens
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
  const { all } = content
  const count = all.count + added.length / WIDTH
  if (count <= content.starts.length) return
  // An index that was just opened is mostly only read: its rows are not copied, and get no spare room.
  const room = all.count === 0 ? count : Math.max(count + FIRST_ROOM, Math.ceil(count * 1.25))
  content.rows = all.count === 0 ? added : grown(content.rows, new Uint32Array(room * WIDTH))
  content.starts = grown(content.starts, new Uint32Array(room))
  content.all = { ...all, ...columnsBy((make, name) => grown(all[name], new make(room))) }
}

/** One loop over plain variables: short processes open an index, too. */
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
  all.prev[doc] = all.next[doc] = -1
  all.dead[doc] = 1
  all.live--
  all.tokens -= all.length[doc] ?? 0
}

function encode({ length, group, prev, kind, flags, seconds, n, session, at, size, hash, sum }: Row): Uint32Array {
  return Uint32Array.of(length, group, prev + 1, kind | (flags << 16), seconds, n, session + 1, at, size, hash, sum)
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

const COLUMNS = {
  length: Uint32Array,
  group: Uint32Array,
  prev: Int32Array,
  next: Int32Array,
  kind: Uint8Array,
  flags: Uint16Array,
  seconds: Uint32Array,
  dead: Uint8Array,
} as const

type Name = keyof typeof COLUMNS
type Column = Columns[Name]

function columnsBy(make: (type: new (room: number) => Column, name: Name) => Column): Pick<Columns, Name> {
  const made = Object.entries(COLUMNS).map(([name, type]) => [name, make(type, name as Name)])
  return Object.fromEntries(made) as Pick<Columns, Name>
}

function grown<T extends Column>(old: T, next: T): T {
  next.set(old)
  return next
}
