/** Tasks that a runner does not know, and what the user refuses again and again. */

import { shorten } from '../../kernel/text/shorten.ts'
import { meantBy } from '../../kernel/text/typo.ts'
import { tasksOf } from '../../kernel/transcript/shell.ts'
import {
  type Learned,
  lineNaming,
  linesAbout,
  NEXT_ENTRIES,
  OUTPUT_CHARS,
  SAID_CHARS,
  SHORT_OUTPUT,
  sessionsWith,
  type ToolUseAt,
} from './learned-use.ts'
import type { ToolUse } from './story-git.ts'

/** A target is refused for good when it was refused in this many sessions and never used since. */
const REFUSED_IN = 2

/**
 * A runner's task whose short output names it and that never worked, where a task of a similar name worked next: a name that
 * the runner does not know. Nothing was edited in between, or the task was there and its failure was mended.
 */
export function failingTasks(uses: readonly ToolUseAt[]): Learned[] {
  const bash = uses.filter(({ entry }) => entry.name === 'Bash' && entry.refused !== true)
  const worked = new Set(bash.flatMap(({ entry }) => (entry.ok === true ? tasksOf(entry.cmd) : [])))
  const taskIn = ({ entry }: ToolUseAt): string | null => {
    const [task, ...others] = tasksOf(entry.cmd)
    return task === undefined || others.length > 0 || task.startsWith('git ') || worked.has(task) ? null : task
  }
  return linesAbout(
    bash.filter(({ entry }) => entry.ok === false && (entry.output ?? '').length <= SHORT_OUTPUT),
    (use) => {
      const task = taskIn(use)
      return task === null ? null : `task ${task}`
    },
    (use) => {
      const task = taskIn(use) ?? ''
      const [runner, name] = splitTask(task)
      const line = lineNaming(use.entry.output ?? '', name)
      const instead = taskInstead(uses, use, runner, name)
      return line === null || instead === null
        ? ''
        : `\`${task}\` fails: ${shorten(line, OUTPUT_CHARS)}; \`${instead}\` works`
    },
  )
}

const CHANGES: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit'])

function taskInstead(
  uses: readonly ToolUseAt[],
  { session, n }: ToolUseAt,
  runner: string,
  name: string,
): string | null {
  for (const { entry, ...use } of uses) {
    if (use.session !== session || use.n <= n || use.n > n + NEXT_ENTRIES) continue
    if (CHANGES.has(entry.name)) return null
    if (entry.name !== 'Bash' || entry.ok !== true) continue
    const found = tasksOf(entry.cmd).find((task) => {
      const [other, its] = splitTask(task)
      return other === runner && (meantBy(name, [its]) ?? meantBy(its, [name])) !== null
    })
    if (found !== undefined) return found
  }
  return null
}

function splitTask(task: string): [runner: string, name: string] {
  const at = task.lastIndexOf(' ')
  return [task.slice(0, at), task.slice(at + 1)]
}

const DIALOGS: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode'])
/** A longer argument is a text that does not come twice. */
const TARGET_CHARS = 120

/** What a use is about: each link of a command line on its own, and the file or the address of another tool. */
function targetsOf({ name, cmd }: ToolUse): string[] {
  if (name === 'Bash') return tasksOf(cmd).filter((task) => !task.startsWith('git '))
  return cmd === '' || cmd.length > TARGET_CHARS || DIALOGS.has(name) ? [] : [`${name} ${cmd}`]
}

/** The same target in two sessions, never used since. The user's words are those about the target alone, if there are any. */
export function refusedTargets(uses: readonly ToolUseAt[]): Learned[] {
  const refused = uses.filter(({ entry }) => entry.refused === true)
  const targets = [...new Set(refused.flatMap(({ entry }) => targetsOf(entry)))]
  return targets.flatMap((target) => {
    const isOf = ({ entry }: ToolUseAt): boolean => targetsOf(entry).includes(target)
    const lastRun = uses.findLastIndex((use) => isOf(use) && use.entry.ok !== null && use.entry.refused !== true)
    const some = uses.slice(lastRun + 1).filter((use) => use.entry.refused === true && isOf(use))
    const last = some.at(-1)
    if (last === undefined || sessionsWith(some) < REFUSED_IN) return []
    const alone = some.findLast(({ entry, said }) => said !== '' && targetsOf(entry).length === 1)
    const [runner] = splitTask(target)
    const instead = uses
      .slice(some[0] === undefined ? 0 : uses.indexOf(some[0]) + 1)
      .filter(({ entry }) => entry.name === 'Bash' && entry.ok === true)
      .flatMap(({ entry }) => targetsOf(entry))
      .findLast((one) => splitTask(one)[0] === runner && !targets.includes(one))
    // Without a word the user may as well have stopped it: the host writes the same.
    const was = some.every(({ said }) => said === '') ? 'refused or stopped' : 'refused'
    const text = `\`${target}\` was ${was} in ${sessionsWith(some)} sessions${instead === undefined ? '' : `; \`${instead}\` ran`}`
    const { session, n, entry } = last
    return [
      {
        key: `refused ${target}`,
        text,
        said: shorten(alone?.said ?? '', SAID_CHARS),
        at: entry.ts,
        session,
        n,
        ...(entry.name === 'Bash' ? { refused: target } : {}),
        sessions: sessionsWith(some),
      },
    ]
  })
}
