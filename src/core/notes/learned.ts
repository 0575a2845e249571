/**
 * What was expensive to find out and holds beyond its session, by structure: names that do not exist, programs that are missing,
 * flags and tasks that fail, and what the user refuses again and again. A line goes as soon as the old way works.
 */

import { shorten } from '../../kernel/text/shorten.ts'
import type { Numbered } from '../../kernel/transcript/session.ts'
import { callOf, commandsOf } from '../../kernel/transcript/shell.ts'
import { failingTasks, refusedTargets } from './learned-tasks.ts'
import {
  type Learned,
  lineNaming,
  linesAbout,
  NEXT_ENTRIES,
  OUTPUT_CHARS,
  SHORT_OUTPUT,
  sessionsWith,
  type ToolUseAt,
  usesIn,
} from './learned-use.ts'

/** A name that was only guessed once is noise. */
const MISSED_IN = 2

/** `sessions`: oldest first. Met in most sessions first, then the newest. */
export function learnedIn(sessions: readonly { id8: string; entries: readonly Numbered[] }[]): Learned[] {
  const uses = sessions.flatMap(({ id8, entries }) => usesIn(id8, entries))
  const found = [
    ...missingNames(uses),
    ...missingPaths(uses),
    ...missingPrograms(uses),
    ...failingFlags(uses),
    ...failingTasks(uses),
  ]
  return [...found, ...refusedTargets(uses)].toSorted(
    (a, b) => b.sessions - a.sessions || (a.at < b.at ? 1 : a.at > b.at ? -1 : 0),
  )
}

/** A search in a path that does not exist; by the path, as the output names it. */
function missingPaths(uses: readonly ToolUseAt[]): Learned[] {
  const searches = uses.filter(({ entry }) => entry.name === 'Grep' && entry.refused !== true)
  const pathIn = ({ entry: { cmd, output = '' } }: ToolUseAt): string | null =>
    cmd
      .split(' ')
      .slice(1)
      .findLast((word) => word.includes('/') && output.includes(word)) ?? null
  return linesAbout(
    searches.filter(({ entry }) => entry.ok === false),
    (use) => {
      const path = pathIn(use)
      return path === null ? null : `Grep ${path}`
    },
    (use, some) => {
      const path = pathIn(use) ?? ''
      const [pattern] = use.entry.cmd.split(` ${path}`)
      const later = searches.slice(searches.indexOf(use) + 1).filter(({ entry }) => entry.ok === true)
      const works = later.some(({ entry }) => entry.cmd.split(' ').includes(path))
      if (works || sessionsWith(some) < MISSED_IN) return ''
      const next = later.find((one) => one.session === use.session && one.n <= use.n + NEXT_ENTRIES)
      const instead = next?.entry.cmd.startsWith(`${pattern} `) ? next.entry.cmd.slice(`${pattern} `.length) : ''
      return `there is no \`${path}\` to search${instead === '' ? '' : `; \`${instead}\` was searched instead`}`
    },
  )
}

/** Files and skills under a wrong name. */
function missingNames(uses: readonly ToolUseAt[]): Learned[] {
  const isRight = (name: string, cmd: string, after: ToolUseAt): boolean =>
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
  return linesAbout(
    failed,
    ({ entry }) => `${entry.name} ${entry.cmd}`,
    (use, some) => {
      const { entry } = use
      const output = entry.output ?? ''
      // It was read in parts since then: it is still too long to be read whole.
      if (/exceeds maximum/.test(output))
        return isReadWhole(entry.cmd) ? '' : `\`${entry.cmd}\` is too long to be read whole`
      if (isRight(entry.name, entry.cmd, use)) return ''
      const isTwice = sessionsWith(some) >= MISSED_IN
      if (entry.name === 'Skill') return /Unknown skill/.test(output) ? `there is no skill \`${entry.cmd}\`` : ''
      const meant = /Did you mean (\S+?)\??$/m.exec(output)?.[1]
      if (meant !== undefined) return `\`${entry.cmd}\` does not exist: it is \`${meant}\``
      if (!isTwice || !/does not exist/.test(output)) return ''
      const found = readInstead(uses, use)
      // Reads go out several at a time: only the same partner in another session proves anything.
      const isSame = some.some((one) => one.session !== use.session && readInstead(uses, one) === found)
      return `\`${entry.cmd}\` does not exist${found !== null && isSame ? `; \`${found}\` was read instead` : ''}`
    },
  )
}

/** The file of the same kind in the same directory, or of the same name elsewhere, that was read next; null: none. */
function readInstead(uses: readonly ToolUseAt[], { session, n, entry: { cmd } }: ToolUseAt): string | null {
  const [dir, name] = splitPath(cmd)
  const next = uses.find((use) => {
    if (use.session !== session || use.n <= n || use.n > n + NEXT_ENTRIES) return false
    if (use.entry.name !== 'Read' || use.entry.ok !== true || use.entry.cmd === cmd) return false
    const [otherDir, other] = splitPath(use.entry.cmd)
    return other === name || (otherDir === dir && other.split('.').at(-1) === name.split('.').at(-1))
  })
  return next?.entry.cmd ?? null
}

function splitPath(file: string): [dir: string, name: string] {
  const at = file.lastIndexOf('/')
  return [file.slice(0, at + 1), file.slice(at + 1)]
}

/** Bash and sh name the program before, zsh behind: `(eval):1: command not found: name`. */
const NOT_FOUND =
  /(?:^|[\s:])([\w.@/+-]{1,60}): (?:command )?not found(?!:)|(?:command not found|not found): ([\w.@/+-]{1,60})/

function missingPrograms(uses: readonly ToolUseAt[]): Learned[] {
  const bash = uses.filter(({ entry }) => entry.name === 'Bash' && entry.refused !== true)
  const isMissing = ({ entry }: ToolUseAt): boolean => entry.ok === false && /^Exit code 127\b/.test(entry.output ?? '')
  return linesAbout(
    bash.filter(isMissing),
    ({ entry }) => {
      const match = NOT_FOUND.exec(entry.output ?? '')
      return match === null ? null : `missing ${match[1] ?? match[2] ?? ''}`
    },
    (use) => {
      const match = NOT_FOUND.exec(use.entry.output ?? '')
      const program = match?.[1] ?? match?.[2] ?? ''
      const runs = bash.slice(bash.indexOf(use) + 1).some((one) => {
        const programs = programsIn(one.entry.cmd)
        // Alone it may fail for a reason of its own: then it is there.
        const isAlone = programs.length === 1 && one.entry.ok === false && !isMissing(one)
        return programs.includes(program) && (one.entry.ok === true || isAlone)
      })
      return runs || program === '' ? '' : `\`${program}\` is not installed`
    },
  )
}

