/** SessionStart with a prepared briefing: prints it without loading the code that renders one. */
import path from 'node:path'
import { type PreparedStart, readPrepared } from '../../core/briefing/disk/briefing-kept.ts'
import { keepReceipt, keepStart, noteHookTime } from '../../core/receipts/disk/journal.ts'
import type { Store } from '../../kernel/memory/disk/store.ts'
import { disk, readText } from '../../kernel/platform/disk/files.ts'
import type { Places } from '../../kernel/platform/disk/locate.ts'
import { attempt } from '../../kernel/platform/disk/log.ts'
import { performOne } from '../../kernel/platform/disk/perform.ts'
import { parseObject } from '../../kernel/platform/json.ts'
import { HEADLESS_HEALTH_FILE } from '../../kernel/platform/layout.ts'
import { hasJobs, isExchangeDue } from '../../kernel/sessions/disk/finisher-queue.ts'
import { formatReply, parseHookEvent } from './host.ts'
import { renderStartLine } from './start-line.ts'

interface BeginWorld {
  now: () => string
  elapsedMs: () => number
  isAttended: boolean
  hostPid: number
  places: Places
  /** The directory of the programs. */
  programs: string
  print: (out: string) => void
}

/** False: no briefing was prepared, the memory has changed since, or the start needs more than printing. The caller then runs the whole hook. */
export function beginPrepared(stdin: string, world: BeginWorld): boolean {
  const event = parseHookEvent(stdin)
  if (event?.name !== 'SessionStart' || (event.source !== 'startup' && event.source !== 'clear')) return false
  const { places } = world
  if (hasJobs(places) || isModelPaused(places) || isExchangeDue(places, world.now())) return false
  const prepared = readPrepared(places, world.programs)
  if (prepared === null || (world.isAttended && !prepared.isQuiet)) return false
  const text = prepared.lines.map((line) => line.text).join('\n')
  const { line, timezone } = prepared
  const isShown = world.isAttended && event.source === 'startup' && line !== null
  const notice = isShown ? renderStartLine(line, world.now(), timezone) : null
  world.print(formatReply(event, { say: 'context', text, notice }))
  writeDown(event, prepared, text, world)
  return true
}

/** Writes receipt and journal after the answer was printed: four small writes, for which the host waits. A write that fails is logged, and the answer stands. */
function writeDown(
  { session, source }: { session: string; source: string },
  { dir, lines, isEntered }: PreparedStart,
  text: string,
  { now, elapsedMs, hostPid, places }: BeginWorld,
): void {
  const at = now()
  const tryTo = (name: string, work: () => void): void => attempt(places.homeDir, at, name, work, undefined)
  const memory = { dir, perform: writeBelow(dir) }
  tryTo('receipt', () => keepReceipt(memory, session, { text, lines }))
  if (isEntered) tryTo('receipt', () => keepStart(memory, { at, session, source, host: hostPid }))
  const ms = Math.round(elapsedMs() * 10) / 10
  const injected = { briefing: text.length }
  tryTo('journal', () =>
    noteHookTime(dir, { at: now(), event: 'SessionStart', ms, by: 'prepared', session, told: injected }),
  )
}

/** Background calls are paused after failures. The start of a session ends the pause, which this program cannot do. */
function isModelPaused({ homeDir }: Places): boolean {
  const health = parseObject(readText(path.join(homeDir, HEADLESS_HEALTH_FILE)) ?? '')
  return typeof health?.pausedUntil === 'string'
}

function writeBelow(dir: string): Store['perform'] {
  return (effects) => {
    for (const effect of effects) performOne(dir, effect, disk)
  }
}
