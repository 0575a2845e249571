/** Signal 1: the prompt asks for something whose command failed and never passed, or that the user refused with a comment. */
import { hasName } from '../grounding/grounding-text.ts'
import { type Columns, KINDS } from '../search/corpus.ts'
import { stemsOf } from '../text/words.ts'
import { callOf, commandsOf } from '../transcript/shell.ts'
import type { Recall, Remembrance } from './pick.ts'
import type { Prompt } from './prompt.ts'

const ISSUE = KINDS.indexOf('issue')
/** The wording of facts by structure. */
const FAILS = /^`(.+?)` fails/
const REFUSED = /^Refused: (\w+) (.+) – /
/** A longer prompt names many things without asking for them. */
const MOST_ORDERED = 30
/** A single shorter word of a command (`run`, `add`, `pr`) occurs in many prompts. */
const TELLING_CHARS = 4
const TEST_RUN = /\b(?:test|pytest|vitest|jest)\b/

export function findDeadEnd({ text }: Prompt, memory: Remembrance): Recall | null {
  const { columns, engine, unitOf } = memory
  const ordered = new Set(stemsOf(text))
  if (ordered.size === 0 || ordered.size > MOST_ORDERED) return null
  const stems = [...ordered]
  for (let doc = columns.kind.lastIndexOf(ISSUE, columns.count - 1); doc >= 0; doc = before(columns, doc)) {
    if (columns.dead[doc] || engine.placesOf(doc, stems).length === 0) continue
    const unit = unitOf(doc)
    if (unit === null || unit.state !== 'fresh' || !isOrdered(unit.text, text, ordered)) continue
    const whole = { doc, score: 1, from: 0, to: unit.text.length }
    const verdict = 'It asks for something that failed before and never passed, or that the user refused.'
    return { signal: 'dead-end', verdict, scores: {}, picks: [whole] }
  }
  return null
}

function before({ kind }: Columns, doc: number): number {
  return doc === 0 ? -1 : kind.lastIndexOf(ISSUE, doc - 1)
}

/** The prompt contains a long word of the command, or two shorter ones; or the file that the user did not want changed. Tests may fail. */
function isOrdered(issue: string, prompt: string, ordered: ReadonlySet<number>): boolean {
  const [, tool = 'Bash', target = FAILS.exec(issue)?.[1] ?? ''] = REFUSED.exec(issue) ?? []
  if (tool !== 'Bash') return hasName(prompt, target.slice(target.lastIndexOf('/') + 1))
  const matched = commandsOf(target)
    .filter((command) => !TEST_RUN.test(command))
    .flatMap(actionsOf)
    .filter((word) => stemsOf(word).some((stem) => ordered.has(stem)))
  return matched.length > 1 || matched.some((word) => word.length >= TELLING_CHARS)
}

/** `push`, `origin` of `git push origin main`; the program's name if no plain word follows it. */
function actionsOf(command: string): string[] {
  const [program = '', ...words] = callOf(command).split(' ')
  const end = words.findIndex((word) => !/^[a-z][a-z-]+$/i.test(word))
  const actions = (end < 0 ? words : words.slice(0, end)).slice(0, 2)
  return program === 'cd' ? [] : actions.length > 0 ? actions : [program]
}
