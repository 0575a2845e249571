/** The MCP tools, and what each does to the memory. The server, what hooks approve, and the tests follow from this table. */
import type { WorkKind } from '../kernel/memory/work-item.ts'

export type ToolEffect =
  /** Runs without a question. */
  | { does: 'reads' }
  /** Runs without a question if this field of its input names work that waits. */
  | { does: 'saves'; work: readonly WorkKind[]; field: string; refusal: string }
  /** Our own agents run it without a question; for anybody else the host asks the user. */
  | { does: 'proposes' }

/** In the order in which the server lists them. */
export const TOOLS = {
  search_memory: { does: 'reads' },
  get_memory: { does: 'reads' },
  timeline: { does: 'reads' },
  memory_page: { does: 'reads' },
  memory_status: { does: 'reads' },
  save_memory: {
    does: 'saves',
    work: ['note', 'facts'],
    field: 'delta',
    refusal: 'is no delta that waits for a note or facts',
  },
  save_summary: {
    does: 'saves',
    work: ['summary'],
    field: 'archive',
    refusal: 'is no archive that waits for a summary',
  },
  propose_rule: { does: 'proposes' },
} as const satisfies Record<string, ToolEffect>

export type ToolName = keyof typeof TOOLS

export const TOOL_NAMES = Object.keys(TOOLS) as ToolName[]

/** The tools that `save_memory` replaced, with the field that named the delta: they answer until 0.8, and are not listed. */
const OLD_TOOLS: Readonly<Record<string, string>> = { save_note: 'delta', check_facts: 'piece', save_facts: 'piece' }

/** A call as today's tools know it: an agent file of 0.6 calls the old ones. */
export function asToday(
  name: string,
  input: Readonly<Record<string, unknown>>,
): [name: string, input: Record<string, unknown>] {
  const field = Object.hasOwn(OLD_TOOLS, name) ? OLD_TOOLS[name] : undefined
  if (field === undefined) return [name, input]
  const { [field]: delta, ...others } = input
  return ['save_memory', { delta, ...others }]
}

/** Null: no tool of ours has this name. */
export function effectOf(name: string): ToolEffect | null {
  return Object.hasOwn(TOOLS, name) ? TOOLS[name as ToolName] : null
}
