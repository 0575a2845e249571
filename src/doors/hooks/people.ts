/** A skill that a person typed: answered with the exact output of our command, without a model call. */

import type { Store } from '../../kernel/memory/disk/store.ts'
import { sessionIn } from '../../kernel/memory/state.ts'
import { pause, resume } from '../../kernel/sessions/disk/pause.ts'
import { isScheduled } from '../../kernel/sessions/disk/scheduled.ts'
import { pausedText, resumedText } from '../../kernel/sessions/pause.ts'
import { shadowsIn } from '../../kernel/trust/disk/shadows.ts'
import { type HookEvent, NOTHING, type Reply } from './host.ts'
import type { World } from './world.ts'

/** More than a screen, and the host shows all of it. */
const MAX_LINES = 150
const MAX_CHARS = 9_000

type Expansion = Extract<HookEvent, { name: 'UserPromptExpansion' }>

/**
 * Blocked, not stopped: the text of a hook that stops a prompt goes into the conversation, on older hosts as if the user
 * had typed it, and remembered text must not look like the user's. The text of a block is shown and dropped.
 */
export function answerSkill(event: Expansion, open: () => Store, world: World): Reply {
  const { skill, words, isOurs } = event
  const store = open()
  const { root } = store.places.project
  const isReading = READING.includes(skill)
  if (!isOurs && !isReading) return { say: 'block', text: shadowed(store, skill) }
  // The same order may also be typed, but nothing would show it.
  const { transcript } = event
  const dirs = [root, world.projectDir || event.cwd]
  if (!isReading && isScheduled({ transcript, dirs }, `${PREFIX}${skill} ${words}`, PREFIX))
    return { say: 'block', text: SCHEDULED }
  if (skill === 'pause' || skill === 'resume') return { say: 'block', text: switchCapture(skill, event, store, world) }
  const said = world.runSkill(root, skill, words, isTypedByUser(event, store, world))
  // An order is never passed on to Claude. Any other skill runs the same command again, and Claude repeats its output.
  if (said === null) return ORDERS.includes(skill) ? { say: 'block', text: TOO_LONG } : NOTHING
  if (skill === 'memory-delta') world.startFinisher(root, { for: 'note' })
  return { say: 'block', text: shortened(said.trimEnd()) }
}

/** Doing them a second time does something else. */
const ORDERS: readonly string[] = ['run', 'undo', 'dashboard']
/** They change nothing: their answer may be shown, whoever typed them. */
const READING: readonly string[] = ['search-memory', 'memory-status', 'memory-context', 'memory-facts', 'show']
/** As people type a skill. */
const PREFIX = '/memory-keeper:'
/** Reaches Claude only if the host did not recognise the line as a skill. */
const PASTED =
  'Memory Keeper did not run the line above: it was pasted as a block, which the host does not take for a command. Tell the user to paste it a second time (that expands it) or to type it.'

/**
 * The host sends us a line that begins with a skill before it expands it, and it never expands a pasted block.
 * Therefore skills that only read are answered here. The others are orders and wait for the expansion, which only the user can cause.
 */
export function answerBeforeExpansion(typed: { skill: string; words: string }, store: Store, world: World): Reply {
  if (!world.isAttended) return NOTHING
  const { root } = store.places.project
  const said = READING.includes(typed.skill) ? world.runSkill(root, typed.skill, typed.words.trim(), false) : null
  if (said !== null) return { say: 'block', text: shortened(said.trimEnd()) }
  return READING.includes(typed.skill) ? NOTHING : { say: 'context', text: PASTED, notice: null }
}

/** Only a hook knows its session. */
function switchCapture(skill: 'pause' | 'resume', event: Expansion, store: Store, world: World): string {
  if (!isTypedByUser(event, store, world))
    return `Only you can do that, in a session that you sit in front of: type /memory-keeper:${skill}`
  const isProject = event.words.trim() === 'project'
  if (skill === 'pause') {
    const isNew = pause(store.places, isProject ? null : event.session, world.now())
    // It takes back what stands outside the memory, and leaves the rest to wait.
    if (isProject) world.startFinisher(store.places.project.root, { for: 'catch-up' })
    return pausedText(isProject ? 'this project' : 'this session', isNew, '/memory-keeper:resume')
  }
  return resumedText(resume(store.places, event.session, world.now()), '/memory-keeper:run import --paused')
}

const TOO_LONG =
  'The command took too long or printed too much for this, and was stopped. Run it in a terminal of your own (memory-keeper init shows how).'

/**
 * The only proof that a skill is the user's own order: a person attends the session, the host itself started this hook, this host
 * runs this session, and it expands the plugin's own skill. The payload is the same for a line that a schedule sends;
 * `disable-model-invocation: true` in the skills for people prevents the host from expanding those, and calls by Claude. A command
 * file of a repository that has a skill's name takes that away, and the host says so by `command_source`. Where a host expands a scheduled line
 * all the same, the session's transcript says that it was scheduled (`isScheduled`). Anything without this proof counts as Claude's order.
 */
function isTypedByUser({ session, isOurs }: Expansion, store: Store, world: World): boolean {
  return isOurs && world.isAttended && world.isStartedByHost() && isItsHost(store, session, world)
}

/** Another command has the skill's name: a repository can bring one, and the host lets Claude and schedules call it. */
function shadowed({ places }: Store, skill: string): string {
  const files = shadowsIn(places).flatMap((one) => (one.skill === skill ? [one.file] : []))
  const [where = `such as .claude/commands/memory-keeper/${skill}.md in this project or in your home`] = files
  return `Memory Keeper did not run this: another command has the name of its skill ${skill}, ${where}. Delete or rename that file, then type the line again.`
}

const SCHEDULED =
  'Memory Keeper did not run this: the same line was given to a schedule in this session or project, so nothing shows that you typed it. Run the command in a terminal of your own (memory-keeper init shows how).'

/** A host that reports a session which runs elsewhere is not its host. */
function isItsHost(store: Store, session: string, { hostPid, isAlive }: World): boolean {
  const pid = sessionIn(store.readState(), session)?.pid ?? 0
  return pid === 0 || pid === hostPid || !isAlive(pid)
}

function shortened(text: string): string {
  const lines = text.split('\n')
  let chars = 0
  const fitting = lines.findIndex((line, i) => {
    chars += line.length + 1
    return i >= MAX_LINES || chars > MAX_CHARS
  })
  if (fitting < 0) return text
  const left = lines.length - fitting
  const shown = fitting === 0 ? `${text.slice(0, MAX_CHARS)}…` : lines.slice(0, fitting).join('\n')
  return `${shown}\n… ${left} more ${left === 1 ? 'line' : 'lines'}: ask for less, or run the command in a terminal.`
}
