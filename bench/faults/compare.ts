/** Compares what was said in all transcripts with what all session files contain. */
import type { Kept } from './kept.ts'
import type { Kind, Said } from './said.ts'

export interface Difference {
  /** Distinct prompts, answers, … of all transcripts. */
  present: number
  found: number
  missing: string[]
  doubled: string[]
  /** In a session file of a session whose transcript does not contain it. */
  misplaced: string[]
  /** In no transcript: the host announced it to a hook and was killed before it wrote the line. */
  beyond: string[]
}

export const KINDS: readonly Kind[] = ['prompt', 'answer', 'tool', 'result', 'summary']

export function compareAll(said: readonly Said[], kept: readonly Kept[]): Record<Kind, Difference> {
  const of = (kind: Kind): Difference =>
    compare(
      said.filter((item) => item.kind === kind),
      kept.filter((item) => item.kind === kind),
    )
  return { prompt: of('prompt'), answer: of('answer'), tool: of('tool'), result: of('result'), summary: of('summary') }
}

/** Most texts are unique by their token. Of those that are not, the numbers are compared. */
function compare(said: readonly Said[], kept: readonly Kept[]): Difference {
  const difference: Difference = { present: said.length, found: 0, missing: [], doubled: [], misplaced: [], beyond: [] }
  const saidBy = byText(said)
  const keptBy = byText(kept)
  for (const [text, items] of saidBy) {
    const sessions = items.flatMap((item) => [...item.sessions])
    const isOfOthers = ({ id8 }: Kept): boolean => !sessions.some((session) => session.startsWith(id8))
    // Announced and never written: here another session says the same words.
    const announced = (keptBy.get(text) ?? []).filter((copy) => copy.isOpen && isOfOthers(copy))
    const copies = (keptBy.get(text) ?? []).filter((copy) => !announced.includes(copy))
    difference.beyond.push(...announced.map(() => text))
    difference.found += Math.min(items.length, copies.length)
    for (let n = copies.length; n < items.length; n++) difference.missing.push(text)
    for (let n = items.length; n < copies.length; n++) difference.doubled.push(text)
    for (const copy of copies.filter(isOfOthers)) difference.misplaced.push(`${text} in ${copy.id8}`)
  }
  for (const text of keptBy.keys()) if (!saidBy.has(text)) difference.beyond.push(text)
  return difference
}

function byText<T extends { text: string }>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(item.text, [...(groups.get(item.text) ?? []), item])
  return groups
}
