/** When the user wanted nothing recorded: spans of time, for a whole project or for one session. */
import { parseObject } from '../platform/json.ts'

export interface PauseSpan {
  from: string
  /** Null: it lasts. */
  to: string | null
  /** Null: every session of the project. */
  session: string | null
}

export function parsePauses(text: string): PauseSpan[] {
  const spans = parseObject(text)?.spans
  if (!Array.isArray(spans)) return []
  return spans.filter(
    ({ from, to, session }: Partial<PauseSpan>) =>
      typeof from === 'string' && [to, session].every((one) => one === null || typeof one === 'string'),
  )
}

export function formatPauses(spans: readonly PauseSpan[]): string {
  return `${JSON.stringify({ version: 1, spans })}\n`
}

/** The span that lasts for this session; undefined: none does. The project's own counts for every session. */
export function lastingPause(spans: readonly PauseSpan[], session: string | null): PauseSpan | undefined {
  return spans.find((span) => span.to === null && (span.session === null || span.session === session))
}

export function beginPause(spans: readonly PauseSpan[], session: string | null, now: string): readonly PauseSpan[] {
  return lastingPause(spans, session) === undefined ? [...spans, { from: now, to: null, session }] : spans
}

/** Ends the project's pause and that of this session. */
export function endPauses(spans: readonly PauseSpan[], session: string | null, now: string): readonly PauseSpan[] {
  return spans.map((span) =>
    span.to === null && (span.session === null || span.session === session) ? { ...span, to: now } : span,
  )
}

export function pausedNotice(since: string): string {
  return `Memory Keeper is paused since ${since.slice(0, 16).replace('T', ' ')} UTC: nothing is recorded, injected or sent to a model. To go on, type: /memory-keeper:resume`
}

/** Whether what a session's transcript says of this moment is left out. */
export function pauseTest(spans: readonly PauseSpan[], session: string): (at: string) => boolean {
  const own = spans
    .filter((span) => span.session === null || span.session === session)
    .map(({ from, to }) => [Date.parse(from), to === null ? Number.POSITIVE_INFINITY : Date.parse(to)] as const)
  if (own.length === 0) return () => false
  return (at) => {
    const ms = Date.parse(at)
    return own.some(([from, to]) => ms >= from && ms <= to)
  }
}
