/**
 * What was expensive to find out and holds beyond its session, by structure: names that do not exist, programs that are missing,
 * flags that fail, and commands that the user refuses again and again. A line goes as soon as the old way works.
 */

import { shorten } from '../text/shorten.ts'
import { type Entry, isOurs, type Numbered } from '../transcript/session.ts'
import { callOf, commandsOf, tasksOf } from '../transcript/shell.ts'
import { onOneLine } from './structure-text.ts'

export interface Learned {
  /** Two lines about the same thing have the same key. */
  key: string
  text: string
  /** The user's own words about it; empty: none. */
  said: string
  /** Where it was met last: the time, the session's id8 and the entry. */
  at: string
  session: string
  n: number
  /** In how many sessions it was met. */
  sessions: number
  /** The task that the user refuses. */
  refused?: string
}

type ToolUse = Extract<Entry, { role: 'tool' }>

interface Use {
  session: string
  n: number
  entry: ToolUse
  /** What the user typed when refusing it. */
  said: string
}

const OUTPUT_CHARS = 140
const SAID_CHARS = 120
/** A task is refused for good when it was refused in this many sessions and never ran since. */
const REFUSED_IN = 2
/** A name that was only guessed once is noise. */
const MISSED_IN = 2
const SHORT_OUTPUT = 400

