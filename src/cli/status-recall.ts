/** The part of `status` about recall: how many prompts were looked at, and what went with them. */
import { dayOf } from '../core/memory-words.ts'
import { standingToTell } from '../core/standing-list.ts'
import { readRecalls } from '../store/recall-ledger.ts'
import { readStanding } from '../store/standing.ts'
import type { Store } from '../store/store.ts'
import { count } from './output.ts'

export interface RecallStatus {
  /** Prompts that were looked at, and those that something went with. */
  recalls: { today: number; firedToday: number; tokensToday: number; all: number; fired: number }
  /** Standing instructions that wait for the user's verdict. */
  standingInstructions: number
}

export function statusOfRecall(store: Store, now: string): RecallStatus {
  const all = readRecalls(store)
  const today = all.filter(({ at }) => dayOf(at) === dayOf(now))
  const fired = today.filter((receipt) => receipt.fired)
  return {
    recalls: {
      today: today.length,
      firedToday: fired.length,
      tokensToday: fired.reduce((sum, { tokens }) => sum + tokens, 0),
      all: all.length,
      fired: all.filter((receipt) => receipt.fired).length,
    },
    standingInstructions: standingToTell(readStanding(store)).length,
  }
}

/** Nothing before the first prompt was looked at, nothing while nobody said anything for good. */
export function renderRecallStatus({ recalls, standingInstructions: standing }: RecallStatus): string[][] {
  const { today, firedToday, tokensToday } = recalls
  const told = `${firedToday} of ${count(today, 'prompt')} today, ${count(tokensToday, 'token')}`
  return [
    ...(recalls.all === 0 ? [] : [['  recalled', `${told}: memory-keeper recall list`]]),
    ...(standing === 0 ? [] : [['  standing', `${count(standing, 'instruction')}: memory-keeper rules candidates`]]),
  ]
}
