/** `status`: what is remembered and what it costs, on one screen. */
import { allSessions } from '../core/state.ts'
import { transcriptsBehind } from '../store/catch-up.ts'
import { type HookTime, readHookTimes } from '../store/journal.ts'
import { currentBranch } from '../store/locate.ts'
import { listSessions } from '../store/sessions.ts'
import type { Context } from './context.ts'
import { bold, bytes, count, dim, good, table, warning } from './output.ts'

export function runStatus(context: Context): number {
  const { store, out } = context
  const state = store.readState()
  const sessions = allSessions(state).map(([, session]) => session)
  const stored = sessions.reduce((sum, session) => sum + session.bytes, 0)
  const rows = listSessions(store)
  const behind = transcriptsBehind(store).length
  const times = timesByEvent(readHookTimes(store.dir))
  const status = {
    project: store.places.project.root,
    memory: store.dir,
    standing: store.standing,
    branch: currentBranch(store.places.project.root),
    sessions: rows.length,
    entries: rows.reduce((sum, row) => sum + row.entries, 0),
    bytes: stored,
    lastSession: rows[0] ?? null,
    toolUsesSinceLastNote: state.counter,
    saveInterval: store.config.saveInterval,
    transcriptsBehind: behind,
    badLines: sessions.reduce((sum, session) => sum + session.badLines, 0),
    redactions: sessions.reduce((sum, session) => sum + session.redactions, 0),
    hooks: times,
  }
  out.json(status)
  out.say(
    `${bold('Memory Keeper')} ${context.world.version}  ${status.project}`,
    ...table([
      [
        '  memory',
        `${store.dir}${store.standing === 'foreign' ? warning("  (the project's own is a stranger's: memory-keeper trust)") : ''}`,
      ],
      [
        '  remembered',
        `${count(status.sessions, 'session')}, ${count(status.entries, 'entry', 'entries')}, ${bytes(stored)}`,
      ],
      [
        '  last session',
        status.lastSession
          ? `${status.lastSession.startedAt.slice(0, 16).replace('T', ' ')} UTC  ${status.lastSession.id}`
          : 'none yet',
      ],
      ['  tool uses', `${state.counter} since the last note (a note is due at ${store.config.saveInterval})`],
      [
        '  coverage',
        behind === 0
          ? good('every transcript on this machine is captured')
          : warning(`${count(behind, 'transcript')} to catch up: memory-keeper import`),
      ],
      ['  redacted', `${count(status.redactions, 'secret')}; ${count(status.badLines, 'unreadable line')} skipped`],
      ...times.map((time) => [
        `  ${time.event}`,
        dim(`p50 ${time.p50} ms, p95 ${time.p95} ms, ${count(time.calls, 'call')}`),
      ]),
    ]),
  )
  return 0
}

interface EventTimes {
  event: string
  calls: number
  p50: number
  p95: number
}

function timesByEvent(times: readonly HookTime[]): EventTimes[] {
  const byEvent = new Map<string, number[]>()
  for (const { event, ms } of times) byEvent.set(event, [...(byEvent.get(event) ?? []), ms])
  return [...byEvent].map(([event, all]) => {
    const sorted = all.toSorted((a, b) => a - b)
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    return { event, calls: all.length, p50: at(0.5), p95: at(0.95) }
  })
}
