/** What somebody did in some weeks of work on a small shop for fruit: the sessions of the sample project, from `sessions.txt`. */
import fs from 'node:fs'
import path from 'node:path'

export interface TurnTold {
  prompt: string
  answer: string
  /** Files that are read or edited. */
  reads: string[]
  edits: string[]
  /** Command, output; a leading `!` in the output: it failed. */
  runs: [command: string, output: string][]
  /** What a subagent was asked and said. */
  agent?: { asked: string; said: string }
}

export interface Told extends TurnTold {
  /** Days before the newest session. */
  daysAgo: number
  hour: number
  /** The turns after the first. */
  more: TurnTold[]
}

const passed = (n: number): string => `Test Files  ${Math.ceil(n / 6)} passed\n     Tests  ${n} passed`

/** A line each: `>` a prompt, `<` its answer, `?` and `!` a question to a subagent and what it says, `$` a command and its output. */
function turnOf(text: string): TurnTold {
  const told = (sign: string): string[] =>
    text.split('\n').flatMap((line) => (line.startsWith(`${sign} `) ? [line.slice(sign.length + 1)] : []))
  const files = (sign: string): string[] => told(sign).flatMap((names) => names.split(' '))
  const [asked, said] = [told('?')[0], told('!')[0]]
  return {
    prompt: told('>')[0] ?? '',
    answer: told('<')[0] ?? '',
    reads: files('reads'),
    edits: files('edits'),
    runs: told('$').map((line) => {
      const [command = '', output = ''] = line.split(/ → (.*)/s)
      const all = /^(\d+) passed$/.exec(output)?.[1]
      return [command, all === undefined ? output.replaceAll(' ⏎ ', '\n') : passed(Number(all))]
    }),
    ...(asked === undefined || said === undefined ? {} : { agent: { asked, said } }),
  }
}

/** Oldest first. */
export const SESSIONS: readonly Told[] = fs
  .readFileSync(path.join(import.meta.dirname, 'sessions.txt'), 'utf8')
  .trim()
  .split('\n\n')
  .map((text) => {
    const [daysAgo = 0, hour = 0] = (text.match(/\d+/g) ?? []).map(Number)
    const [first = turnOf(''), ...more] = text
      .split(/\n(?=> )/)
      .slice(1)
      .map(turnOf)
    return { ...first, daysAgo, hour, more }
  })
