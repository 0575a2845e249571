/** A line that is told to a model: its author is a field. The mark that names the author is written when the line is told. */

import type { NamedAuthor } from '../../kernel/memory/document.ts'
import type { NoteAuthor } from '../../kernel/memory/note.ts'
import { quotedWords, textOnOneLine } from '../../kernel/text/memory-words.ts'

/** `keeper`: derived by us from structure; it repeats nobody's words. `note`: a line of memory.md, quoted. */
export type TellBy = 'user' | 'unknown' | 'claude' | 'tool' | 'note' | 'keeper'

export type TellKind =
  | 'asked'
  | 'refused'
  | 'answered'
  | 'plan'
  | 'failed'
  | 'ran'
  | 'found'
  | 'answer'
  | 'commit'
  | 'opened'
  | 'end'
  | 'note'
  | 'report'

export interface AuthoredLine {
  by: TellBy
  kind: TellKind
  text: string
  /** What a refusal, an answer, a plan or a note is about. */
  about?: string
  /** The session and entry that it comes from: `1a2b3c4d#5`. */
  source: string
}

/** Of a note, a state or an item, by the author that is stored with it. */
export function authorNamed(author: NoteAuthor | 'code'): NamedAuthor {
  if (author === 'unknown') return 'author unknown'
  return author === 'user' ? 'the user' : author === 'extractive' || author === 'code' ? 'code' : 'Claude'
}

/** A line of a list: its name and day, who says it, then the words. */
export function listedLine(name: string, by: NamedAuthor, text: string): string {
  return `- ${textOnOneLine(name)} (${textOnOneLine(by)}): ${textOnOneLine(text)}`
}

/** Before the words of a model that no audit can judge any more. */
export const NOT_AUDITED = '(not audited) '

/** How much a mark takes besides the text: the longest mark, its quotes, the indentation and the line break. */
export const MARK_CHARS = 14

/** The line with its author's mark. The text cannot contain a mark of its own line: everything behind the first one is its text. */
export function writtenLine({ by, kind, text, about = '' }: AuthoredLine): string {
  const words = textOnOneLine(text)
  const what = textOnOneLine(about)
  switch (kind) {
    case 'asked':
      return `${by === 'user' ? 'User' : 'Prompt'}: ${words}`
    case 'refused':
      return `User refused ${what}${words === '' ? '' : `: ${words}`}`
    case 'answered':
      // Claude writes the answers to choose from, too.
      return `User, asked "${what.replaceAll('"', "'")}": ${words.replaceAll('"', "'")}`
    case 'plan':
      return `Carried out the approved plan "${what.replaceAll('"', "'")}"${words === '' ? '' : `: ${words}`}`
    case 'found':
      return `Claude found: ${words}`
    case 'answer':
      return `Claude: ${words}`
    case 'commit':
      return `Committed ${words}`
    case 'opened':
      return `Opened ${words}`
    case 'failed':
      return `Failed: ${words}`
    case 'ran':
      return `Ran: ${words}`
    case 'note':
      return `Note (${what}): ${words}`
    case 'report':
      return `Report of an agent: ${quotedWords(words)}`
    case 'end':
      return words
  }
}
