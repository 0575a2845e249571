/** Facts that were forgotten are not saved again. */
import type { Store } from '../../memory/disk/store.ts'
import { id8OfFile } from '../../platform/layout.ts'
import { readSession } from '../../sessions/disk/lineage.ts'
import { allSessionFiles } from '../../sessions/disk/session-archive.ts'
import { isSaidBefore, readForgotten } from '../../sessions/disk/tombstones.ts'
import { sentencesAround } from '../../sessions/forget-record.ts'
import { spokenIn } from '../../transcript/session.ts'
import type { NewFact } from '../fact.ts'

/** The facts that may be saved: not what was forgotten, unless it is said anew or a person adds it. */
export function withoutForgotten(store: Store, facts: readonly NewFact[]): NewFact[] {
  const { said } = readForgotten(store)
  if (said.size === 0) return [...facts]
  return facts.filter(
    (fact) =>
      fact.author === 'user' ||
      !isSaidBefore(said, fact.at, [fact.text, fact.evidence.quote, ...aroundQuote(store, fact)]),
  )
}

/** A model quotes a part of a sentence: known is the whole of it. */
function aroundQuote(store: Store, { session, evidence }: NewFact): string[] {
  const isPlaced = session !== '' && evidence.entry >= 0
  const file = isPlaced ? allSessionFiles(store.dir).find((name) => id8OfFile(name) === session) : undefined
  const entry = file === undefined ? undefined : readSession(store, file)[evidence.entry]
  return entry === undefined ? [] : sentencesAround(spokenIn(entry), evidence.quote)
}
