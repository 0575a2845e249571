/** The MCP tools, and what each does to the memory. The server, what hooks approve, and the tests follow from this table. */
import type { WorkKind } from '../kernel/sessions/work.ts'

export type ToolEffect =
  /** Runs without a question. */
  | { does: 'reads' }
  /** Runs without a question if this field of its input names work that waits. */
  | { does: 'saves'; work: WorkKind; field: string; refusal: string }
  /** Our own agents run it without a question; for anybody else the host asks the user. */
  | { does: 'proposes' }

const FACTS = { does: 'saves', work: 'facts', field: 'piece', refusal: 'does not wait for facts' } as const

/** In the order in which the server lists them. */
export const TOOLS = {
  search_memory: { does: 'reads' },
  get_memory: { does: 'reads' },
  timeline: { does: 'reads' },
  memory_page: { does: 'reads' },
  memory_status: { does: 'reads' },
  save_note: { does: 'saves', work: 'note', field: 'delta', refusal: 'is no delta that waits for a note' },
  save_summary: { does: 'saves', work: 'summary', field: 'archive', refusal: 'is no archive that waits for a summary' },
  check_facts: FACTS,
  save_facts: FACTS,
  propose_rule: { does: 'proposes' },
} as const satisfies Record<string, ToolEffect>

export type ToolName = keyof typeof TOOLS

export const TOOL_NAMES = Object.keys(TOOLS) as ToolName[]

/** Null: no tool of ours has this name. */
export function effectOf(name: string): ToolEffect | null {
  return Object.hasOwn(TOOLS, name) ? TOOLS[name as ToolName] : null
}
