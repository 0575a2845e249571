/** The scripts of a model that does what Memory Keeper asks of it: the main thread calls the skill, the agent reads and saves. */
import type { Draft } from '../../../src/core/knowledge/fact-draft.ts'
import { countIn, deltaIdIn } from './notes.ts'
import type { ModelRequest } from './request.ts'
import { says, type Turn, uses } from './turn.ts'

const TOOL = 'mcp__plugin_memory-keeper_memory__'

/** Enough words for a model's note: about less, code writes it. */
export const PROSE =
  'The quay was measured from the north to the south, and every depth was written into the table beside the old ones. ' +
  'Two of them differ from the charts by more than a metre, so they are to be measured again when the tide is low. ' +
  'Until then the table keeps both values, with the day on which each of them was taken.'

/** So many tool uses, then an answer. */
export function works(count: number, answer: string): Turn[] {
  const tools = Array.from({ length: count }, (_, i) =>
    uses('Bash', { command: `echo step-${i + 1} along the quay, from the north to the south, with a rope and a lead` }),
  )
  return [...tools, says(answer)]
}

/** Calls the skill that the newest instruction names, with its arguments. */
export function obeys(request: ModelRequest): Turn {
  const asked = [...request.text.matchAll(/skill "([\w:-]+)" and args "([^"]+)"/g)].at(-1)
  if (asked === undefined) return says('Nobody asked me.')
  return uses('Skill', { skill: asked[1] ?? '', args: asked[2] ?? '' })
}

/** The agent reads the file it is given. */
export function readsIt(request: ModelRequest): Turn {
  const path = /(\/[^\s"]+(?:delta_temp\.txt|memory_\d{8}_\d{6}\w*\.md))/.exec(request.text)?.[1] ?? '/nowhere'
  return uses('Read', { file_path: path })
}

export function savesNote(note: string, facts: readonly Draft[] = []): (request: ModelRequest) => Turn {
  return (request) => uses(`${TOOL}save_memory`, { delta: deltaIdIn(request.text), note, facts })
}

export function savesSummary(summary: object): (request: ModelRequest) => Turn {
  return ({ text }) => {
    const archive = /(memory_\d{8}_\d{6}\w*\.md)/.exec(text)?.[1] ?? 'no-archive'
    return uses(`${TOOL}save_summary`, { archive, ...summary })
  }
}

/** How often Claude is asked in a request, its whole history included. */
export function asksIn({ text }: ModelRequest, pattern: RegExp): number {
  return countIn(text, pattern)
}
