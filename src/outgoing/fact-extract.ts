/** Facts found without a model: decisions, issues and patterns said in so many words, each with the words that say it. */

import { speakerOf } from '../knowledge/evidence.ts'
import type { NewFact, Speaker } from '../knowledge/fact.ts'
import type { Numbered } from '../sessions/digest-types.ts'
import { type SaidStatement, statementsIn } from './digest-said.ts'
import { speechesIn } from './digest-speech.ts'
import { wordCount } from './digest-words.ts'
import { withoutOpeners } from './openers.ts'
import { recognise } from './standing.ts'

const MAX_FILES = 5
/** What is solved already helps a later reader least. */
const MAX_RESOLVED = 3
/** How many entries after a decision its changes are looked for. */
const NEARBY = 12
const WRITING = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit'])
const FILE =
  /(?:^|[\s`"'(])((?:[\w@.-]+\/)*[\w@-]+(?:\.[\w-]+)*\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kt|swift|c|h|cc|cpp|hpp|cs|php|sh|sql|md|mdx|txt|json|jsonc|ya?ml|toml|xml|html|css|scss|vue|svelte|tex|ipynb|lock|env|cfg|ini|proto|tf|gradle|lua|ex|exs|dart|scala))(?=$|[\s`"'),:;.!?])/g
/** Words that point at something said elsewhere: alone they tell a later reader nothing. */
const POINTING =
  /^(?:(?:let'?s|we(?:'ll)?|i(?:'ll)?|please|ok(?:ay)?|yes|no|so|and|then|also),?\s+)*(?:use|do|go with|keep|drop|try|take)?\s*(?:it|(?:that|this)(?: one| way| approach| option| then| instead)?|those|these|them|the (?:first|second|third|last|former|latter|same)(?: one)?|option \w+|approach \w+|그걸로|이걸로|그거|그렇게|이렇게)\b[^\p{L}]*$/iu
/** "Not like that but …", where that was said before. */
const POINTING_KOREAN =
  /^(?:아니[,야요]* )?(?:그렇게|이렇게|그거|이거|그걸|이걸|그건|이건|그게|이게)(?: 말고| 아니고| 아니라)/
/** "Fix 1 and 2": numbers of a list that a later reader does not have. */
const NUMBERED =
  /\b(?:fix|do|implement|apply|skip|option|step|item)s?\s+#?\d+(?:\s*(?:,|and|&)\s*\d+)*(?![.\d])(?=$|[\s,;.!])/i
const BECAUSE = /\b(?:because|since|due to|so that|as otherwise)\s+([^.;]{4,200})|(?:weil|da)\s+([^.;]{4,200})/iu
const BECAUSE_KOREAN = /((?:[^.,;]|[.,](?=\d)){2,120}?(?:때문에|때문이|므로|(?:으|하|되|이|가|보)니까))/u

/** A sentence that gives the reason for the one before. */
const REASON_NEXT = /^(?:because|since|this is because|that's because|the reason|otherwise)\b|때문/i

/**
 * `session` is the id8. At most `max`, the person's own decisions first, then what is open, in the order they were said.
 * `issues`: what is open from before; that something is over is often said in no more words than that.
 */
export function extractFacts(
  session: string,
  entries: readonly Numbered[],
  max: number,
  issues: readonly string[] = [],
): NewFact[] {
  const { decided, open, resolved, learned } = statementsIn(entries, speechesIn(entries), issues)
  const changes = changesIn(entries)
  const prompts = entries.flatMap(({ n, entry }) => (entry.role === 'user' ? [n] : []))
  const make = (said: SaidStatement, type: NewFact['type'], status: NewFact['status']): NewFact => ({
    type,
    text: withoutOpeners(said.text),
    reason: reasonIn(said.text) ?? (REASON_NEXT.test(said.after) ? reasonIn(said.after) : null),
    status,
    resolution: status === 'resolved' ? said.text : null,
    at: said.at,
    session,
    evidence: { entry: said.n, quote: said.quote, by: speakerIn(entries, said) },
    files: filesOf(said, changes, prompts),
    concept: null,
    state: 'fresh',
    author: 'extractive',
  })
  const worthy = (all: readonly SaidStatement[]): SaidStatement[] => all.filter(standsAlone)
  const ranked = [
    ...worthy(decided.filter(({ by }) => by === 'user')).map((said) => ({ said, fact: make(said, 'decision', null) })),
    ...worthy(open).map((said) => ({ said, fact: make(said, 'issue', 'open') })),
    ...worthy(decided.filter(({ by }) => by === 'assistant')).map((said) => ({
      said,
      fact: make(said, 'decision', null),
    })),
    ...worthy(learned).map((said) => ({ said, fact: make(said, 'pattern', null) })),
    ...worthy(resolved)
      .slice(-MAX_RESOLVED)
      .map((said) => ({ said, fact: make(said, 'issue', 'resolved') })),
  ]
  return ranked
    .slice(0, Math.max(0, max))
    .sort((a, b) => a.said.n - b.said.n || a.said.from - b.said.from)
    .map(({ fact }) => fact)
}

function speakerIn(entries: readonly Numbered[], { n, quote }: SaidStatement): Speaker {
  const entry = entries.find((one) => one.n === n)?.entry
  return entry === undefined ? 'tool' : speakerOf(entry, quote)
}

function standsAlone({ text }: SaidStatement): boolean {
  return wordCount(text) >= 4 && !POINTING.test(text) && !POINTING_KOREAN.test(text) && !NUMBERED.test(text)
}

function reasonIn(text: string): string | null {
  const english = BECAUSE.exec(text)
  const reason = english?.[1] ?? english?.[2] ?? BECAUSE_KOREAN.exec(text)?.[1]
  return reason?.trim().replace(/[)\]"'`*]+$/, '') ?? null
}

interface Change {
  n: number
  path: string
}

function changesIn(entries: readonly Numbered[]): Change[] {
  return entries.flatMap(({ n, entry }) =>
    'name' in entry && WRITING.has(entry.name) && entry.ok === true ? [{ n, path: entry.cmd }] : [],
  )
}

/** Files named in the sentence, else those changed for it; what is said for good is about no file that it does not name. */
function filesOf(said: SaidStatement, changes: readonly Change[], prompts: readonly number[]): string[] {
  const { text, n, by } = said
  const named = [...text.matchAll(FILE)].map((match) => match[1] ?? '')
  const isForWork = by === 'user' && named.length === 0 && recognise(said.quote) === null && recognise(text) === null
  if (!isForWork) return [...new Set(named)].slice(0, MAX_FILES)
  // Whatever comes after the next prompt is done for that one.
  const until = Math.min(n + NEARBY, ...prompts.filter((prompt) => prompt > n))
  const near = changes.filter((one) => one.n > n && one.n <= until)
  return [...new Set(near.map(({ path }) => path))].slice(0, MAX_FILES)
}
