/** Pauses of recording: spans of time, for a whole project or for one session. */
import { parseObject } from '../platform/json.ts'

export interface PauseSpan {
  from: string
  /** Null: still active. */
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

/** The active pause of this session; undefined: none. A pause of the project applies to every session. */
export function lastingPause(spans: readonly PauseSpan[], session: string | null): PauseSpan | undefined {
  return spans.find((span) => span.to === null && (span.session === null || span.session === session))
}

/** `since` as the user's clock shows it. */
export function pausedNotice(since: string): string {
  return `Memory Keeper is paused since ${since}: nothing is recorded, injected or sent to a model. To go on, type: /memory-keeper:resume`
}

/** `goOn`: what is typed to end the pause. */
export function pausedText(where: string, isNew: boolean, goOn: string): string {
  return `Memory Keeper ${isNew ? 'is' : 'was already'} paused in ${where}: nothing is recorded, injected or sent to a model until you type ${goOn}`
}

/** `takeIn`: what is typed to have the pause recorded after all. */
export function resumedText(wasPaused: boolean, takeIn: string): string {
  return wasPaused
    ? `Memory Keeper records again. The time of the pause stays unrecorded; to capture it after all, type: ${takeIn}`
    : 'Memory Keeper was not paused.'
}

/** Returns a function that checks whether entries of this time are left out. */
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
