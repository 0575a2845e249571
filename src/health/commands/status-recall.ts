/** The part of `status` about search and recall: the index, how many prompts were looked at, and what went with them. */

import { bytes, count, fitted, warning } from '../../memory/commands/output.ts'
import type { Store } from '../../memory/disk/store.ts'
import { readStanding } from '../../outgoing/disk/standing.ts'
import { standingToTell } from '../../outgoing/standing-list.ts'
import { readRecalls } from '../../receipts/disk/recall-ledger.ts'
import { type IndexLook, lookAtIndex } from '../../search/disk/index/look.ts'
import { dayOf } from '../../text/memory-words.ts'

export interface RecallStatus {
  searchIndex: IndexLook
  recallOn: boolean
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
    searchIndex: lookAtIndex(store),
    recallOn: store.config.recall === true,
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

/** No line while nobody said anything for good. */
export function renderRecallStatus(status: RecallStatus, room: number): string[][] {
  const { standingInstructions: standing } = status
  return [
    ['  recall', renderRecall(status, room)],
    ...(standing === 0 ? [] : [['  standing', `${count(standing, 'instruction')}: memory-keeper rules candidates`]]),
    ['  search index', renderIndex(status.searchIndex)],
  ]
}

function renderRecall({ recallOn, recalls }: RecallStatus, room: number): string {
  if (!recallOn) return 'off: memory-keeper config set recall true'
  if (recalls.all === 0) return 'on, no prompt was looked at yet'
  const { today, firedToday, tokensToday } = recalls
  return fitted(
    [
      `on, ${firedToday} of ${count(today, 'prompt')} today, ${count(tokensToday, 'token')}`,
      'memory-keeper recall list',
    ],
    room,
    ': ',
  )
}

const ENGINES = { fts5: 'FTS5', scan: 'a plain scan' } as const

function renderIndex(look: IndexLook): string {
  switch (look.is) {
    case 'unreadable':
      return warning('cannot be read: memory-keeper doctor')
    case 'sound':
      return `${count(look.documents, 'document')}, ${ENGINES[look.engine]}, ${bytes(look.bytes)}`
    case 'missing':
      return 'made with the first search'
    case 'nowhere':
      return 'in memory, for each search anew: there is no cache directory'
    case 'newer':
      return 'made by a newer version: left alone, each search makes its own'
    default:
      return 'made anew with the next search'
  }
}
