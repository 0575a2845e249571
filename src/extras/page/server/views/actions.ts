/** The changes that the page may make, each by the function that the command line uses. */
import { changeByHand, type Hand } from '../../../../core/edit/disk/by-hand.ts'
import { undoLast } from '../../../../core/edit/disk/undo.ts'
import { tellThings, thingsIn } from '../../../../core/forget/commands/forget.ts'
import { performForget, planForget } from '../../../../core/forget/disk/forget.ts'

import type { Store } from '../../../../kernel/memory/disk/store.ts'
import { isWritable, statOf } from '../../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../../kernel/platform/error.ts'
import { isObject } from '../../../../kernel/platform/json.ts'
import { count } from '../../../../kernel/text/figures.ts'
import type { Acted, Action } from '../api.ts'
import type { Memory } from './memory.ts'

/** The maximum length of an id. */
const ID_CHARS = 300
const TEXT_CHARS = 100_000
const SHOWN_THINGS = 200
/** The interval at which the lock is tried again. */
const RETRY_MS = 25

/** `given`: the request body. */
export async function act(memory: Memory, given: unknown): Promise<Acted> {
  const why = whyReadOnly(memory, memory.freshStore())
  if (why !== null) throw new KeeperError('read-only', why)
  const action = parseAction(given)
  const acted = await perform(memory, action)
  // The index was deleted with the forgotten content: it is rebuilt, and is incomplete until then.
  if (action.do === 'forget' && !action.dryRun) memory.search.forget()
  // The next view must see the change, even within the same millisecond.
  memory.freshStore()
  return acted
}

/** Another process is writing: retries until the time is over, while other requests are answered. */
async function onceFree<T>(memory: Memory, work: (store: Store) => T): Promise<T> {
  const deadline = Date.now() + memory.waitMs
  for (;;) {
    try {
      return work(withoutWaiting(memory.freshStore()))
    } catch (error) {
      // Nothing is written before the lock is taken: the work can be repeated from its beginning.
      if (!(error instanceof KeeperError) || error.code !== 'busy' || Date.now() >= deadline) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

/** Waiting for the lock would block the whole server: it is taken at once, or not at all. */
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

/** Null: changes are allowed. Inside Claude Code the page cannot tell whether the user acts, so that it only shows. */
export function whyReadOnly({ isInside }: Memory, store: Store): string | null {
  if (isInside)
    return 'Started inside Claude Code: looking only. Run memory-keeper dashboard in a terminal of your own to change things.'
  const isClosed = statOf(store.dir) !== null && !isWritable(store.dir)
  return isClosed ? 'This memory cannot be written (its files are read-only): looking only.' : store.whyReadOnly()
}

async function perform(memory: Memory, action: Action): Promise<Acted> {
  if (action.do === 'forget') {
    // The action takes the lock once per file and must not stop halfway: it begins when the lock is free, and then runs to its end.
    if (!action.dryRun) await onceFree(memory, (store) => store.whileLocked(0, () => undefined))
    return forget(memory.freshStore(), action, memory.now())
  }
  const hand: Hand = { by: 'user', now: memory.now() }
  const change = (store: Store): string[] =>
    action.do === 'undo' ? undoLast(store, hand).said : changeByHand(store, action, hand).said
  return { said: await onceFree(memory, change) }
}

/** Forget cannot be undone. Without `dryRun` it deletes: the user has seen the list and confirmed it. */
function forget(store: Store, { id, dryRun }: Extract<Action, { do: 'forget' }>, now: string): Acted {
  const plan = planForget(store, { is: 'id', id })
  if (!dryRun) {
    const { removed, left } = performForget(store, plan, now)
    // Counts only: the user does not want to read the forgotten text again.
    return { said: [`Permanently deleted: ${tellThings(removed)}.`, ...left.map((one) => `Not done: ${one}`)] }
  }
  const things = thingsIn(plan.items)
  return {
    said: [
      `${tellThings(plan.items)}, would be permanently deleted, with every copy:`,
      ...things
        .slice(0, SHOWN_THINGS)
        .map(({ id: name, kind, text }) => `${kind} ${name}${text === '' ? '' : `: ${text}`}`),
      ...(things.length > SHOWN_THINGS ? [`and ${count(things.length - SHOWN_THINGS, 'other')}`] : []),
      ...(plan.stays.length === 0 ? [] : [`Its source stays: ${plan.stays.join(', ')}`]),
      ...(plan.elsewhere.length === 0
        ? []
        : [`You typed the same words in other sessions, which keep them: ${plan.elsewhere.join(', ')}`]),
      ...plan.transcripts.map((file) => `Claude Code's own file contains it, and is not ours to change: ${file}`),
    ],
  }
}

/** What each action needs; a text may be empty where the command takes none either. With `?` it may be absent. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  'edit-note': ['id', 'text'],
  'edit-fact': ['id', 'text', 'reason'],
  'edit-rule': ['rule', 'text'],
  resolve: ['id', 'resolution'],
  reject: ['id', 'why'],
  accept: ['id', 'text?'],
  reopen: ['id'],
  restore: ['id'],
  pin: ['id'],
  unpin: ['id'],
  decline: ['id'],
}

function parseAction(given: unknown): Action {
  const raw = isObject(given) ? given : {}
  const name = String(raw.do)
  if (name === 'undo') return { do: name }
  if (name === 'forget') {
    // A confirmation must be explicit.
    if (typeof raw.dryRun !== 'boolean') throw wrong('dryRun')
    return { do: name, id: textOf(raw, 'id'), dryRun: raw.dryRun }
  }
  const fields = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined
  if (fields === undefined) throw new KeeperError('usage', 'There is no such action.')
  const wanted = fields
    .filter((field) => !field.endsWith('?') || raw[field.slice(0, -1)] !== undefined)
    .map((field) => field.replace('?', ''))
  return { do: name, ...Object.fromEntries(wanted.map((field) => [field, textOf(raw, field)])) } as Action
}

function textOf(raw: Readonly<Record<string, unknown>>, field: string): string {
  const value = raw[field]
  const most = field === 'id' ? ID_CHARS : TEXT_CHARS
  if (typeof value !== 'string' || value.length > most || (field === 'id' && value.trim() === '')) throw wrong(field)
  return value
}

function wrong(field: string): KeeperError {
  return new KeeperError('usage', `${field} is missing, or not what it should be.`)
}