function programsIn(cmd: string): string[] {
  return commandsOf(cmd).map((one) => callOf(one).split(' ', 1)[0] ?? '')
}

/** A single command whose short output names one of its flags, where the flag never worked and the program runs without it. */
function failingFlags(uses: readonly ToolUseAt[]): Learned[] {
  const bash = uses.filter(({ entry }) => entry.name === 'Bash' && entry.refused !== true)
  const flagOf = ({ entry }: ToolUseAt): { flag: string; line: string; program: string } | null => {
    const [command, ...others] = commandsOf(entry.cmd).filter((one) => !/^cd\b/.test(one))
    const { output = '' } = entry
    if (command === undefined || others.length > 0 || output.length > SHORT_OUTPUT) return null
    const call = callOf(command)
    for (const flag of call.match(/(?<=\s)--?[a-z][\w-]*/gi) ?? []) {
      const line = lineNaming(output, flag)
      if (line !== null && flag.length > 2) return { flag, line, program: call.split(' ', 1)[0] ?? '' }
    }
    return null
  }
  const failed = bash.filter(({ entry }) => entry.ok === false)
  return linesAbout(
    failed,
    (use) => {
      const found = flagOf(use)
      return found === null ? null : `flag ${found.program} ${found.flag}`
    },
    (use) => {
      const found = flagOf(use)
      if (found === null) return ''
      const { flag, line, program } = found
      const isSame = ({ entry }: ToolUseAt): boolean => programsIn(entry.cmd).includes(program)
      const worked = bash.some(
        (one) => one.entry.ok === true && isSame(one) && one.entry.cmd.split(/\s+/).includes(flag),
      )
      const other = bash.slice(bash.indexOf(use) + 1).find((one) => one.entry.ok === true && isSame(one))
      return worked || other === undefined ? '' : `\`${program} … ${flag}\` fails: ${shorten(line, OUTPUT_CHARS)}`
    },
  )
}
