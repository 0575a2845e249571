/** A person's prompt: injects what is remembered about it and was not injected yet. Usually nothing is. */

import { recallFor } from '../../core/recall/disk/recall.ts'
import { judgePrompt } from '../../core/recall/recall.ts'
import { keepInjectedRecall, keepRecall } from '../../core/receipts/disk/journal.ts'
import { type MayLag, openIndex } from '../../core/search/disk/memory-index.ts'
import type { HookEvent } from './host.ts'
import type { Moment } from './world.ts'

/** The time limit for updating the index; the rest is done after the turn. */
const INDEX_MS = 40

export function recallWithPrompt({ event, store, world, tryTo }: Moment): string {
  const { prompt, session } = event as Extract<HookEvent, { name: 'UserPromptSubmit' }>
  const began = world.elapsedMs()
  const { cacheDir } = store.places
  const open = (mayLag: MayLag) => openIndex(store, { cacheDir, now: world.now, budgetMs: INDEX_MS, mayLag })
  const recalled = recallFor(store, { prompt, session, host: world.hostPid }, open, judgePrompt)
  if (recalled === null) return ''
  const ms = Math.round((world.elapsedMs() - began) * 10) / 10
  const at = world.now()
  // If the receipt cannot be written, the text is still injected: twice is better than never.
  world.later(() => {
    tryTo('receipt', () => keepRecall(store, recalled, { at, session, ms }), undefined)
    if (recalled.text !== '')
      tryTo('receipt', () => keepInjectedRecall(store, { at, session, text: recalled.text }), undefined)
  })
  return recalled.text
}
