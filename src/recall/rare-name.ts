/** Signal 3: a branch, version, pull request, path or identifier that only one or two earlier sessions contain, and not this one. */
import { findName, hasName } from '../grounding/grounding-text.ts'
import { KINDS } from '../search/corpus.ts'
import { stemOf } from '../text/token.ts'
import { tokenise } from '../text/words.ts'
import { isKept, type Pick, type Recall, type Remembrance } from './pick.ts'
import type { Prompt } from './prompt.ts'

const ANSWER = KINDS.indexOf('answer')
/** The maximum number of sessions. */
const FEW_SESSIONS = 2
/** A name in more documents is not rare, and reading all of them would take long. */
const MOST_HOLDING = 60
/** The number of characters before the name, and in total. */
const BEFORE_NAME = 60
const AROUND_NAME = 160
/** A line of a note by structure that repeats a prompt: it contains the request, not the result. */
const ASKED = /^User: /

export function findRareName({ names }: Prompt, memory: Remembrance): Recall | null {
  for (const name of names) {
    if (memory.isNameKnown(name)) continue
    const holding = docsNaming(name, memory)
    if (holding.length === 0 || holding.some((doc) => memory.isWanted?.(doc) === false)) continue
    const sessions = new Set(holding.map(memory.sessionOf).filter((session) => session !== null))
    if (sessions.size > FEW_SESSIONS) continue
    const picks = newestAbout(holding, name, memory)
    const verdict = `It names ${name}, known from ${sessions.size === 2 ? 'two earlier sessions' : 'one earlier session'}.`
    if (picks.length > 0) return { signal: 'name', verdict, scores: {}, picks }
  }
  return null
}

/** Newest first. Empty also if there are too many. */
function docsNaming(name: string, { columns, engine, unitOf }: Remembrance): number[] {
  const { docs, found } = engine.look(Array.from(tokenise(name), stemOf), [1, 1, 1, 1], MOST_HOLDING, null)
  const least = Math.min(...found)
  if (least === 0 || least > MOST_HOLDING) return []
  return docs
    .filter((doc) => hasName(unitOf(doc)?.text ?? '', name))
    .sort((a, b) => (columns.seconds[b] ?? 0) - (columns.seconds[a] ?? 0) || b - a)
}

/** The line with the name in the newest note or fact; else in the newest answer. */
function newestAbout(newest: readonly number[], name: string, { columns, unitOf }: Remembrance): Pick[] {
  const kept = newest.filter((doc) => isKept(columns, doc))
  const answers = newest.filter((doc) => columns.kind[doc] === ANSWER)
  for (const doc of [...kept, ...answers]) {
    const text = unitOf(doc)?.text ?? ''
    const at = findName(text, name, (place) => !ASKED.test(text.slice(text.lastIndexOf('\n', place) + 1)))
    if (at === null) continue
    const line = { from: text.lastIndexOf('\n', at) + 1, to: `${text}\n`.indexOf('\n', at) }
    const from = at - line.from > BEFORE_NAME ? text.indexOf(' ', at - BEFORE_NAME) + 1 : line.from
    const to = line.to - from > AROUND_NAME ? text.lastIndexOf(' ', from + AROUND_NAME) : line.to
    return [{ doc, score: 1, from, to: Math.max(to, at + name.length) }]
  }
  return []
}
