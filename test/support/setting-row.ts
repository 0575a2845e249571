/** What a setting changes that somebody can see. */
import type { Value } from '../../src/kernel/platform/config.ts'
import { runCommand } from './process.ts'
import { append, linesFor, quietProject, sessionId, type TestProject } from './project.ts'
import { stop } from './world.ts'

export interface SettingRow {
  /** What a user or Claude sees with this value. */
  seen: (value: Value) => Seen | Promise<Seen>
  /** Values, each with what is seen with it and with none of the others. */
  shows: readonly (readonly [Value, RegExp])[]
}

export interface Seen {
  text: string
  /** Where it happened: its log tells what failed in silence. */
  project: TestProject
}

export type SettingRows<Name extends string> = Readonly<Record<Name, SettingRow>>

/** Turns of a prompt and an answer in one session, which is captured. */
export function spoken(
  settings: object,
  ...turns: readonly (readonly [prompt: string, answer: string])[]
): TestProject {
  const project = quietProject(settings)
  const lines = linesFor(sessionId(1), project.root)
  const said = turns.map(([prompt, answer], i) => lines.prompt(10 * i, prompt) + lines.answer(10 * i + 1, answer))
  append(project.transcriptOf(sessionId(1)), said.join(''))
  stop(project)
  return project
}

/** What a command prints. */
export function printed(project: TestProject, ...args: string[]): Seen {
  return { project, text: runCommand(project, args).out }
}
