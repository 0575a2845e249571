/** Facts and texts that arrive from elsewhere, without what was forgotten. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { cutProse } from '../../outgoing/forget-cut.ts'
import { forgetSentences } from '../../outgoing/forget-words.ts'
import { readOwnText } from '../../platform/disk/files.ts'
import type { Effect } from '../../platform/effect.ts'
import { FACTS_FILE, id8OfFile, PAGE_SUFFIX } from '../../platform/layout.ts'
import { readSession } from '../../sessions/disk/lineage.ts'
import { allSessionFiles } from '../../sessions/disk/session-archive.ts'
import { isSaidBefore, readForgotten, tombstonesIn } from '../../sessions/disk/tombstones.ts'
import { type Forgotten, markOfSaid, sentencesAround } from '../../sessions/forget-record.ts'
import { spokenIn } from '../../transcript/session.ts'
import { allFacts, type Fact, formatFacts, type NewFact, parseFacts } from '../fact.ts'

/** Those that may be kept: not what was forgotten, unless it is said anew or a person adds it. */
export function withoutForgotten(store: Store, facts: readonly NewFact[]): NewFact[] {
  const { said } = readForgotten(store)
  if (said.size === 0) return [...facts]
  return facts.filter(
    (fact) =>
      fact.author === 'user' ||
      !isSaidBefore(said, fact.at, [fact.text, fact.evidence.quote, ...aroundQuote(store, fact)]),
  )
}

/** What is about to be written from elsewhere (another version, a neighbour, a bundle), without what was forgotten. */
export function keptEffects(store: Store, effects: readonly Effect[]): Effect[] {
  const forgotten = readForgotten(store)
  const { said, keys } = forgotten
  if (said.size === 0 && keys.size === 0) return [...effects]
  const isSaid = (text: string): boolean => [text, ...forgetSentences(text)].some((one) => said.has(markOfSaid(one)))
  return effects.map((effect) => {
    if (effect.do !== 'write') return effect
    const there = readOwnText(path.join(store.dir, effect.path)) ?? ''
    // Said anew since, it stands there by right.
    const isNew = (text: string): boolean => !there.includes(text.trim())
    return { ...effect, text: keptText(effect.path, effect.text, forgotten, (text) => isSaid(text) && isNew(text)) }
  })
}

function keptText(name: string, text: string, forgotten: Forgotten, isSaid: (text: string) => boolean): string {
  const id8 = id8OfFile(path.basename(name))
  if (id8 !== null) return tombstonesIn(text, id8, forgotten)
  if (name.endsWith(PAGE_SUFFIX)) return cutProse(text, isSaid).left
  const facts = path.basename(name) === FACTS_FILE ? parseFacts(text) : null
  if (facts === null || !allFacts(facts).some((fact) => isSaid(fact.text))) return text
  const kept = (list: readonly Fact[]): Fact[] => list.filter((fact) => !isSaid(fact.text))
  const { decisions, patterns, issues } = facts
  return formatFacts({ ...facts, decisions: kept(decisions), patterns: kept(patterns), issues: kept(issues) })
}

/** A model quotes a part of a sentence: known is the whole of it. */
function aroundQuote(store: Store, { session, evidence }: NewFact): string[] {
  const isPlaced = session !== '' && evidence.entry >= 0
  const file = isPlaced ? allSessionFiles(store.dir).find((name) => id8OfFile(name) === session) : undefined
  const entry = file === undefined ? undefined : readSession(store, file)[evidence.entry]
  return entry === undefined ? [] : sentencesAround(spokenIn(entry), evidence.quote)
}
