/** Sentences of a model and the entries that it names for them: which of them may be kept, and whose text shows them. */

import { visibleLine } from '../../kernel/text/memory-words.ts'
import type { Numbered } from '../../kernel/transcript/session.ts'
import { isAboutUserByOthers, sourceOfEntry } from '../knowledge/evidence.ts'
import type { ShownSentence } from '../knowledge/headless-facts.ts'

/** Those that may be kept, with the tool whose text shows them. */
export function shownSentences(all: readonly ShownSentence[], entries: readonly Numbered[]): ShownSentence[] {
  return all.filter((one) => isShown(one, entries)).map((one) => withSource(one, entryAt(entries, one.entry)))
}

/** What is said about the user needs the user's entry. Of a plain note the entries are not known: the audit decides. */
export function isShown({ text, entry, user }: ShownSentence, entries: readonly Numbered[]): boolean {
  return (entry === null && user === undefined) || !isAboutUserByOthers(text, entryAt(entries, user ?? entry))
}

function entryAt(entries: readonly Numbered[], wanted: number | null): Numbered['entry'] | undefined {
  return entries.find(({ n }) => n === wanted)?.entry
}

/** With the tool whose text shows it: `(from WebFetch)`. */
function withSource(one: ShownSentence, entry: Numbered['entry'] | undefined): ShownSentence {
  const source = sourceOfEntry(entry)
  if (source === null || one.text === '') return one
  const [, words = one.text, end = ''] = /^([\s\S]*?)([.!?。！？]*)$/u.exec(one.text) ?? []
  return { ...one, text: `${words} (from ${visibleLine(source)})${end || '.'}` }
}