/** `sessions`: oldest first. Met in most sessions first, then the newest. */
export function learnedIn(sessions: readonly { id8: string; entries: readonly Numbered[] }[]): Learned[] {
  const uses = sessions.flatMap(({ id8, entries }) => usesIn(id8, entries))
  const found = [...missingNames(uses), ...missingPrograms(uses), ...failingFlags(uses), ...refusedTasks(uses)]
  return found.toSorted((a, b) => b.sessions - a.sessions || (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
}

function usesIn(session: string, entries: readonly Numbered[]): Use[] {
  return entries.flatMap(({ n, entry }, at): Use[] => {
    if (entry.role !== 'tool' || isOurs(entry)) return []
    const next = entries[at + 1]?.entry
    const said = next?.role === 'user' && next.via === entry.name ? onOneLine(next.text) : ''
    return [{ session, n, entry, said }]
  })
}

/** What was met in several uses, as one line; empty: the newest use of the same thing worked. */
function lines(
  met: readonly Use[],
  keyOf: (use: Use) => string | null,
  textOf: (use: Use, some: readonly Use[]) => string,
): Learned[] {
  const byKey = new Map<string, Use[]>()
  for (const use of met) {
    const key = keyOf(use)
    if (key !== null) byKey.set(key, [...(byKey.get(key) ?? []), use])
  }
  return [...byKey].flatMap(([key, some]): Learned[] => {
    const last = some.at(-1)
    const text = last === undefined ? '' : textOf(last, some)
    if (last === undefined || text === '') return []
    const said = some.findLast((use) => use.said !== '')?.said ?? ''
    const { session, n, entry } = last
    return [{ key, text, said: shorten(said, SAID_CHARS), at: entry.ts, session, n, sessions: sessionsOf(some) }]
  })
}

/** Files and skills under a wrong name. */
function missingNames(uses: readonly Use[]): Learned[] {
  const isRight = (name: string, cmd: string, after: Use): boolean =>
    uses
      .slice(uses.indexOf(after) + 1)
      .some(({ entry }) => entry.name === name && entry.ok === true && entry.cmd === cmd)
  const isReadWhole = (cmd: string): boolean =>
    uses.some(
      ({ entry: { name, cmd: file, ok, offset, limit } }) =>
        name === 'Read' && ok === true && file === cmd && offset === undefined && limit === undefined,
    )
  const failed = uses.filter(
    ({ entry }) => entry.ok === false && entry.refused !== true && (entry.name === 'Read' || entry.name === 'Skill'),
  )
  return lines(
    failed,
    ({ entry }) => `${entry.name} ${entry.cmd}`,
    (use, some) => {
      const { entry } = use
      const output = entry.output ?? ''
      // It was read in parts since then: it is still too long to be read whole.
      if (/exceeds maximum/.test(output))
        return isReadWhole(entry.cmd) ? '' : `\`${entry.cmd}\` is too long to be read whole`
      if (isRight(entry.name, entry.cmd, use)) return ''
      const isTwice = sessionsOf(some) >= MISSED_IN
      if (entry.name === 'Skill') return /Unknown skill/.test(output) ? `there is no skill \`${entry.cmd}\`` : ''
      const meant = /Did you mean (\S+?)\??$/m.exec(output)?.[1]
      if (meant !== undefined) return `\`${entry.cmd}\` does not exist: it is \`${meant}\``
      return isTwice && /does not exist/.test(output) ? `\`${entry.cmd}\` does not exist` : ''
    },
  )
}

/** Bash and sh name the program before, zsh behind: `(eval):1: command not found: name`. */
const NOT_FOUND =
  /(?:^|[\s:])([\w.@/+-]{1,60}): (?:command )?not found(?!:)|(?:command not found|not found): ([\w.@/+-]{1,60})/

function missingPrograms(uses: readonly Use[]): Learned[] {
  const failed = uses.filter(
    ({ entry }) => entry.name === 'Bash' && entry.ok === false && /^Exit code 127\b/.test(entry.output ?? ''),
  )
  return lines(
    failed,
    ({ entry }) => {
      const match = NOT_FOUND.exec(entry.output ?? '')
      return match === null ? null : `missing ${match[1] ?? match[2] ?? ''}`
    },
    (use) => {
      const match = NOT_FOUND.exec(use.entry.output ?? '')
      const program = match?.[1] ?? match?.[2] ?? ''
      const runs = uses
        .slice(uses.indexOf(use) + 1)
        .some(({ entry }) => entry.name === 'Bash' && entry.ok === true && programsIn(entry.cmd).includes(program))
      return runs || program === '' ? '' : `\`${program}\` is not installed`
    },
  )
}

function programsIn(cmd: string): string[] {
  return commandsOf(cmd).map((one) => callOf(one).split(' ', 1)[0] ?? '')
}

/** A single command whose short output names one of its flags, where the flag never worked and the program runs without it. */
function failingFlags(uses: readonly Use[]): Learned[] {
  const bash = uses.filter(({ entry }) => entry.name === 'Bash' && entry.refused !== true)
  const flagOf = ({ entry }: Use): { flag: string; line: string; program: string } | null => {
    const [command, ...others] = commandsOf(entry.cmd).filter((one) => !/^cd\b/.test(one))
    const output = (entry.output ?? '').replace(/^Exit code \d+\n?/, '')
    if (command === undefined || others.length > 0 || output.length > SHORT_OUTPUT) return null
    const call = callOf(command)
    for (const flag of call.match(/(?<=\s)--?[a-z][\w-]*/gi) ?? []) {
      const line = output
        .split('\n')
        .find((one) => new RegExp(`(?<![\\w-])${flag.replace(/[-]/g, '\\-')}(?![\\w-])`).test(one))
      if (line !== undefined && flag.length > 2)
        return { flag, line: onOneLine(line), program: call.split(' ', 1)[0] ?? '' }
    }
    return null
  }
  const failed = bash.filter(({ entry }) => entry.ok === false)
  return lines(
    failed,
    (use) => {
      const found = flagOf(use)
      return found === null ? null : `flag ${found.program} ${found.flag}`
    },
    (use) => {
      const found = flagOf(use)
      if (found === null) return ''
      const { flag, line, program } = found
      const isSame = ({ entry }: Use): boolean => programsIn(entry.cmd).includes(program)
      const worked = bash.some(
        (one) => one.entry.ok === true && isSame(one) && one.entry.cmd.split(/\s+/).includes(flag),
      )
      const other = bash.slice(bash.indexOf(use) + 1).find((one) => one.entry.ok === true && isSame(one))
      return worked || other === undefined ? '' : `\`${program} … ${flag}\` fails: ${shorten(line, OUTPUT_CHARS)}`
    },
  )
}

/** Every link of a refused chain counts; the user's words are those about the task alone, if there are any. */
function refusedTasks(uses: readonly Use[]): Learned[] {
  const bash = uses.filter(({ entry }) => entry.name === 'Bash')
  const refused = bash.filter(({ entry }) => entry.refused === true)
  const tasks = [...new Set(refused.flatMap(({ entry }) => tasksOf(entry.cmd)))].filter(
    (task) => !task.startsWith('git '),
  )
  return tasks.flatMap((task) => {
    const isOf = ({ entry }: Use): boolean => tasksOf(entry.cmd).includes(task)
    const lastRun = bash.findLastIndex((use) => isOf(use) && use.entry.ok !== null && use.entry.refused !== true)
    const some = bash.slice(lastRun + 1).filter((use) => use.entry.refused === true && isOf(use))
    const alone = some.filter(({ entry }) => tasksOf(entry.cmd).length === 1)
    const [last, lastAlone] = [some.at(-1), alone.findLast(({ said }) => said !== '')]
    const ranSince = (at: Use | undefined): Use[] =>
      at === undefined
        ? []
        : bash.slice(bash.indexOf(at) + 1).filter(({ entry }) => entry.ok !== null && entry.refused !== true)
    if (last === undefined || sessionsOf(some) < REFUSED_IN) return []
    const runner = task.slice(0, task.lastIndexOf(' ') + 1)
    const instead = ranSince(some[0])
      .filter(({ entry }) => entry.ok === true)
      .flatMap(({ entry }) => tasksOf(entry.cmd))
      .findLast((one) => one.startsWith(runner) && !tasks.includes(one))
    // Without a word the user may as well have stopped it: the host writes the same.
    const was = some.every(({ said }) => said === '') ? 'refused or stopped' : 'refused'
    const text = `\`${task}\` was ${was} in ${sessionsOf(some)} sessions${instead === undefined ? '' : `; \`${instead}\` ran`}`
    const { session, n, entry } = last
    return [
      {
        key: `refused ${task}`,
        text,
        said: shorten(lastAlone?.said ?? '', SAID_CHARS),
        at: entry.ts,
        session,
        n,
        refused: task,
        sessions: sessionsOf(some),
      },
    ]
  })
}

function sessionsOf(uses: readonly Use[]): number {
  return new Set(uses.map(({ session }) => session)).size
}
