/** Commands as a person types them: one line, by the quoting rules of a shell. */
import { parseCommandLine } from '../../src/kernel/platform/command-line.ts'
import { type Env, type Json, type Ran, runCommand } from './process.ts'
import type { TestProject } from './project.ts'

export function typed(project: TestProject, line: string, env: Env = {}, stdin = ''): Ran {
  return runCommand(project, parseCommandLine(line) ?? [], env, stdin)
}

/** What the line prints. */
export function printed(project: TestProject, line: string, env: Env = {}): string {
  return typed(project, line, env).out
}

export function jsonOf(project: TestProject, line: string, env: Env = {}, stdin = ''): Json {
  const { out, err } = typed(project, `${line} --json`, env, stdin)
  if (out === '') throw new Error(`no JSON from ${line}: ${err}`)
  return JSON.parse(out)
}

/** The code of the error; `none`: it was done. */
export function errorOf(project: TestProject, line: string, env: Env = {}, stdin = ''): string {
  return jsonOf(project, line, env, stdin).error?.code ?? 'none'
}
