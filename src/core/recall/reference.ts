/** A pasted error that an earlier session met, and the number or branch of earlier work. */

import { stemsOf } from '../../kernel/text/words.ts'
import { hasName } from '../grounding/grounding-text.ts'
import { pullsOf } from '../notes/story-git.ts'
import { foldedLine } from '../notes/telling-lines.ts'
import { KIND_NUMBER } from '../search/engine.ts'
import { closingAnswer, pickFrom, restOfTurn, turnOf } from './closing.ts'
import type { Prompt } from './prompt.ts'
import type { Recall, Remembrance } from './remembrance.ts'

const PROMPT = KIND_NUMBER.prompt
const ANSWER = KIND_NUMBER.answer
const TOOL = KIND_NUMBER.tool

const MOST_ERROR_DOCS = 40
/** A word of more documents is said of many things: a share of all, and a number. */
const RARE = { share: 0.01, least: 6 }

/**
 * The output of a tool that failed has the same line: source code that was read, and summaries, do not count. In more sessions than few the
 * line says only that something failed.
 */
export function findError({ errors }: Prompt, memory: Remembrance): Recall | null {
  for (const line of errors) {
    const met = failedWith(line, memory)
    const sessions = new Set(met.map(memory.sessionOf)).size
    const rare = sessions > FEW_SESSIONS ? new Set<number>() : rareStems(line, memory)
    for (const doc of met) {
      const closing = closingAnswer(doc, memory)
      const at = closing?.sentences.findIndex((one) => stemsOf(one).some((stem) => rare.has(stem))) ?? -1
      if (closing === null || at < 0) continue
      const verdict = 'It contains an error line that an earlier session met.'
      return { signal: 'error', verdict, scores: {}, picks: [pickFrom(closing.unit, 1, closing.sentences, at)] }
    }
  }
  return null
}

/** The failed tool uses whose output has the same line. */
export function failedWith(line: string, { columns, engine, entryOf, isWanted }: Remembrance): number[] {
  const folded = foldedLine(line)
  const isTool = (doc: number): boolean => columns.kind[doc] === TOOL && isWanted?.(doc) !== false
  return engine.look(stemsOf(line), [1, 1, 1, 1], MOST_ERROR_DOCS, isTool).docs.filter((doc) => {
    const entry = entryOf(doc)
    if (entry?.role !== 'tool' || entry.ok !== false || entry.refused === true) return false
    return (entry.output ?? '').split('\n').some((one) => foldedLine(one) === folded)
  })
}

/** Numbers are no words. */
export function rareStems(line: string, { columns, engine }: Remembrance): Set<number> {
  const stems = stemsOf(line.replace(/\d+/g, ' '))
  const { found } = engine.look(stems, [1, 1, 1, 1], 1, null)
  const most = Math.max(RARE.least, RARE.share * columns.live)
  return new Set(stems.filter((_, i) => (found[i] ?? 0) <= most))
}

/** Sessions that spoke of it: in more it is no rare name. */
const FEW_SESSIONS = 2
const MOST_HOLDING = 400

/**
 * Not yet named here, and known from one or two earlier sessions: how the newest turn ended in which people or Claude named it, or where
 * the work on the branch stood.
 */
export function findReference(prompt: Prompt, memory: Remembrance): Recall | null {
  for (const branch of branchesIn(prompt, memory)) {
    if (memory.said().some((text) => hasName(text, branch))) continue
    const pick = memory.standing(branch, FEW_SESSIONS)
    const verdict = `It names the branch ${branch}, known from few earlier sessions.`
    if (pick !== null) return { signal: 'reference', verdict, scores: {}, picks: [pick] }
  }
  for (const name of prompt.references) {
    const isNamed = (text: string): boolean => names(text, name)
    if (memory.said().some(isNamed)) continue
    const turns = turnsNaming(name, isNamed, memory)
    const sessions = new Set(turns.map(memory.sessionOf))
    if (sessions.size === 0 || sessions.size > FEW_SESSIONS || !isKnown(name, memory)) continue
    for (const turn of turns) {
      const closing = madeIn(turn, name, memory) ? null : closingAnswer(turn, memory)
      const at = closing?.sentences.findIndex(isNamed) ?? -1
      if (closing === null || at < 0) continue
      const known = sessions.size === 2 ? 'two earlier sessions' : 'one earlier session'
      const picks = [pickFrom(closing.unit, 1, closing.sentences, at)]
      return { signal: 'reference', verdict: `It names ${name}, known from ${known}.`, scores: {}, picks }
    }
  }
  return null
}

