/** Our own questions: about the shared transcripts, and prompts that no memory should answer. */
import { readFileSync } from 'node:fs'
import path from 'node:path'

export interface CodingQuestion {
  id: string
  lang: string
  kind: string
  query: string
  /** Entries any one of which answers it, by their key. */
  gold: readonly { key: string }[]
  /** All must stand in a text that answers; `|` between alternatives. */
  answer: readonly string[]
}

export interface Prompt {
  query: string
  kind: 'talk' | 'coding'
}

const DIR = path.resolve('bench/questions')

export function readCodingQuestions(): CodingQuestion[] {
  return ['coding-a.jsonl', 'coding-b.jsonl'].flatMap((file) => readLines<CodingQuestion>(file))
}

export function readUnrelated(): Prompt[] {
  return readLines<Prompt>('unrelated.jsonl')
}

export function holdsAnswer({ answer }: CodingQuestion, text: string): boolean {
  const words = text.toLowerCase()
  return answer.every((one) =>
    one
      .toLowerCase()
      .split('|')
      .some((either) => words.includes(either.trim())),
  )
}

function readLines<T>(file: string): T[] {
  const text = readFileSync(path.join(DIR, file), 'utf8')
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as T]))
}
