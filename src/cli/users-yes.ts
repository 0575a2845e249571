/** Whether the user said so: at a terminal of their own they did; inside Claude Code only if they typed it. */
import { KeeperError } from '../core/error.ts'
import { speakerOf } from '../core/evidence.ts'
import { asksToForget } from '../core/forget-asked.ts'
import type { Entry, Tombstone } from '../core/session.ts'
import { allSessions } from '../core/state.ts'
import { asksForPage, asksToUndo, isAskedIn } from '../core/typed-asked.ts'
import { typedParts } from '../core/typed-text.ts'
import { type Act, mentions, takesBack, verdictIn } from '../core/typed-verdict.ts'
import { catchUp } from '../store/catch-up.ts'
import { readSession } from '../store/lineage.ts'
import { COMMAND_WAIT_MS } from '../store/store.ts'
import type { Context } from './context.ts'
import { oneLine } from './output.ts'

/** Prompts; further back it was about something else. */
const LATEST = 5
/** Claude Code sets some of these for whatever it runs. Emptied is set: nobody empties them by chance. */
const INSIDE = [
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_CHILD_SESSION',
  'AI_AGENT',
] as const

/** Nobody can tell there what a person wants from what Claude read somewhere. */
export function isInside({ world }: Context): boolean {
  return INSIDE.some((name) => world.env[name] !== undefined)
}

/** A page that Claude read may make it run this command: the page cannot type for the user. */
export function needUsersYes(context: Context, given: string, act: Act): void {
  const id = given.trim()
  if (hasSaid(context, id, act)) return
  const typed = act === 'accept' || act === 'decline' ? `accept ${id} (or decline ${id})` : `${act} ${id}`
  throw new KeeperError('not-asked', `Only the user can ${act} ${id}. Ask them to type: ${typed}`)
}

/** The last prompt about it counts: who says yes may say no later. */
export function hasSaid(context: Context, id: string, act: Act): boolean {
  if (!isInside(context)) return true
  const last = typedPrompts(context).find((prompt) => mentions(prompt, id) || takesBack(prompt))
  return last !== undefined && verdictIn(last, id).includes(act)
}

/** Words of an agent's own under the user's yes would be an agent's rule. */
export function refuseOwnWords(context: Context, options: { text?: string; kind?: string }): void {
  if (!isInside(context)) return
  const given = (['text', 'kind'] as const).find((name) => options[name] !== undefined)
  if (given === undefined) return
  throw new KeeperError(
    'not-asked',
    `--${given} is for the user, in a terminal of their own: inside Claude Code something is promoted in the words it has.`,
  )
}

/** Prompts are kept without secrets: compare `text` without them. What holds for good inside Claude Code is what the user typed, in about these words. */
export function needTyped(context: Context, text: string, what: 'rule' | 'lesson'): void {
  if (hasTyped(context, text)) return
  throw new KeeperError(
    'not-asked',
    `Only the user can add a ${what}. Ask them to type: add a ${what}: ${oneLine(text, 200)}`,
  )
}

/** A page may also be asked for by its name. */
export function needTypedPage(context: Context, text: string, name: string): void {
  if (hasTyped(context, text) || typedPrompts(context).some((prompt) => asksForPage(prompt, name))) return
  throw new KeeperError(
    'not-asked',
    `A page is told to later sessions, and only the user can have one written. Ask them to type: write the page ${name}`,
  )
}

/** What the user did is taken back only where the last thing they typed asks for it. */
export function needTypedUndo(context: Context, what: string): void {
  if (!isInside(context) || asksToUndo(typedPrompts(context)[0] ?? '')) return
  throw new KeeperError(
    'not-asked',
    `Only the user can take back what they did (${oneLine(what, 80)}). Ask them to type: undo`,
  )
}

/** Forgetting cannot be undone: the last thing about it that the user typed asks for it, by the same id or the same words. */
export function needTypedForget(context: Context, wanted: string): void {
  if (!isInside(context)) return
  const last = typedPrompts(context).find(
    (prompt) => prompt.toLowerCase().includes(wanted.toLowerCase()) || takesBack(prompt),
  )
  if (last !== undefined && asksToForget(last, wanted)) return
  throw new KeeperError('not-asked', `Only the user can have something forgotten. Ask them to type: forget ${wanted}`)
}

export function hasTyped(context: Context, text: string): boolean {
  return !isInside(context) || typedPrompts(context).some((prompt) => isAskedIn(prompt, text))
}

/** What the user typed last in the session that goes on, newest first. */
export function typedPrompts({ store, world }: Context): string[] {
  // The prompt that led here is not captured before its turn ends.
  catchUp(store, { waitMs: COMMAND_WAIT_MS, now: world.now, look: 'unfinished' })
  const live = allSessions(store.readState())
    .filter(([, { isLive, isEnded, file }]) => isLive && !isEnded && file !== '')
    .map(([, { file }]) => readSession(store, file))
  // One that crashed counts as going on until somebody looks; what was typed there is over.
  const newest = live.toSorted((a, b) => (lastAt(a) < lastAt(b) ? 1 : -1))[0] ?? []
  return newest
    .flatMap((entry) => (isTyped(entry) ? [entry.text] : []))
    .slice(-LATEST)
    .reverse()
}

function lastAt(entries: readonly (Entry | Tombstone)[]): string {
  return entries.reduce((last, entry) => ('ts' in entry && entry.ts > last ? entry.ts : last), '')
}

/** An open entry has no line of its own yet that says who wrote it. */
function isTyped(entry: Entry | Tombstone): entry is Extract<Entry, { role: 'user' }> {
  if (entry.role !== 'user' || entry.open === true) return false
  return typedParts(entry.text).some(({ from, to }) => speakerOf(entry, entry.text.slice(from, to)) === 'user')
}
