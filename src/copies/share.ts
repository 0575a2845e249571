/** What a person shares of their memory: notes, facts and concepts as text, the same bytes for the same memory. Never a session. */
import type { Concept } from '../knowledge/concept.ts'
import { allFacts, type Fact, type Facts } from '../knowledge/fact.ts'
import { PERMANENT_KINDS, type PermanentKind } from '../knowledge/permanent.ts'
import { formatNote, type Note } from '../memory/note.ts'
import type { ArchiveSummary } from '../notes/summary.ts'
import { compareText } from '../text/memory-words.ts'
import { SHARED_CONCEPTS, SHARED_FACTS, SHARED_MEMORY } from '../trust/share-files.ts'

export interface Shareable {
  notes: readonly Note[]
  /** Of archives, by the archive's file. */
  summaries: readonly { file: string; summary: ArchiveSummary }[]
  facts: Facts
  concepts: readonly Concept[]
}

/** `rule`: what holds for them; for everybody else it is only something they say. */
export type SharedType = 'decision' | 'pattern' | 'issue' | 'rule'

/** One line of facts.jsonl. */
export interface SharedFact {
  id: string
  type: SharedType
  text: string
  reason?: string
  status?: 'open' | 'resolved'
  resolution?: string
  at: string
  files?: string[]
  concept?: string
  /** The words it was taken from. */
  said?: string
  isStale?: true
}

/** Each file by its name. `clean` sees every text of it: secrets, and paths that name the person's machine. */
export function formatShared(memory: Shareable, clean: (text: string) => string): Record<string, string> {
  return {
    [SHARED_FACTS]: linesOf(sharedFacts(memory), clean),
    [SHARED_MEMORY]: sharedNotes(memory)
      // No clock of the person's own: another time zone must not change a byte.
      .map((note) => formatNote({ ...note, text: clean(note.text) }, 'UTC'))
      .join(''),
    [SHARED_CONCEPTS]: linesOf(sharedConcepts(memory), clean),
  }
}

function linesOf(rows: readonly object[], clean: (text: string) => string): string {
  const cleanValue = (_: string, value: unknown): unknown => (typeof value === 'string' ? clean(value) : value)
  return rows.map((row) => `${JSON.stringify(row, cleanValue)}\n`).join('')
}

/** What was given up is nobody's news. */
function sharedFacts({ facts, concepts }: Shareable): SharedFact[] {
  const names = new Map(concepts.map(({ id, name }) => [id, name]))
  const live = allFacts(facts).filter(({ state, text }) => (state === 'fresh' || state === 'stale') && text !== '')
  return [
    ...live.map((fact) => sharedFact(fact, names)),
    ...PERMANENT_KINDS.flatMap((kind) => lasting(facts, kind)),
  ].sort(byId)
}

function sharedFact(fact: Fact, names: ReadonlyMap<string, string>): SharedFact {
  const { id, type, text, reason, status, resolution, at, files, concept, evidence, state } = fact
  const name = concept === null ? undefined : names.get(concept)
  return {
    id,
    type,
    text,
    ...(reason === null ? {} : { reason }),
    ...(status === null ? {} : { status }),
    ...(resolution === null ? {} : { resolution }),
    at,
    ...(files.length === 0 ? {} : { files }),
    ...(name === undefined ? {} : { concept: name }),
    ...(evidence.quote === '' || evidence.quote === text ? {} : { said: evidence.quote }),
    ...(state === 'stale' ? { isStale: true } : {}),
  }
}

function lasting({ permanent }: Facts, kind: PermanentKind): SharedFact[] {
  return permanent[kind]
    .filter(({ status }) => status === 'active')
    .map(({ id, text, at }) => ({ id, type: kind === 'rules' ? 'rule' : 'pattern', text, at }))
}

/** Oldest first, the summaries of archives among them. They are about no session: nobody else has it. */
function sharedNotes({ notes, summaries }: Shareable): Note[] {
  const nothing = { session: null, from: 0, to: 0 }
  const told = summaries.map(
    ({ file, summary }): Note => ({
      ...nothing,
      id: `s-${file.replace(/\.md$/, '')}`,
      at: summary.generatedAt,
      author: 'extractive',
      text: summary.overallSummary,
    }),
  )
  return [...notes.map((note) => ({ ...note, ...nothing })), ...told]
    .filter(({ text, at }) => text.trim() !== '' && at !== '')
    .sort((a, b) => compareText(a.at, b.at) || compareText(a.id, b.id))
}

function sharedConcepts({ concepts }: Shareable): object[] {
  return concepts.map(({ id, name, summary, files, keywords }) => ({ id, name, summary, files, keywords })).sort(byId)
}

/** d001 before d002 before d010; a line stays where it is when others come. */
function byId(a: { id: string }, b: { id: string }): number {
  const number = ({ id }: { id: string }): number => Number(/\d{1,9}$/.exec(id)?.[0] ?? 0)
  return compareText(a.id[0] ?? '', b.id[0] ?? '') || number(a) - number(b) || compareText(a.id, b.id)
}
