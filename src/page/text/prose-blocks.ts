/** The blocks of a plain text with a little markdown: headings, lists, code, quotes, and paragraphs as they stand. */

export type ProseBlock =
  | { is: 'heading'; level: number; text: string }
  | { is: 'list'; items: { text: string; depth: number; mark: string }[] }
  | { is: 'code'; text: string }
  | { is: 'quote'; text: string }
  /** `Asked: …`, `Changed: …`: what notes found by code are made of. */
  | { is: 'labelled'; lines: { label: string; text: string }[] }
  | { is: 'text'; text: string }

const FENCE = /^ {0,3}(?:```|~~~)/
const HEADING = /^(#{1,6})\s+(.+)$/
const ITEM = /^(\s*)([-*+]|\d{1,3}[.)])\s+(.*)$/

export function blocksOf(text: string): ProseBlock[] {
  const blocks: ProseBlock[] = []
  const lines = text.split(/\r?\n/)
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? ''
    if (FENCE.test(line)) {
      const end = lines.findIndex((one, n) => n > i && FENCE.test(one))
      blocks.push({ is: 'code', text: lines.slice(i + 1, end < 0 ? lines.length : end).join('\n') })
      i = end < 0 ? lines.length : end
    } else addLine(blocks, line)
  }
  return blocks.filter((block) => block.is !== 'text' || block.text.trim() !== '').map(labelled)
}

const LABEL = /^(\p{Lu}[\p{L} ]{1,15}): (.+)$/u

/** Two lines with a label or more; a line without one goes on with the one before it. */
function labelled(block: ProseBlock): ProseBlock {
  if (block.is !== 'text') return block
  const lines = block.text.split('\n')
  const found = lines.filter((line) => LABEL.test(line)).length
  if (found < 2 || !LABEL.test(lines[0] ?? '')) return block
  const made: { label: string; text: string }[] = []
  for (const line of lines) {
    const [, label, text] = LABEL.exec(line) ?? []
    const last = made.at(-1)
    if (label !== undefined && text !== undefined) made.push({ label, text })
    else if (last !== undefined) last.text += `\n${line}`
  }
  return { is: 'labelled', lines: made }
}

function addLine(blocks: ProseBlock[], line: string): void {
  const last = blocks.at(-1)
  const heading = HEADING.exec(line)
  const item = ITEM.exec(line)
  if (heading !== null) blocks.push({ is: 'heading', level: heading[1]?.length ?? 1, text: heading[2] ?? '' })
  else if (item !== null) {
    const made = {
      text: item[3] ?? '',
      depth: Math.min(2, Math.floor((item[1]?.length ?? 0) / 2)),
      mark: markOf(item[2]),
    }
    if (last?.is === 'list') last.items.push(made)
    else blocks.push({ is: 'list', items: [made] })
  } else if (/^>\s?/.test(line)) {
    const text = line.replace(/^>\s?/, '')
    if (last?.is === 'quote') last.text += `\n${text}`
    else blocks.push({ is: 'quote', text })
  } else if (last?.is === 'text' && line.trim() !== '') last.text += last.text === '' ? line : `\n${line}`
  else if (last?.is === 'list' && /^\s+\S/.test(line)) {
    const open = last.items.at(-1)
    if (open !== undefined) open.text += `\n${line.trim()}`
  } else blocks.push({ is: 'text', text: line })
}

function markOf(mark = '-'): string {
  return /\d/.test(mark) ? mark : '–'
}
