/** What was not noted yet becomes due now: code writes its note at once; where a model is to write it, it is handed over. */

import { type Context, underLock } from '../../memory/commands/context.ts'
import { bold, count, harmless } from '../../memory/commands/output.ts'
import { COMMAND_WAIT_MS, stateEffect } from '../../memory/disk/store.ts'
import { wayIn } from '../../model/disk/way.ts'
import type { Way } from '../../model/way.ts'
import { catchUp } from '../../sessions/disk/catch-up.ts'
import { noteByCode } from '../disk/notes.ts'
import { cutLive, owedSessions } from '../pending.ts'

export function runNoteNow({ store, out, world }: Context): number {
  catchUp(store, { waitMs: COMMAND_WAIT_MS, now: world.now, look: 'unfinished' })
  const now = world.now()
  const way = wayIn(store, now)
  const { entries, notes } = underLock(store, COMMAND_WAIT_MS, () => {
    const before = store.readState()
    const state = cutLive(before)
    if (state !== before) store.perform([stateEffect(state)])
    const waiting = owedSessions(state).reduce((sum, [, { due, watermark }]) => sum + due - watermark, 0)
    return { entries: waiting, notes: way === 'extractive' ? noteByCode(store, now) : [] }
  })
  out.json({ entries, way, notes })
  if (entries === 0) out.say('Nothing waits for a note: all that was captured is noted.')
  else if (way === 'extractive') out.say(...notes.flatMap(({ id, text }) => [bold(id), harmless(text), '']))
  else out.say(`${count(entries, 'entry', 'entries')} ${entries === 1 ? 'waits' : 'wait'} for a note. ${WRITERS[way]}`)
  return 0
}

const WRITERS: Record<Exclude<Way, 'extractive'>, string> = {
  headless: 'Claude writes it in the background (Haiku); memory-keeper notes list shows it in a minute.',
  agent: 'Claude is asked for it with your next prompt.',
}
