/** Text of somebody else, made safe to print. */

/** What somebody typed, as a message may repeat it: it cannot move a cursor. */
export function shown(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '�')
}
