/** Splits prose into pieces: one per section of a page; long sections are cut at paragraphs. */

import { splitSentences } from '../../kernel/text/sentences.ts'
import { estimateTokens } from '../../kernel/text/tokens.ts'
import { fenceAfter, pageText } from './page.ts'

/** About 250 words of English, or as much in another script. */
const MAX_TOKENS = 340

/** One text per piece, each with the headings of its section. */
export function prosePieces(page: string): string[] {
  return sectionsOf(page).flatMap(({ path, text }) => {
    const head = path.filter((one) => one !== '').join(' › ')
    return cutProse(text).map((piece) => (head === '' ? piece : `${head}\n${piece}`))
  })
}

interface Section {
  /** The headings above it, its own last; without marks. */
  path: readonly string[]
  text: string
}

/** The content of a page, section by section; comments and headings without text are left out. */
function sectionsOf(page: string): Section[] {
  const sections: Section[] = []
  let path: string[] = []
  let ranks: number[] = []
  let lines: string[] = []
  let fence: string | null = null
  const end = (): void => {
    const text = lines.join('\n').trim()
    if (text !== '') sections.push({ path, text })
    lines = []
  }
  for (const line of pageText(page).split('\n')) {
    const heading = fence === null ? /^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$/.exec(line) : null
    fence = fenceAfter(line, fence)
    if (heading === null) {
      lines.push(line)
      continue
    }
    end()
    const rank = heading[1]?.length ?? 1
    const above = ranks.filter((one) => one < rank).length
    path = [...path.slice(0, above), heading[2] ?? '']
    ranks = [...ranks.slice(0, above), rank]
  }
  end()
  return sections
}

/** Cuts at paragraphs; a paragraph that is too long at its lines, then at its sentences. */
function cutProse(text: string): string[] {
  return join(text.split(/\n\s*\n/), '\n\n', (paragraph) =>
    join(paragraph.split('\n'), '\n', (line) => join(splitSentences(line), ' ', (sentence) => [sentence])),
  )
}

/** Joins neighbours while there is room; a part that is too long alone is passed to `cut`. */
function join(parts: readonly string[], between: string, cut: (part: string) => string[]): string[] {
  const pieces: string[] = []
  let piece = ''
  for (const part of parts) {
    if (part.trim() === '') continue
    const longer = piece === '' ? part : `${piece}${between}${part}`
    if (estimateTokens(longer) <= MAX_TOKENS) {
      piece = longer
      continue
    }
    if (piece !== '') pieces.push(piece)
    piece = ''
    if (estimateTokens(part) <= MAX_TOKENS) piece = part
    else pieces.push(...cut(part))
  }
  return piece === '' ? pieces : [...pieces, piece]
}
