/** Headings of a text in Markdown. */

const HEADING = /^\s{0,3}#{1,6}\s+(\S.*)$/
const BOLD_LINE = /^\s*(?:\*\*|__)([^*_]+)(?:\*\*|__):?\s*$/

/** The words of a line that is a heading. */
export function headingOn(line: string): string | undefined {
  return HEADING.exec(line)?.[1] ?? BOLD_LINE.exec(line)?.[1]
}
