/** Who said what in some entries, in sentences, and which words of Claude were the last before the next prompt. */

import type { Numbered } from '../sessions/digest-types.ts'
import { type Sentence, sentencesOf } from '../text/sentences.ts'

export interface Speech {
  n: number
  at: string
  by: 'user' | 'assistant'
  text: string
  sentences: Sentence[]
  /** Its values are what is said: positions in them are none in the entry. */
  isJson: boolean
  /** Claude's last words before the next prompt: how things stand, not what is tried next. */
  isFinal: boolean
}

/** A longer prompt holds pasted text: what a person pasted is not what a person says. */
const MAX_TYPED = 2000

export function speechesIn(entries: readonly Numbered[]): Speech[] {
  const speeches: Speech[] = []
  for (const { n, entry } of entries) {
    if (entry.role !== 'user' && entry.role !== 'assistant') continue
    // Nobody can be named as the author of a prompt that only the queue or a stranger's bundle has.
    if (entry.role === 'user' && (entry.via === 'AskUserQuestion' || entry.by === 'machine')) continue
    const { role: by, ts: at, text } = entry
    const last = speeches.at(-1)
    // The host may tell an answer twice.
    if (last?.by === by && last.text === text) continue
    if (last?.by === 'assistant' && by === 'user') last.isFinal = true
    const values = valuesOf(text)
    const sentences = by === 'user' && text.length > MAX_TYPED ? [] : sentencesOf(values ?? text)
    speeches.push({ n, at, by, text, sentences, isJson: values !== null, isFinal: false })
  }
  const last = speeches.at(-1)
  if (last?.by === 'assistant') last.isFinal = true
  return speeches
}

/** What an answer that is JSON says; null for any other. */
function valuesOf(text: string): string | null {
  if (!/^\s*\{[\s\S]*\}\s*$/.test(text)) return null
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  return Object.values(value as object)
    .filter((one) => typeof one === 'string')
    .join('\n')
}
