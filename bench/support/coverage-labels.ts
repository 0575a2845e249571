/** Sessions of our own, each entry labelled with the facts it is worth (`bench/labels/coverage.jsonl`). */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Draft } from '../../src/knowledge/fact-draft.ts'
import type { Numbered } from '../../src/sessions/digest-types.ts'
import type { Entry } from '../../src/transcript/session.ts'

const FILE = path.resolve(import.meta.dirname, '../labels/coverage.jsonl')

export interface Labelled {
  name: string
  language: 'en' | 'ko'
  batch: number
  entries: Numbered[]
  /** Per entry: the keys of the facts it is worth. */
  worth: string[][]
  facts: (Draft & { key: string })[]
  /** Keys of every second fact. */
  half: string[]
  /** True quotes, nothing lasting. */
  unrelated: Draft[]
}

interface Line extends Omit<Labelled, 'entries' | 'worth'> {
  entries: { entry: Entry; worth: string[] }[]
}

export function labelledSessions(): Labelled[] {
  const lines = readFileSync(FILE, 'utf8').trim().split('\n')
  return lines.map((line) => {
    const { entries, ...rest } = JSON.parse(line) as Line
    const at = (n: number): string => new Date(Date.UTC(2026, 1, 3, 9, 0, n)).toISOString()
    return {
      ...rest,
      entries: entries.map(({ entry }, n) => ({
        n,
        entry: { by: entry.role === 'user' ? 'user' : 'assistant', ...entry, ts: at(n) },
      })),
      worth: entries.map(({ worth }) => worth),
    }
  })
}
