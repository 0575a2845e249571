/** Sessions of long ago: a transcript that the host wrote today, told again as one of another day, with other words. */
import { randomUUID } from 'node:crypto'
import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { World } from './world.ts'

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g
const DAY_MS = 24 * 60 * 60_000

export function instantOf(daysAgo: number, now = Date.now()): string {
  return new Date(now - daysAgo * DAY_MS).toISOString()
}

/** Gives the id of the older session. `words`: what stands there in the place of what was said today. */
export function tellAsOlder(
  world: World,
  sessionId: string,
  daysAgo: number,
  words: Readonly<Record<string, string>>,
): string {
  const path = world.transcripts().find((each) => basename(each) === `${sessionId}.jsonl`)
  if (path === undefined) throw new Error(`There is no transcript of ${sessionId}.`)
  const ids = new Map<string, string>()
  const idFor = (known: string): string => {
    const id = ids.get(known) ?? randomUUID()
    ids.set(known, id)
    return id
  }
  let text = readFileSync(path, 'utf8')
    .replace(UUID, idFor)
    .replace(INSTANT, (at) => instantOf(daysAgo, Date.parse(at)))
  for (const [today, then] of Object.entries(words)) text = text.replaceAll(today, then)
  const older = join(dirname(path), `${idFor(sessionId)}.jsonl`)
  writeFileSync(older, text)
  const at = new Date(instantOf(daysAgo))
  utimesSync(older, at, at)
  return idFor(sessionId)
}
