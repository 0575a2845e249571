/** What is remembered about a person's prompt, a failed command or the task of an agent, and was not injected yet. Usually nothing is. */

import { type Recalled, recallAbout, recallFor } from '../../core/recall/disk/recall.ts'
import { findFailure } from '../../core/recall/failure.ts'
import { judgePrompt } from '../../core/recall/recall.ts'
import { findReport } from '../../core/recall/report.ts'
import { keepInjectedRecall, keepRecall } from '../../core/receipts/disk/journal.ts'
import { type MayLag, openIndex, type SearchIndex } from '../../core/search/disk/memory-index.ts'
import { taskOfAgent } from './host.ts'
import type { Moment } from './world.ts'

/** The time limit for updating the index; the rest is done after the turn. */
const INDEX_MS = 40

export function recallForEvent(moment: Moment): string {
  const { store, world, tryTo } = moment
  const { session } = moment.event
  const began = world.elapsedMs()
  const { cacheDir } = store.places
  const open = (mayLag: MayLag) => openIndex(store, { cacheDir, now: world.now, budgetMs: INDEX_MS, mayLag })
  const recalled = recalledFor(moment, open)
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

function recalledFor({ event, store, world }: Moment, open: (mayLag: MayLag) => SearchIndex): Recalled | null {
  const { session } = event
  const host = world.hostPid
  if (event.name === 'UserPromptSubmit')
    return recallFor(store, { prompt: event.prompt, session, host }, open, judgePrompt)
  if (event.name === 'PostToolUseFailure')
    return recallAbout(store, { session, host }, open, (memory) => findFailure(event, memory))
  const task = taskOfAgent(event)
  return task === null ? null : recallAbout(store, { session, host }, open, (memory) => findReport(task, memory))
}
