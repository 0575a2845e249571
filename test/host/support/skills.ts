/** Skills as a person types them, and their answers as they stand on the screen. */
import { expect } from 'vitest'
import type { Terminal } from './terminal.ts'
import type { World } from './world.ts'

/** What the host says where it would ask. */
export const ASKED = /Do you want|requested permissions|haven't granted|requires approval\s*$|permission check/im

/** Types it and gives the answer as it stands on the screen. */
export async function ask(world: World, terminal: Terminal, skill: string, words = ''): Promise<string> {
  return askBy(terminal.say, world, terminal, skill, words)
}

/** The same with the whole line from the clipboard. */
export async function askPasted(world: World, terminal: Terminal, skill: string, words: string): Promise<string> {
  return askBy(terminal.paste, world, terminal, skill, words)
}

/** Without the two columns that the host puts before an answer. */
async function askBy(
  enter: (line: string) => Promise<void>,
  world: World,
  terminal: Terminal,
  skill: string,
  words: string,
): Promise<string> {
  const before = world.requests.length
  await enter(`/memory-keeper:${skill}${words === '' ? '' : ` ${words}`}`)
  expect(world.requests).toHaveLength(before)
  expect(terminal.screen()).not.toMatch(ASKED)
  const [, answer = ''] = terminal.screen().split('operation blocked by hook:').slice(-2)
  // Below it is the box in which the next prompt is typed, with a hint of the host above it; what was typed is not repeated.
  expect(answer).not.toContain('Original prompt:')
  return answer
    .slice(0, answer.search(/^─{20}|^ {40,}\S/m))
    .split('\n')
    .map((line) => line.replace(/^ {2}/, '').trimEnd())
    .join('\n')
    .trim()
}
