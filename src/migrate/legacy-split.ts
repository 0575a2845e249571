/** An oversized memory (all of v13 before rotation, and what grew beside it) → archives on the borders of notes. */

import { parseMemory } from '../memory/note.ts'
import { planRotation, type RotationLimits } from '../notes/rotation.ts'
import { isArchiveFile } from '../platform/layout.ts'
import { formatStamp } from '../platform/time.ts'
import { estimateTokens } from '../text/tokens.ts'
import { cutLongBlocks } from './legacy-note.ts'

export interface ArchivesThere {
  names: readonly string[]
  /** What a file of this name holds; null: there is none. */
  textOf: (file: string) => string | null
}

export interface SplitMemory {
  /** All of it, with borders where rotation needs them: written first, so that a kill in between loses no border. */
  whole: string
  /** Oldest first. */
  archives: { file: string; text: string }[]
  memory: string
}

/** `now` names archives whose notes have no date. A piece that stands in an archive already keeps that one's name. */
export function splitMemory(text: string, limits: RotationLimits, now: string, known: ArchivesThere): SplitMemory {
  const whole = estimateTokens(text) > limits.fullTokens ? cutLongBlocks(text, limits.fullTokens) : text
  const rotation = planRotation(whole, limits)
  if (rotation === null) return { whole, archives: [], memory: whole }
  const taken = new Map<string, string>()
  const archives = chunksOf(rotation.archive, limits.fullTokens).map((chunk) => {
    const same = known.names.find((name) => known.textOf(name) === chunk)
    if (same !== undefined) return { file: same, text: chunk }
    const at = parseMemory(chunk).findLast(({ note }) => note !== null)?.note?.at ?? now
    const file = freeName(`memory_${formatStamp(at)}.md`, chunk, (name) => taken.get(name) ?? known.textOf(name))
    taken.set(file, chunk)
    return { file, text: chunk }
  })
  return { whole, archives, memory: rotation.memory }
}

/** An archive in pieces that each stay below the limit; the first keeps its name. */
export function splitArchive(
  file: string,
  text: string,
  maxTokens: number,
  textOf: (file: string) => string | null,
): { file: string; text: string }[] {
  const [first = '', ...rest] = chunksOf(cutLongBlocks(text, maxTokens), maxTokens)
  const taken = new Map<string, string>([[file, first]])
  const others = rest.map((chunk) => {
    const name = freeName(file, chunk, (one) => taken.get(one) ?? textOf(one))
    taken.set(name, chunk)
    return { file: name, text: chunk }
  })
  return [{ file, text: first }, ...others]
}

/** This name, or with a number behind it: one that is free, or holds the same text already. */
export function freeName(file: string, text: string, textOf: (file: string) => string | null): string {
  const stem = file.replace(/\.md$/, '').replace(/^(memory_\d{8}_\d{6})_\d+$/, '$1')
  for (let n = 1; ; n++) {
    const name = n === 1 ? file : `${stem}_${n}.md`
    const there = textOf(name)
    if (isArchiveFile(name) && (there === null || there === text)) return name
  }
}

function chunksOf(text: string, maxTokens: number): string[] {
  const chunks: string[] = []
  let chunk = ''
  let tokens = 0
  for (const { raw } of parseMemory(text)) {
    const more = estimateTokens(raw)
    if (chunk !== '' && tokens + more > maxTokens) {
      chunks.push(chunk)
      chunk = ''
      tokens = 0
    }
    chunk += raw
    tokens += more
  }
  return chunk === '' ? chunks : [...chunks, chunk]
}
