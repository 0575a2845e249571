/** `delta`: shows what waits for a note and who will write it; also the command that writes it now. */
import { type Command, inProject } from '../../../kernel/memory/commands/command.ts'
import { type CliWorld, type Context, typed, underLock } from '../../../kernel/memory/commands/context.ts'
import { bold, count, dim, harmless, table } from '../../../kernel/memory/commands/output.ts'
import { COMMAND_WAIT_MS, stateEffect } from '../../../kernel/memory/disk/store.ts'
import { catchUp } from '../../../kernel/sessions/disk/catch-up.ts'
import { estimateTokens } from '../../../kernel/text/tokens.ts'
import { wayIn } from '../../model/disk/model-call.ts'
import type { Way } from '../../model/headless.ts'
import { countEntries, countUpcoming, listWaiting, type Waiting } from '../disk/note-list.ts'
import { noteByCode } from '../disk/notes.ts'
import { cutLive } from '../pending.ts'

/** Of all that waits, so many tokens are read and counted. */
const MOST_SHOWN_TOKENS = 190_000

const REASONS: Record<Waiting['why'], string> = {
  ended: 'its session ended',
  history: 'found when notes began',
  interval: 'enough tools were used, or the conversation was compacted',
}

const WRITERS: Record<Way, string> = {
  headless: 'Claude in the background, when the next hook of a session runs',
  agent: 'Claude itself, asked with your next prompt',
  extractive: 'code, when the next session starts; at once with memory-keeper final',
}

function runDelta({ store, out, world, clock }: Context, options: { text?: boolean }): number {
  const state = store.readState()
  const way = wayIn(store, world.now())
  const waiting = listWaiting(store, state, MOST_SHOWN_TOKENS)
  const saveInterval = store.config.saveInterval
  const untilNext = Math.max(0, saveInterval - state.counter)
  const deltas = waiting.map(({ text, ...delta }) => ({
    ...delta,
    entries: delta.to - delta.from,
    tokens: estimateTokens(text),
    ...(options.text ? { text } : {}),
  }))
  const later = countUpcoming(store, world.now()) - waiting.reduce((sum, { from, to }) => sum + to - from, 0)
  const history = state.beganAt === null ? later : 0
  out.json({ deltas, way, toolUses: state.counter, saveInterval, untilNext, history, later })
  if (deltas.length === 0) {
    out.say(
      later > 0
        ? `${count(later, 'entry', 'entries')} of ${history > 0 ? 'the history' : 'sessions that ended'} ${later === 1 ? 'waits' : 'wait'} for notes: the next session start writes them; at once: memory-keeper final`
        : 'Nothing waits for a note.',
      `The next one is due after ${count(untilNext, 'more tool use')} (${state.counter} of ${saveInterval} counted), or when a session ends.`,
    )
    return 0
  }
  for (const [i, delta] of deltas.entries()) {
    out.say(
      `${bold(delta.id ?? `${delta.session}, entries ${delta.from} to ${delta.to - 1}`)}`,
      ...renderDelta({ ...delta, since: clock.minute(delta.since) }, way),
      ...(options.text ? ['', harmless(waiting[i]?.text ?? '')] : []),
      '',
    )
  }
  if (!options.text) out.say(dim('memory-keeper delta --text shows their content.'))
  return 0
}

function renderDelta(delta: Omit<Waiting, 'text'> & { entries: number; tokens: number }, way: Way): string[] {
  const tokens =
    delta.tokens === 0
      ? `beyond ${MOST_SHOWN_TOKENS.toLocaleString('en-US')} tokens, so not read`
      : `about ${count(delta.tokens, 'token')}`
  const size = `${count(delta.entries, 'entry', 'entries')}, ${tokens}`
  return table([
    ['  session', `${delta.session}, ${size}`],
    ['  waits', `since ${delta.since}: ${REASONS[delta.why]}`],
    ['  written by', WRITERS[way]],
    ...(delta.id === null
      ? []
      : [
          [
            '  handed out',
            [
              delta.by === 'agent'
                ? `to Claude in your session, which ${delta.isAsked ? 'was asked for its note' : 'is asked for its note with your next prompt'}`
                : 'to Claude in the background',
              ...(delta.refusals > 0 ? [`${count(delta.refusals, 'note')} refused`] : []),
            ].join('; '),
          ],
        ]),
  ])
}

export const DELTA_COMMANDS: readonly Command[] = [
  {
    usage: 'delta',
    about: 'what waits for a note, and who will write it',
    options: [{ flags: '--text', about: 'with its content' }],
    example: 'memory-keeper delta --text',
    run: inProject(runDelta),
  },
]

export function runNoteNow({ store, out, world }: Context): number {
  catchUp(store, { waitMs: COMMAND_WAIT_MS, now: world.now, look: 'unfinished' })
  const now = world.now()
  const way = wayIn(store, now)
  const { entries, notes } = underLock(store, COMMAND_WAIT_MS, () => {
    const before = store.readState()
    const state = cutLive(before)
    if (state !== before) store.perform([stateEffect(state)])
    return { entries: countEntries(state), notes: way === 'extractive' ? noteByCode(store, now) : [] }
  })
  out.json({ entries, way, notes })
  if (entries === 0) out.say('Nothing waits for a note: every captured entry is noted.')
  else if (way === 'extractive') out.say(...notes.flatMap(({ id, text }) => [bold(id), harmless(text), '']))
  else
    out.say(
      `${count(entries, 'entry', 'entries')} ${entries === 1 ? 'waits' : 'wait'} for a note. ${writtenBy(way, world)}`,
    )
  return 0
}

function writtenBy(way: Exclude<Way, 'extractive'>, world: CliWorld): string {
  return way === 'agent'
    ? 'Claude is asked for it with your next prompt.'
    : `Claude writes it in the background (Haiku): ${typed(world, 'notes list')} shows it in a minute.`
}
