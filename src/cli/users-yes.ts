/** Whether the user said yes: at a terminal of their own they did; inside Claude Code only if they typed what it is about. */
import { KeeperError } from '../core/error.ts'
import { allSessions } from '../core/state.ts'
import { catchUp } from '../store/catch-up.ts'
import { readSession } from '../store/lineage.ts'
import { COMMAND_WAIT_MS } from '../store/store.ts'
import type { Context } from './context.ts'

/** Further back it was about something else. */
const LATEST = 30
/** Longer texts were pasted. */
const MAX_TYPED = 500

/** A page that Claude read may make it run this command: the page cannot type for the user. */
export function needUsersYes(context: Context, id: string): void {
  if (!context.world.env.CLAUDECODE || hasTyped(context, id.trim())) return
  throw new KeeperError(
    'not-asked',
    `Only the user can say yes or no to ${id}. Ask them to type: accept ${id} (or decline ${id})`,
  )
}

function hasTyped({ store, world }: Context, id: string): boolean {
  // The prompt that led here is not captured before its turn ends.
  catchUp(store, { waitMs: COMMAND_WAIT_MS, now: world.now, look: 'unfinished' })
  const word = new RegExp(`(?<![\\p{L}\\p{N}_])${id.replace(/\W/g, '')}(?![\\p{L}\\p{N}_])`, 'iu')
  const live = allSessions(store.readState()).filter(
    ([, { isLive, isEnded, file }]) => isLive && !isEnded && file !== '',
  )
  return live.some(([, { file }]) =>
    readSession(store, file)
      .slice(-LATEST)
      .some(
        (entry) =>
          entry.role === 'user' && entry.via === undefined && entry.text.length <= MAX_TYPED && word.test(entry.text),
      ),
  )
}
