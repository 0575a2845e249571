/** Writes that a decision asks the store to perform, as data: tests compare effects, `--dry-run` prints them. */

export type Effect =
  /** Replaces the whole file: temp, fsync, rename. */
  | { do: 'write'; path: string; text: string }
  /** The same for binary content. */
  | { do: 'writeBytes'; path: string; bytes: Uint8Array }
  /** Adds lines at the end in one write. */
  | { do: 'append'; path: string; text: string }
  /** Replaces everything behind the first `at` bytes with the text, including the remains of a killed writer. May run twice. */
  | { do: 'appendAt'; path: string; at: number; text: string }
  | { do: 'remove'; path: string }
