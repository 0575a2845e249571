/** What goes, told to a person: each thing once, however many copies and lists of it there are. */
import { count } from '../text/figures.ts'

interface Item {
  id: string
  kind: string
  /** `facts.json`, `vault: facts.json`. */
  where: string
  text: string
}

export interface ForgottenThing {
  /** Empty: it has none. */
  id: string
  /** In the singular: `tool use`. */
  kind: string
  text: string
  places: string[]
}

/** One and many, where the kind itself is no word for a person. */
const WORDS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  prompt: ['prompt', 'prompts'],
  answer: ['answer', 'answers'],
  tool: ['tool use', 'tool uses'],
  subagent: ['step of a subagent', 'steps of subagents'],
  compaction: ['summary of a compaction', 'summaries of compactions'],
  decision: ['decision', 'decisions'],
  pattern: ['pattern', 'patterns'],
  issue: ['issue', 'issues'],
  permanent: ['rule for good', 'rules for good'],
  standing: ['standing instruction', 'standing instructions'],
  note: ['note', 'notes'],
  'note, written anew': ['note that is written anew', 'notes that are written anew'],
  page: ['page', 'pages'],
  text: ['sentence', 'sentences'],
  concept: ['concept', 'concepts'],
  'raw backup': ['raw backup', 'raw backups'],
}

/** What is no thing of its own (a receipt, a summary, a log) repeats one. */
export function thingsIn(items: readonly Item[]): ForgottenThing[] {
  const things = new Map<string, ForgottenThing>()
  for (const { id, kind: given, where, text } of items) {
    const kind = given === 'page' && !id.startsWith('page:') ? 'text' : given
    const word = WORDS[kind]?.[0]
    if (word === undefined) continue
    const name = kind === 'text' ? '' : id
    const key = `${word}\n${name === '' ? text : name}`
    const known = things.get(key)
    if (known === undefined) things.set(key, { id: name, kind: word, text, places: [where] })
    else if (!known.places.includes(where)) known.places.push(where)
  }
  return [...things.values()]
}

/** In figures and kinds, without a word of it: `2 prompts and 1 decision, in 6 places`. */
export function tellThings(items: readonly Item[]): string {
  const kinds = new Map<string, number>()
  for (const { kind } of thingsIn(items)) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  const many = new Map(Object.values(WORDS))
  const told = [...kinds].map(([kind, times]) => count(times, kind, many.get(kind)))
  const last = told.pop()
  const what = told.length === 0 ? (last ?? 'what repeats it') : `${told.join(', ')} and ${last}`
  return `${what}, in ${count(new Set(items.map(({ where }) => where)).size, 'place')}`
}

const SHOWN_FILES = 6

/** Where it stands: files of the memory by their names, all else by how many there are. */
export function tellPlaces(items: readonly Item[]): string {
  const places = [...new Set(items.map(({ where }) => where))]
  const own = places.filter((where) => !/^\w+: /.test(where))
  const files = own.filter((where) => !where.startsWith('journal/')).toSorted()
  const more = files.length - SHOWN_FILES
  const inThe = (kind: string): number => places.filter((where) => where.startsWith(`${kind}: `)).length
  const some = (number: number, one: string, many?: string): string[] =>
    number === 0 ? [] : [count(number, one, many)]
  return [
    ...files.slice(0, SHOWN_FILES),
    ...some(Math.max(0, more), 'other file'),
    ...some(own.length - files.length, 'file of receipts', 'files of receipts'),
    ...some(inThe('vault'), 'file in the vault', 'files in the vault'),
    ...some(inThe('backup'), 'file in backups', 'files in backups'),
    ...some(inThe('copy'), 'file of a copy', 'files of a copy'),
    ...some(inThe('logs'), 'log'),
  ].join(', ')
}
