/** What the page may change, each by the function that the command line uses. */
import { changeByHand, type Hand } from '../../edit/disk/by-hand.ts'
import { undoLast } from '../../edit/disk/undo.ts'
import { tellThings, thingsIn } from '../../forget/commands/forget.ts'
import { performForget, planForget } from '../../forget/disk/forget.ts'

import type { Store } from '../../memory/disk/store.ts'
import { isWritable, statOf } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { isObject } from '../../platform/json.ts'
import { count } from '../../text/figures.ts'
import type { Acted, Action } from '../api.ts'
import type { Memory } from './memory.ts'

/** No id is longer. */
const ID_CHARS = 300
const TEXT_CHARS = 100_000
const SHOWN_THINGS = 200
/** So often it is looked whether the lock is free. */
const RETRY_MS = 25

/** `given`: as it was sent. */
export async function act(memory: Memory, given: unknown): Promise<Acted> {
  const why = whyReadOnly(memory, memory.freshStore())
  if (why !== null) throw new KeeperError('read-only', why)
  const action = parseAction(given)
  const acted = await perform(memory, action)
  // The index went with what was forgotten: it is read anew, and says so until it is complete.
  if (action.do === 'forget' && !action.dryRun) memory.search.forget()
  // What was changed is seen by the next view, also by one that asks within the same millisecond.
  memory.freshStore()
  return acted
}

/** Somebody else writes: others are answered meanwhile, and it is tried again until it was waited for long enough. */
async function onceFree<T>(memory: Memory, work: (store: Store) => T): Promise<T> {
  const deadline = Date.now() + memory.waitMs
  for (;;) {
    try {
      return work(withoutWaiting(memory.freshStore()))
    } catch (error) {
      // Nothing is written before the lock is held: it can be done again from its beginning.
      if (!(error instanceof KeeperError) || error.code !== 'busy' || Date.now() >= deadline) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

/** Waiting for the lock would stop the whole server: it is taken at once, or not at all. */
function withoutWaiting(store: Store): Store {
  return {
    ...store,
    get dir() {
      return store.dir
    },
    whileLocked: (_, work) => {
      const done = store.whileLocked(0, work)
      if (done !== null) return done
      throw new KeeperError(
        'busy',
        `${store.dir} is in use by another process, and nothing was changed. Try again in a moment; memory-keeper doctor shows who holds it.`,
      )
    },
  }
}

/** Null: things can be changed. Commands ask inside Claude Code what the user typed; the page cannot, so it only shows. */
export function whyReadOnly({ isInside }: Memory, store: Store): string | null {
  if (isInside)
    return 'Started inside Claude Code: looking only. Run memory-keeper dashboard in a terminal of your own to change things.'
  const isClosed = statOf(store.dir) !== null && !isWritable(store.dir)
  return isClosed ? 'This memory cannot be written (its files are read-only): looking only.' : store.whyReadOnly()
}

async function perform(memory: Memory, action: Action): Promise<Acted> {
  if (action.do === 'forget') {
    // It takes the lock once for each file, and must not stop halfway: it begins when the lock is free, and then goes on to its end.
    if (!action.dryRun) await onceFree(memory, (store) => store.whileLocked(0, () => undefined))
    return forget(memory.freshStore(), action, memory.now())
  }
  const hand: Hand = { by: 'user', now: memory.now() }
  const change = (store: Store): string[] =>
    action.do === 'undo' ? undoLast(store, hand).said : changeByHand(store, action, hand).said
  return { said: await onceFree(memory, change) }
}

/** It cannot be undone: without `dryRun` somebody has seen what would be deleted, and confirmed it. */
function forget(store: Store, { id, dryRun }: Extract<Action, { do: 'forget' }>, now: string): Acted {
  const plan = planForget(store, { is: 'id', id })
  if (!dryRun) {
    const { removed, left } = performForget(store, plan, now)
    // In figures: whoever wanted it forgotten does not want to read it again.
    return { said: [`Forgotten for good: ${tellThings(removed)}.`, ...left.map((one) => `Not done: ${one}`)] }
  }
  const things = thingsIn(plan.items)
  return {
    said: [
      `${tellThings(plan.items)}, would be deleted for good, with every copy:`,
      ...things
        .slice(0, SHOWN_THINGS)
        .map(({ id: name, kind, text }) => `${kind} ${name}${text === '' ? '' : `: ${text}`}`),
      ...(things.length > SHOWN_THINGS ? [`and ${count(things.length - SHOWN_THINGS, 'other')}`] : []),
      ...(plan.stays.length === 0 ? [] : [`What it was taken from stays: ${plan.stays.join(', ')}`]),
      ...plan.transcripts.map((file) => `Claude Code's own file contains it, and is not ours to change: ${file}`),
    ],
  }
}

/** What each action needs besides its id; a text may be empty where the command takes none either. */
const FIELDS: Readonly<Record<string, 'text' | 'resolution' | 'why' | null>> = {
  ...{ 'edit-note': 'text', resolve: 'resolution', reject: 'why' },
  ...{ reopen: null, restore: null, pin: null, unpin: null, accept: null, decline: null },
}

function parseAction(given: unknown): Action {
  const raw = isObject(given) ? given : {}
  const name = String(raw.do)
  if (name === 'undo') return { do: name }
  const id = textOf(raw, 'id', ID_CHARS)
  if (name === 'forget') {
    // Nothing is confirmed unless it says so in so many words.
    if (typeof raw.dryRun !== 'boolean') throw wrong('dryRun')
    return { do: name, id, dryRun: raw.dryRun }
  }
  const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined
  if (field === undefined) throw new KeeperError('usage', 'There is no such action.')
  const more = field === null ? {} : { [field]: textOf(raw, field, TEXT_CHARS) }
  return { do: name, id, ...more } as Action
}

function textOf(raw: Readonly<Record<string, unknown>>, field: string, most: number): string {
  const value = raw[field]
  if (typeof value !== 'string' || value.length > most || (field === 'id' && value.trim() === '')) throw wrong(field)
  return value
}

function wrong(field: string): KeeperError {
  return new KeeperError('usage', `${field} is missing, or not what it should be.`)
}
