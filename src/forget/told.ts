/** What goes, told to a person: each thing once, however many copies and lists of it there are. */
import { count } from '../text/figures.ts'

interface Item {
  id: string
  kind: string
  /** `facts.json`, `vault: facts.json`. */
  where: string
  text: string
}

/** One and many. Other kinds (a receipt, a summary, a log) repeat one of these. */
const WORDS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  prompt: ['prompt', 'prompts'],
  answer: ['answer', 'answers'],
  tool: ['tool use', 'tool uses'],
  subagent: ['step of a subagent', 'steps of subagents'],
  teammate: ['message of a teammate', 'messages of teammates'],
  compaction: ['summary of a compaction', 'summaries of compactions'],
  decision: ['decision', 'decisions'],
  pattern: ['pattern', 'patterns'],
  issue: ['issue', 'issues'],
  permanent: ['permanent rule', 'permanent rules'],
  note: ['note', 'notes'],
  'note, written anew': ['note that is written anew', 'notes that are written anew'],
  page: ['page', 'pages'],
  text: ['sentence', 'sentences'],
  concept: ['concept', 'concepts'],
  'raw backup': ['raw backup', 'raw backups'],
}

/** `kind` in the singular: `tool use`. A sentence has no id, but the first file that contains it. */
export function thingsIn(items: readonly Item[]): { id: string; kind: string; text: string }[] {
  const things = new Map<string, { id: string; kind: string; text: string }>()
  for (const { id, kind, where, text } of items) {
    const word = WORDS[kind]?.[0]
    const key = `${kind}\n${kind === 'text' ? text : id}`
    if (word !== undefined && !things.has(key)) things.set(key, { id: kind === 'text' ? where : id, kind: word, text })
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

/** Files of the memory by their names, copies and receipts by how many there are. */
export function tellPlaces(items: readonly Item[]): string {
  const places = [...new Set(items.map(({ where }) => where))]
  const files = places.filter((where) => !/^\w+: |^journal\//.test(where)).toSorted()
  const groups = [
    [files.slice(SHOWN_FILES).length, 'other file'],
    [places.filter((where) => where.startsWith('journal/')).length, 'file of receipts', 'files of receipts'],
    ...(['vault', 'backup', 'copy', 'logs'] as const).map(
      (kind) =>
        [places.filter((where) => where.startsWith(`${kind}: `)).length, `file (${kind})`, `files (${kind})`] as const,
    ),
  ] as const
  const told = groups.flatMap(([number, one, many]) => (number === 0 ? [] : [count(number, one, many)]))
  return [...files.slice(0, SHOWN_FILES), ...told].join(', ')
}
