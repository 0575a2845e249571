/** Receipts (what sessions were told, and what was changed by hand) without what is forgotten: line by line, record by record. */
import { type Forgetting, type Outcome, unchanged } from '../forget/forget-context.ts'
import { isObject, parseObject } from '../platform/json.ts'
import { formatWhy, parseWhy } from '../receipts/told.ts'
import { cutWholeLines, textsIn } from './forget-cut.ts'
import { isOurLine } from './forget-ours.ts'

const WHY = '.why.json'

/** `textOf`: what another file beside it holds. */
export function forgetReceipt(
  file: string,
  text: string,
  textOf: (file: string) => string | null,
  about: Forgetting,
): Outcome {
  if (file.endsWith(WHY)) return inWhy(text, textOf(`${file.slice(0, -WHY.length)}.txt`), about)
  if (/\.jsonl?$/.test(file)) return inRecords(file, text, about)
  const { left, gone } = cutReceipt(text, about)
  if (gone.length === 0) return unchanged(text)
  return {
    text: left.split('\n').every((line) => line.trim() === '' || isOurLine(line)) ? null : left,
    gone: gone.map((one) => ({ id: file, kind: 'receipt', text: one })),
  }
}

function cutReceipt(text: string, about: Forgetting): { left: string; gone: string[] } {
  const isOut = (line: string): boolean => about.isTold(line) || tellsOfLost(line, about)
  return cutWholeLines(text, isOut, about.isAsked)
}

/** `- d001: …`, or a note by its id wherever it stands. */
function tellsOfLost(line: string, { lost }: Forgetting): boolean {
  if (lost.size === 0) return false
  const head = /^- \[?([a-z]\d+)(?![\w-])/.exec(line)?.[1]
  const notes = line.match(/(?<![\w-])n-[\w-]+/g) ?? []
  return [head, ...notes].some((id) => id !== undefined && lost.has(id.toLowerCase()))
}

/** Why each line is there: kept for the lines that stay, so that it still fits the text beside it. */
function inWhy(kept: string, told: string | null, about: Forgetting): Outcome {
  const lines = told === null ? null : parseWhy(kept, told)
  if (told === null || lines === null) return inLoneWhy(kept, about)
  const left = lines.flatMap((line) => {
    const { left: text, gone } = cutReceipt(line.text, about)
    if (gone.length > 0 && text.trim() === '') return []
    return [{ ...line, text, reason: about.isTold(line.reason) ? '' : line.reason }]
  })
  const next = formatWhy(cutReceipt(told, about).left, left)
  return next === formatWhy(told, lines) ? unchanged(kept) : { text: next, gone: [] }
}

/** It fits no text any more: nobody reads it, and it stays only if it says nothing of it. */
function inLoneWhy(kept: string, about: Forgetting): Outcome {
  const raw = parseObject(kept)
  const isOut = (raw === null ? [kept] : textsIn(raw)).some(about.isTold)
  return isOut ? { text: null, gone: [] } : unchanged(kept)
}

/** One record a line: it goes as a whole. */
function inRecords(file: string, text: string, about: Forgetting): Outcome {
  const gone: string[] = []
  const lines = text.split('\n').filter((line) => {
    const value = line === '' ? null : parseObject(line)
    const isOut = value === null ? about.isTold(line) : isRecordOut(value, about)
    if (isOut) gone.push(line)
    return !isOut
  })
  if (gone.length === 0) return unchanged(text)
  const left = lines.join('\n')
  return {
    text: left.trim() === '' ? null : left,
    gone: gone.map((one) => ({ id: file, kind: 'receipt', text: saidIn(one, about) })),
  }
}

function isRecordOut(record: Readonly<Record<string, unknown>>, about: Forgetting): boolean {
  const named = [record.touched, record.shown].flatMap((list) => (Array.isArray(list) ? list : []))
  const ids = named.flatMap((one) => (isObject(one) && typeof one.id === 'string' ? [one.id] : []))
  if (ids.some((id) => about.lost.has(id.toLowerCase()) || about.isAsked(id))) return true
  return textsIn(record).some((text) => cutReceipt(text, about).gone.length > 0)
}

/** A part of what a record says, for a preview. */
function saidIn(line: string, about: Forgetting): string {
  const texts = textsIn(parseObject(line) ?? line).flatMap((text) => text.split('\n'))
  return texts.find((text) => about.isTold(text)) ?? ''
}
