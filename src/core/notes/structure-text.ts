/** Prepares texts of people and Claude for a digest by structure. */

import { perObject } from '../../kernel/text/once.ts'
import { stemsOf } from '../../kernel/text/words.ts'
import type { Numbered } from '../../kernel/transcript/session.ts'

/** Longer code blocks are left out, unless the text contains nothing else. */
const MOST_CODE_LINES = 6

const FENCE = /^ {0,3}(`{3,}|~{3,})/

export function proseOf(text: string): string {
  if (!text.includes('```') && !text.includes('~~~')) return text.trim()
  const kept: string[] = []
  let block: string[] | null = null
  let fence = ''
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line)?.[1] ?? ''
    if (block === null && mark === '') kept.push(line)
    else if (block === null) [block, fence] = [[line], mark]
    else {
      block.push(line)
      if (!mark.startsWith(fence)) continue
      if (block.length - 2 <= MOST_CODE_LINES) kept.push(...block)
      block = null
    }
  }
  // A fence that never ends contains the rest.
  if (block !== null && block.length - 1 <= MOST_CODE_LINES) kept.push(...block)
  const prose = kept.join('\n').trim()
  return prose === '' ? text.trim() : prose
}

const DOCUMENT = /^(?:(`{3,})[^\n`]*\n(?<fenced>[\s\S]*)\n\1|<(\w+)>(?<tagged>[\s\S]*)<\/\3>|(?<json>\{[\s\S]*\}))$/

/** The content of a text that is nothing but one fenced block, one tagged text or one JSON object, on one line; otherwise empty. */
export function documentIn(text: string): string {
  const { fenced = '', tagged = '', json = '' } = DOCUMENT.exec(text.trim())?.groups ?? {}
  return fenced.includes('\n```') ? '' : onOneLine(fenced || tagged || json)
}

/** Each paragraph on one line. */
export function paragraphsOf(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .map(onOneLine)
    .filter((paragraph) => paragraph !== '')
}

export function isQuestionMarked(text: string): boolean {
  return /[?？؟]["'”’)\]*_`]*$/.test(text.trim())
}

export function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** The stems of an entry's text or command. Cached: a digest is made in several sizes, and its sources read the same entries. */
export const stemsIn = perObject((entry: Numbered['entry']): ReadonlySet<number> => {
  if (entry.role === 'tombstone') return new Set()
  return new Set(stemsOf('text' in entry ? entry.text : entry.cmd))
})

/** Tools whose argument is the file that they change. */
export const EDITS: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit'])

/** In plan mode Claude writes the plan into a file of the host's: no change of the project. */
export function isPlanFile({ name, cmd }: { name: string; cmd: string }): boolean {
  return EDITS.has(name) && /[\\/]\.claude[\\/]plans[\\/]/.test(cmd)
}

/** A line of the digest, and the entry it comes from. */
export interface Line {
  text: string
  n: number
}

/** Groups files by directory, so that all of them can be named. */
export function namesOf(changed: readonly (readonly [string, { times: number; isRemoved: boolean }])[]): string {
  const byDir = new Map<string, string[]>()
  for (const [file, { times, isRemoved }] of changed) {
    const mark = times > 1 && !isRemoved ? ` (${times}×)` : ''
    const at = Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1
    const names = byDir.get(file.slice(0, at)) ?? []
    byDir.set(file.slice(0, at), [...names, `${file.slice(at)}${mark}`])
  }
  const lists = [...byDir].map(([dir, names]) =>
    names.length === 1 ? `${dir}${names[0]}` : dir === '' ? names.join(', ') : `${dir}{${names.join(', ')}}`,
  )
  return lists.join(', ')
}
