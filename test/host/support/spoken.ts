/** What was said in all transcripts of a world, read without any code of ours, and what of it the sessions hold. */
import { readFileSync } from 'node:fs'
import { memoryDir, memoryOf } from './memory.ts'
import type { World } from './world.ts'

interface Line {
  type?: string
  uuid?: string
  isMeta?: boolean
  message?: { content?: string | { type: string; text?: string }[] }
}

/** Each prompt and each answer once, sorted: a fork copies lines with their uuid. */
export function spokenIn(world: World): string[] {
  const spoken = new Map<string, string>()
  for (const path of world.transcripts()) {
    for (const text of readFileSync(path, 'utf8').split('\n')) {
      const line = (text === '' ? {} : JSON.parse(text)) as Line
      if ((line.type !== 'user' && line.type !== 'assistant') || line.isMeta === true) continue
      const content = line.message?.content ?? []
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
      for (const [n, block] of blocks.entries())
        if (block.type === 'text') spoken.set(`${line.uuid} ${n}`, `${line.type}: ${block.text}`)
    }
  }
  return [...spoken.values()].sort()
}

/** The same of all session files, as often as it stands there. */
export function keptIn(world: World): string[] {
  return memoryOf(memoryDir(world))
    .flatMap(({ entries }) => entries)
    .flatMap((entry) =>
      'text' in entry && (entry.role === 'user' || entry.role === 'assistant') ? [`${entry.role}: ${entry.text}`] : [],
    )
    .sort()
}
