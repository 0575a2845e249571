/** Where the work stands: how the newest session of a branch ended in which a person typed. */

import { newestStored } from '../../../kernel/memory/disk/settled.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import type { SessionState } from '../../../kernel/memory/session-state.ts'
import { allSessions, type State } from '../../../kernel/memory/state.ts'
import { id8OfFile } from '../../../kernel/platform/layout.ts'
import { entriesAtEnd } from '../../../kernel/sessions/disk/session-end.ts'
import { compareText, quotedWords } from '../../../kernel/text/memory-words.ts'
import { estimateTokens } from '../../../kernel/text/tokens.ts'
import { entryId } from '../../../kernel/transcript/session.ts'
import { chaptersOf } from '../../notes/chapters.ts'
import { type Story, storyOf } from '../../notes/story.ts'
import { isQuestionMarked } from '../../notes/structure-text.ts'
import { unitsOf } from '../../notes/units.ts'
import { readForeign } from '../../others/disk/others.ts'
import { STANDS_ID } from '../../others/others.ts'
import { authorNamed } from '../../receipts/authored-line.ts'
import { wholeIn } from '../closing.ts'
import type { Recollection, Remembrance } from '../remembrance.ts'
import type { RecallContext } from './recall-context.ts'

/** Sessions that nobody typed in come before: so many are read at most. */
const MOST_READ = 4
const MOST_BYTES = 1024 * 1024
/** The end of an answer says what is left. */
const END_TOKENS = 80

/** Earlier ones are not looked through at a prompt. */
const MOST_SESSIONS = 400

/** By their last entry, newest first. */
export function newestKnown(store: Store, state: State): SessionState[] {
  return allSessions({ sessions: newestStored(store.dir, state, MOST_SESSIONS) })
    .map(([, session]) => session)
    .toSorted((a, b) => compareText(b.refine.ts, a.refine.ts) || compareText(b.file, a.file))
}

export function standingIn(store: Store, state: State, context: RecallContext): Remembrance['standing'] {
  return (branch, most) => {
    const others = newestKnown(store, state)
      .filter(({ file }) => !context.some(({ id8 }) => id8 === id8OfFile(file)) && id8OfFile(file) !== null)
      .filter(({ refine }) => branch === null || refine.branch === branch)
    if (others.length > most) return null
    for (const session of others.slice(0, MOST_READ)) {
      const pick = endOf(store, session)
      if (pick !== null) return pick
    }
    return most === Number.POSITIVE_INFINITY ? elsewhere(store) : null
  }
}

/** Null: nobody typed in it, or no answer closed a turn. A model's audited words stand for the whole session. */
function endOf(store: Store, session: SessionState): Recollection | null {
  const id8 = id8OfFile(session.file) ?? ''
  const story = storyOf(id8, entriesAtEnd(store, session, MOST_BYTES))
  if (story.isHeadless) return null
  const { stands, refine } = session
  const about = { at: story.to, state: '', branch: story.branch || refine.branch }
  if (stands !== undefined && stands.by !== 'extractive' && stands.to >= session.entries)
    return whole({ ...about, id: id8, kind: 'session', by: authorNamed(stands.by) }, [stands.text])
  const last = lastAnswer(story)
  return last === null ? null : whole({ ...about, id: entryId(id8, last.n), kind: 'answer' }, last.sentences)
}

function whole(source: Recollection['source'], sentences: readonly string[]): Recollection {
  return { source, score: 1, sentences, from: 0 }
}

/** Of the last turn that did work, or that talked, the end of the answer that closed it. */
function lastAnswer(story: Story): { n: number; sentences: string[] } | null {
  for (const { answer, answerN, isMade } of chaptersOf(story).toReversed()) {
    const all = isMade ? [] : wholeIn(unitsOf(answer)).filter((one) => !isQuestionMarked(one))
    let from = all.length
    while (from > 0 && estimateTokens(all.slice(from - 1).join(' ')) <= END_TOKENS) from--
    if (from < all.length) return { n: answerN, sentences: all.slice(from) }
  }
  return null
}

/** The user's other machines, where this one has worked on nothing. */
function elsewhere(store: Store): Recollection | null {
  const [row] = readForeign(store).machines.filter(({ id }) => id.startsWith(STANDS_ID))
  if (row === undefined) return null
  const { who, id, at, text } = row
  return whole({ id: `${who}:${id}`, at, kind: 'session', state: `of ${who}`, by: `from ${quotedWords(who)}` }, [text])
}
