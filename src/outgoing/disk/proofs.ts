/** Places in sessions, looked up: what stands there, and whose words they are. */

import { speakerOf } from '../../knowledge/evidence.ts'
import type { Speaker } from '../../knowledge/fact.ts'
import { factWords, shareOfWords } from '../../knowledge/fact-similar.ts'
import type { SaidAgain } from '../../knowledge/reflection.ts'
import { mayBePasted } from '../../knowledge/typed-text.ts'
import type { Store } from '../../memory/disk/store.ts'
import { id8OfFile } from '../../platform/layout.ts'
import { readSession } from '../../sessions/disk/lineage.ts'
import { sessionFiles } from '../../sessions/disk/sessions.ts'
import { sentencesOf } from '../../text/sentences.ts'
import type { Entry, Tombstone } from '../../transcript/session.ts'
import type { Place } from '../recurring.ts'

/** Fewer words in common with what is looked for: the sentence is about something else. */
const ABOUT_SAME = 0.4
/** So many words of somebody's in the same order as in a tool's output before: copied from there. */
const COPIED_WORDS = 5

/** Looks a place up by the words given there, or by what is said about `text`; null: nothing of it stands there. */
export type Look = (place: Place, text: string) => SaidAgain | null

/** Each session is read once, and where it lies is looked up once. */
export function lookIn(store: Store): Look {
  let files: ReadonlyMap<string | null, string> | null = null
  const fileOf = (id8: string): string | undefined => {
    files ??= new Map(sessionFiles(store).map((file) => [id8OfFile(file), file]))
    return files.get(id8)
  }
  const sessions = new Map<string, readonly (Entry | Tombstone)[]>()
  const entriesOf = (id8: string): readonly (Entry | Tombstone)[] => {
    const known = sessions.get(id8)
    if (known !== undefined) return known
    const file = fileOf(id8)
    const entries = file === undefined ? [] : readSession(store, file)
    sessions.set(id8, entries)
    return entries
  }
  return (place, text) => {
    const entries = entriesOf(place.session)
    const entry = entries[place.entry]
    if (entry === undefined || entry.role === 'tombstone') return null
    const quote = quoteIn(entry, place.quote, text)
    if (quote === null) return null
    const by = isCopied(entries.slice(0, place.entry), quote) ? 'tool' : speakerOf(entry, quote)
    return { session: place.session, entry: place.entry, quote, by: harder(by, entry), at: entry.ts }
  }
}

/** A compaction's summary repeats what anybody may have said; what stands beside a paste may belong to it, so somebody is asked. */
function harder(by: Speaker, entry: Entry): Speaker {
  if (entry.role === 'user') return by === 'user' && mayBePasted(entry.text) ? 'assistant' : by
  return entry.role === 'assistant' ? by : 'tool'
}

function quoteIn(entry: Entry, quote: string, text: string): string | null {
  const said = 'text' in entry ? entry.text : `${entry.cmd}\n${entry.output ?? ''}`
  if (quote !== '' && said.includes(quote)) return quote
  const words = factWords(text)
  const wanted = quote === '' ? words : factWords(quote)
  let best: string | null = null
  let most = 0
  for (const { from, to } of sentencesOf(said)) {
    const sentence = said.slice(from, to)
    const own = factWords(sentence)
    const share = Math.max(shareOfWords(own, words), shareOfWords(own, wanted))
    if (share >= ABOUT_SAME && share > most) [best, most] = [sentence, share]
  }
  return best
}

/** What a tool printed before and somebody repeats is the tool's. */
function isCopied(before: readonly (Entry | Tombstone)[], quote: string): boolean {
  const wanted = plain(quote)
  if (wanted.split(' ').length < COPIED_WORDS) return false
  return before.some((entry) => 'output' in entry && entry.output !== undefined && plain(entry.output).includes(wanted))
}

function plain(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).join(' ')
}
