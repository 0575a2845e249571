/** Who wrote a text: the authors that an agent's reader may give a transcript line, by the marks of that agent. */

/** The author recorded in every session entry. */
export type By = 'user' | 'assistant' | 'tool' | 'teammate' | 'machine'

/**
 * `unmarked`: the line has no mark, like every queue line. Its text is kept and authorises nothing.
 * `unknown`: the host's mark names a sender other than the user. The text is kept as a message of that sender.
 * `machine`: text of the host itself. It is dropped.
 */
export type Author = 'user' | 'teammate' | 'unknown' | 'unmarked' | 'machine'

/** The author of a line's text. `from`: the sender's name; `kindOfSender`: the kind of sender; both only if the host names them. */
export interface Written {
  author: Author
  from: string
  kindOfSender: string
}

/** For a line without text of its own: a tool's result. */
export const NOT_ASKED: Written = { author: 'machine', from: '', kindOfSender: '' }

/** The host's record of a tool use that did not run. `byUser` null: the host does not record it. */
export interface Denial {
  byUser: boolean | null
  /** The comment that the user typed with the refusal. */
  comment: string | null
}
