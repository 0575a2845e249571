/** What was forgotten, on disk: asked by whoever brings something into a memory, so that it does not come back. */
import path from 'node:path'
import { spokenIn } from '../../forget/forget-context.ts'
import { allFacts, type Fact, formatFacts, type NewFact, parseFacts } from '../../knowledge/fact.ts'
import { dirsOf } from '../../memory/disk/our-files.ts'
import type { Store } from '../../memory/disk/store.ts'
import { cutProse } from '../../outgoing/forget-cut.ts'
import { sentencesOf } from '../../outgoing/forget-words.ts'
import { type Disk, disk, factsOf, readOwnText } from '../../platform/disk/files.ts'
import type { Effect } from '../../platform/effect.ts'
import { FACTS_FILE, FORGOTTEN_FILE, id8OfFile, PAGE_SUFFIX } from '../../platform/layout.ts'
import { formatEntry, parseEntry } from '../../transcript/session.ts'
import {
  type ForgetRecord,
  type Forgotten,
  formatRecord,
  markOfSaid,
  marksOfSaid,
  NOTHING_FORGOTTEN,
  parseRecords,
  sentencesAround,
  withTombstones,
} from '../forget-record.ts'
import { readSession } from './lineage.ts'
import { allSessionFiles } from './session-archive.ts'

let seen: { mark: string; forgotten: Forgotten } | null = null

/** From wherever a copy is: a lost memory does not bring back what was forgotten. */
export function readForgotten(store: Pick<Store, 'dir' | 'places' | 'standing'>): Forgotten {
  const files = dirsOf(store).map((dir) => path.join(dir, FORGOTTEN_FILE))
  const there = files.flatMap((file) => {
    const facts = factsOf(file)
    return facts?.kind === 'file' ? [{ file, mark: `${file} ${facts.size} ${facts.mtimeMs} ${facts.ino}` }] : []
  })
  if (there.length === 0) return NOTHING_FORGOTTEN
  const mark = there.map((one) => one.mark).join('\n')
  if (seen?.mark !== mark) seen = { mark, forgotten: parseRecords(there.map(({ file }) => readOwnText(file) ?? '')) }
  return seen.forgotten
}

/** In the memory and in its copy. Call it under the lock, before anything is taken out. */
export function keepForgotten(store: Store, record: ForgetRecord, to: Disk = disk): void {
  const { vault, inProject } = store.places
  const copies = store.dir === inProject ? [vault] : []
  const line = formatRecord(record)
  for (const dir of [...copies, store.dir]) {
    const file = path.join(dir, FORGOTTEN_FILE)
    const text = readOwnText(file) ?? ''
    // Behind half a line that a killed writer left, a new one begins. Done twice, it says the same.
    if (!text.includes(line)) to.replace(file, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}`)
  }
}

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

/** The same for what is said as an instruction or promoted to a rule. */
export function isForgottenText(store: Store, text: string, at: string): boolean {
  const { said } = readForgotten(store)
  return said.size > 0 && isSaidBefore(said, at, [text])
}

/** What is about to be written from elsewhere (another version, a neighbour, a bundle), without what was forgotten. */
export function keptEffects(store: Store, effects: readonly Effect[]): Effect[] {
  const forgotten = readForgotten(store)
  const { said, keys } = forgotten
  if (said.size === 0 && keys.size === 0) return [...effects]
  const isSaid = (text: string): boolean => [text, ...sentencesOf(text)].some((one) => said.has(markOfSaid(one)))
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

/** A line that is no entry stays as it is. */
function tombstonesIn(text: string, id8: string, forgotten: Forgotten): string {
  const lines = text.split('\n')
  const entries = lines.map(parseEntry)
  const told = withTombstones(
    entries.filter((entry) => entry !== null),
    id8,
    0,
    forgotten,
  )
  let n = 0
  return lines
    .map((line, i) => {
      const entry = entries[i]
      const kept = entry === null ? undefined : told[n++]
      return kept === undefined || kept === entry ? line : formatEntry(kept).trimEnd()
    })
    .join('\n')
}

/** Whether the whole transcript of this session may be copied. */
export function mayBackUp(store: Store, sessionFile: string): boolean {
  return !readForgotten(store).raw.has(id8OfFile(sessionFile) ?? '')
}

function isSaidBefore(said: Forgotten['said'], at: string, texts: readonly string[]): boolean {
  return texts.flatMap(marksOfSaid).some((mark) => {
    const until = said.get(mark)
    return until !== undefined && at <= until
  })
}

/** A model quotes a part of a sentence: known is the whole of it. */
function aroundQuote(store: Store, { session, evidence }: NewFact): string[] {
  const isPlaced = session !== '' && evidence.entry >= 0
  const file = isPlaced ? allSessionFiles(store.dir).find((name) => id8OfFile(name) === session) : undefined
  const entry = file === undefined ? undefined : readSession(store, file)[evidence.entry]
  return entry === undefined ? [] : sentencesAround(spokenIn(entry), evidence.quote)
}
