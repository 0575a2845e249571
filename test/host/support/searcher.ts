/** The scripts of a model that looks into the memory, the agent of the skills included, and what of it is in a request. */
import { existsSync, readFileSync } from 'node:fs'
import type { ModelRequest } from './request.ts'
import { type Turn, uses } from './turn.ts'
import type { World } from './world.ts'

export const TOOL = 'mcp__plugin_memory-keeper_memory__'

/** What recall puts beside a prompt. */
export const RECALL = /<(memory-keeper-recall-[a-z2-9]{8})>[\s\S]*?<\/\1>/g

interface RecallReceipt {
  session: string
  fired?: boolean
  tokens?: number
  shown?: { id: string }[]
}

export function reads(tool: string, input: Record<string, unknown> = {}): Turn {
  return uses(`${TOOL}${tool}`, input)
}

/** The current host keeps the schemas of most tools back until they are asked for. */
export function loads(...tools: readonly string[]): Turn {
  return uses('ToolSearch', { query: `select:${tools.map((tool) => `${TOOL}${tool}`).join(',')}` })
}

/** The first id in what a search answered, as a model would take it. */
export function firstId(text: string): string {
  return /^(L1:\w+#\d+) /m.exec(text)?.[1] ?? 'no-id'
}

export function recallsIn({ text }: ModelRequest): string[] {
  return text.match(RECALL) ?? []
}

/** Every decision about a prompt, oldest first. */
export function receiptsOf(world: World): RecallReceipt[] {
  const path = world.file('.claude', 'memory', 'journal', 'recalls.jsonl')
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  // A line with a source tells of a start.
  return lines
    .filter((line) => line !== '' && !line.includes('"source":'))
    .map((line) => JSON.parse(line) as RecallReceipt)
}
