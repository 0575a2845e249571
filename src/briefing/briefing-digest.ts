/** A digest by structure, as lines for the model after a compaction. */

import { type StructureLine, structureLines } from '../notes/structure.ts'
import { textOnOneLine } from '../text/memory-words.ts'
import type { Numbered } from '../transcript/session.ts'
import type { Compacted } from './briefing-input.ts'

/** `room`: in characters. */
export function compactedFrom(entries: readonly Numbered[], room: number): Compacted {
  const lines = structureLines(entries, room)
  const told = lines.map((line) => ({ text: `- ${textOnOneLine(line.text)}`, reason: reasonOf(line) }))
  return { parts: [{ title: '', share: 1, lines: told }], lines: lines.map(({ text }) => text) }
}

function reasonOf({ n, source }: StructureLine): string {
  return `entry ${n}, ${source}`
}
