/** What is injected with a person's prompt: the rules, a recall, and a request to Claude for pending work. */
import path from 'node:path'
import type { Way } from '../../core/model/headless.ts'
import { markAsked, renderRequest, toAskFor, workForClaude } from '../../core/notes/pending.ts'
import { ordersAny } from '../../core/recall/order.ts'
import { HOOK_WAIT_MS, type Store, stateEffect } from '../../kernel/memory/disk/store.ts'
import { type WorkItem, workName } from '../../kernel/memory/work-item.ts'
import { DELTA_FILE } from '../../kernel/platform/layout.ts'
import { once } from '../../kernel/text/once.ts'
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

/** Two words, two characters of a script without spaces, or a sign before a number. */
const SAYS = once(() => /\S\s+\S|[\u3040-\ud7af]{2}|\D\d/)
/** The beginning of a prompt is enough to decide. */
const BEGINNING = 500

export function isRecalling(store: Store): boolean {
  return store.config.recall === true && Number(store.config.recallMaxTokens) > 0 && store.isPrepared()
}

/** Whether loading the search code is worthwhile: not for a slash command, a single word that orders nothing, or an empty memory. */
export function mayRecall(store: Store, prompt: string): boolean {
  if (!isRecalling(store)) return false
  if (/^\s*\/[\w:-]+(?:\s|$)/.test(prompt)) return false
  const beginning = prompt.trim().slice(0, BEGINNING)
  return SAYS().test(beginning) || ordersAny(beginning)
}

/** Once for each work item, and again only when more of it became due. */
export function requestFor({ store, world, tryTo }: Moment, way: () => Way): string {
  const state = store.readState()
  if (state.work.length === 0) return ''
  const asked = toAskFor(state, workForClaude(state, way(), store.config.summarizer))
  if (asked.length === 0) return ''
  const mark = (): void => store.perform([stateEffect(markAsked(store.readState(), asked))])
  world.later(() => tryTo('request', () => store.whileLocked(HOOK_WAIT_MS, mark), null))
  return renderRequest(asked, (each) => argOf(store, each))
}

/** The argument of the skill: a file to read, or the name of the work item for the tools. */
export function argOf(store: Store, item: WorkItem): string {
  if (item.kind === 'note') return path.join(store.dir, DELTA_FILE)
  return item.kind === 'summary' ? path.join(store.dir, item.about) : workName(item)
}
