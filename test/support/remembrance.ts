/** A memory as recall sees it, of documents that a test writes. */
import type { Remembrance } from '../../src/core/recall/remembrance.ts'
import type { Unit } from '../../src/kernel/memory/document.ts'
import type { Entry } from '../../src/kernel/transcript/session.ts'
import { corpusOf, type Document, said, used } from './corpus.ts'

/** A document with what the session file says of it. */
export type Known = Document & { entry?: object; unit?: Partial<Unit>; behind?: object[] }

export const with_ = (document: Document, entry: object, unit: Partial<Unit> = {}): Known => ({
  ...document,
  entry,
  unit,
})
/** A command with its output, as the index has it. */
export const ran = (cmd: string, output: string, ok: boolean, more: Partial<Document> = {}): Known =>
  with_(used(`Bash ${cmd}\n${output}`, more), { name: 'Bash', cmd, output, ok })
export const refused = (cmd: string, more: Partial<Document> = {}): Known =>
  with_(used(`Bash ${cmd}\n(refused)`, more), { name: 'Bash', cmd, ok: false, refused: true })
export const comment = (text: string, more: Partial<Document> = {}): Known => with_(said(text, more), { via: 'Bash' })

const ROLES: Readonly<Record<string, string>> = {
  prompt: 'user',
  answer: 'assistant',
  tool: 'tool',
  subagent: 'subagent',
}

export function memoryOf(documents: readonly Known[], more: Partial<Remembrance> = {}): Remembrance {
  const { columns, engine } = corpusOf(documents)
  return {
    columns,
    engine,
    unitOf: (doc) => {
      const one = documents[doc]
      if (one === undefined) return null
      const id = one.kind in ROLES ? `L1:0000000${one.session % 10}#${doc}` : `d${doc}`
      return { id, kind: one.kind, n: doc, at: one.at, text: one.text, state: '', about: '', ...one.unit }
    },
    entryOf: (doc) => {
      const one = documents[doc]
      const role = one === undefined ? undefined : ROLES[one.kind]
      const words = one?.kind === 'tool' ? { name: 'Read', cmd: one.text, ok: true } : { text: one?.text }
      return role === undefined ? null : ({ role, ts: one?.at, ...words, ...one?.entry } as unknown as Entry)
    },
    behind: (doc) => (documents[doc]?.behind ?? []) as Entry[],
    sessionOf: (doc) => String(columns.group[doc]),
    said: () => [],
    branches: () => new Set(),
    branch: () => null,
    standing: () => null,
    ...more,
  }
}
