/** What a decision asks the store to do, as data: tests compare effects, `--dry-run` prints them. */

export type Effect =
  /** Replaces the whole file: temp, fsync, rename. */
  | { do: 'write'; path: string; text: string }
  /** The same for what is no text. */
  | { do: 'writeBytes'; path: string; bytes: Uint8Array }
  /** Adds lines at the end in one write. */
  | { do: 'append'; path: string; text: string }
  /** Makes the file `its first {at} bytes` + text: whatever a killed writer left behind that position goes. May run twice. */
  | { do: 'appendAt'; path: string; at: number; text: string }
  | { do: 'remove'; path: string }
