/** Decisions in a table of an answer: the column that is headed so, with what it is about and why. */
import { plain } from '../text/plain.ts'
import { wordCount } from './digest-words.ts'

interface Row {
  text: string
  /** The row as it stands in its entry. */
  quote: string
  from: number
  /** The reason, as a sentence behind it. */
  after: string
}

const DECIDED =
  /^(?:(?:our |final |key )?(?:decisions?|decided|chosen|choice)(?: made| taken)?|결정(?: ?사항| ?내용)?|선택(?:한 것)?|決定|决定|entscheidung)$/i
const ABOUT = /^(?:topic|subject|question|area|issue|item|what|point|주제|항목|질문|영역|テーマ|主题|thema)$/i
const WHY = /^(?:reason|why|rationale|because|이유|근거|사유|理由|原因|grund|begründung)$/i
const RULE = /^\s*\|?(?:\s*:?-{2,}:?\s*\|)+\s*:?-*:?\s*\|?\s*$/

export function decisionRows(text: string): Row[] {
  const rows: Row[] = []
  const lines = [...text.matchAll(/^[ \t]*\|.*$/gm)]
  let head: { decided: number; about: number; why: number } | null = null
  let end = -1
  lines.forEach((line, i) => {
    // A line that does not follow the one before begins another table.
    if (line.index !== end + 1) head = null
    end = line.index + line[0].length
    if (RULE.test(line[0])) return
    const cells = cellsOf(line[0])
    if (head === null) {
      const decided = cells.findIndex((cell) => DECIDED.test(cell))
      if (decided < 0 || !RULE.test(lines[i + 1]?.[0] ?? '')) return
      head = {
        decided,
        about: cells.findIndex((cell) => ABOUT.test(cell)),
        why: cells.findIndex((cell) => WHY.test(cell)),
      }
      return
    }
    const row = rowOf(cells, head)
    const quote = line[0].trim()
    if (row !== null) rows.push({ ...row, quote, from: line.index + line[0].indexOf(quote) })
  })
  return rows
}

function cellsOf(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => plain(cell.trim()))
}

function rowOf(
  cells: readonly string[],
  head: { decided: number; about: number; why: number },
): Pick<Row, 'text' | 'after'> | null {
  const [decided, about, why] = [cells[head.decided] ?? '', cells[head.about] ?? '', cells[head.why] ?? '']
  const text = about === '' ? decided : `${about}: ${decided}`
  if (decided === '' || /^(?:tbd|todo|open|pending|-|–|\?|미정|보류)/i.test(decided) || wordCount(text) < 3) return null
  return { text, after: why === '' ? '' : `Because ${why}` }
}
