/** What goes with a person's prompt: the rules, what is remembered about it, what Claude is asked to do for the memory. */
import path from 'node:path'
import { HOOK_WAIT_MS, type Store, stateEffect } from '../memory/disk/store.ts'
import type { Way } from '../model/way.ts'
import { markAsked, renderRequest, toAskFor, workForClaude } from '../notes/pending.ts'
import { DELTA_FILE } from '../platform/layout.ts'
import { type WorkItem, workItems } from '../sessions/work.ts'
import { once } from '../text/once.ts'
import type { Moment } from './world.ts'

/** Every Nth prompt, counted over all sessions. */
export function isRulesTurn(store: Store): boolean {
  const frequency = store.config.rulesInjectionFrequency
  if (frequency === 1 || !store.config.rules) return true
  const counted = store.whileLocked(HOOK_WAIT_MS, () => {
    const state = store.readState()
    const rulesInjectionCount = state.rulesInjectionCount + 1
    store.perform([stateEffect({ ...state, rulesInjectionCount })])
    return rulesInjectionCount
  })
  return counted === null || counted.value % frequency === 0
}

/** Two characters where a script has no spaces, else a word that is more than a grunt. */
const WORD = once(() => /[\u3040-\u9fff\uac00-\ud7af]{2}|[\p{L}\p{N}_]{3,}/gu)
/** What is asked shows in its beginning. */
const BEGINNING = 500

/** Whether it is worth loading what searches: a slash command asks the host, one word is no question, a memory may be empty. */
export function mayRecall(store: Store, prompt: string): boolean {
  const { recall, recallMaxTokens } = store.config
  if (recall !== true || Number(recallMaxTokens) === 0 || !store.isPrepared()) return false
  return !/^\s*\/[\w:-]+(?:\s|$)/.test(prompt) && (prompt.slice(0, BEGINNING).match(WORD())?.length ?? 0) > 1
}

/** Once for each piece of work, and again only when more of it came due. */
export function requestFor({ store, world, tryTo }: Moment, way: () => Way): string {
  const state = store.readState()
  if (workItems(state).length === 0) return ''
  const asked = toAskFor(state, workForClaude(state, way(), store.config.summarizer))
  if (asked.length === 0) return ''
  const mark = (): void => store.perform([stateEffect(markAsked(store.readState(), asked))])
  world.later(() => tryTo('request', () => store.whileLocked(HOOK_WAIT_MS, mark), null))
  return renderRequest(asked, (each) => argOf(store, each))
}

/** What the skill is given: a file to read, or the name of what the tools show. */
export function argOf(store: Store, { kind, name }: WorkItem): string {
  if (kind === 'note') return path.join(store.dir, DELTA_FILE)
  return kind === 'summary' ? path.join(store.dir, name) : name
}