/** A ticket's key has a prefix that a branch has, too, or another number: `UTF-8` is none. Other references are known by their form. */
function isKnown(name: string, { branches, engine, unitOf }: Remembrance): boolean {
  const prefix = /^[A-Z]+-/.exec(name)?.[0]
  if (prefix === undefined) return true
  const numbersIn = (text: string): number[] => {
    const numbers = text
      .split(prefix)
      .slice(1)
      .map((rest) => Number.parseInt(rest, 10))
    return numbers.filter((number) => !Number.isNaN(number))
  }
  if ([...branches()].some((branch) => numbersIn(branch.toUpperCase()).length > 0)) return true
  const { docs } = engine.look(stemsOf(prefix), [1, 1, 1, 1], MOST_HOLDING, null)
  return new Set(docs.flatMap((doc) => numbersIn(unitOf(doc)?.text ?? ''))).size > 1
}

const BRANCH_LIKE = /\w[-_/]\w/

/** Branches of other work, by names that are no plain words. Nothing in a long prompt. */
export function branchesIn(
  { text, isShort }: Prompt,
  { branches, branch }: Pick<Remembrance, 'branches' | 'branch'>,
): string[] {
  if (!isShort || !BRANCH_LIKE.test(text)) return []
  const now = branch()
  return [...branches()].filter((one) => one !== now && BRANCH_LIKE.test(one) && hasName(text, one))
}

/** `#12` is also written `PR 12` and `…/pull/12`. */
function names(text: string, name: string): boolean {
  if (!name.startsWith('#')) return hasName(text, name)
  const number = name.slice(1)
  for (let at = text.indexOf(number); at >= 0; at = text.indexOf(number, at + 1))
    if (
      /(?:#|\bPR\s?|\/(?:pull|issues)\/)$/i.test(text.slice(Math.max(0, at - 9), at)) &&
      !/^\d/.test(text.slice(at + number.length))
    )
      return true
  return false
}

/** The prompts of the turns in which it is named, newest first. Empty also if there are too many to be sure. */
function turnsNaming(name: string, isNamed: (text: string) => boolean, memory: Remembrance): number[] {
  const { columns, engine, isWanted, unitOf } = memory
  const isSpoken = (doc: number): boolean => columns.kind[doc] === PROMPT || columns.kind[doc] === ANSWER
  const stems = stemsOf(name)
  if (stems.length === 0) return []
  const wanted = (doc: number): boolean => isSpoken(doc) && isWanted?.(doc) !== false
  const { docs, found } = engine.look(stems, [1, 1, 1, 1], MOST_HOLDING, wanted)
  const least = Math.min(...found)
  if (least === 0 || docs.length === MOST_HOLDING) return []
  const holding = docs.filter((doc) => isNamed(unitOf(doc)?.text ?? ''))
  const turns = [...new Set(holding.map((doc) => turnOf(doc, memory)))].filter((turn) => turn >= 0)
  return turns.toSorted((a, b) => (columns.seconds[b] ?? 0) - (columns.seconds[a] ?? 0) || b - a)
}

/** In this turn it was opened: of that nothing came yet. */
function madeIn(turn: number, name: string, memory: Remembrance): boolean {
  return restOfTurn(turn, memory).some((doc) => {
    const entry = memory.columns.kind[doc] === TOOL ? memory.entryOf(doc) : null
    return entry?.role === 'tool' && pullsOf(entry).includes(name)
  })
}
