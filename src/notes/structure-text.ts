/** Texts of people and Claude as a digest by structure reads them. */

/** Code of more than so many lines is left out, unless the text is nothing else. */
const MOST_CODE_LINES = 6

export function proseOf(text: string): string {
  const prose = text.replace(
    /^ *(`{3,}|~{3,})[^\n]*\n([\s\S]*?)(?:^ *\1[^\n]*$|$(?![\s\S]))/gm,
    (block, _, code: string) => (code.split('\n').length - 1 > MOST_CODE_LINES ? '' : block),
  )
  return (prose.trim() === '' ? text : prose).trim()
}

/** On one line each. */
export function paragraphsOf(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .map(oneLine)
    .filter((paragraph) => paragraph !== '')
}

export function isQuestionMarked(text: string): boolean {
  return /[?？؟]["'”’)\]*_`]*$/.test(text.trim())
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Tools whose argument is the file that they change. */
export const EDITS: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit'])
