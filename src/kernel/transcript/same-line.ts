/** Whether a text is an order that somebody typed, but for spaces and characters that nobody sees. */

/** The host may trim a line, or take away characters that nobody sees. */
export function isSameLine(text: unknown, order: string): boolean {
  return typeof text === 'string' && squeezed(text) === squeezed(order)
}

function squeezed(text: string): string {
  return text.replace(/[\s\p{C}]+/gu, '')
}
