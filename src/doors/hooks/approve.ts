/** Lets our own tools run without a question: those that read, and a save of pending work. */
import path from 'node:path'
import type { Store } from '../../kernel/memory/disk/store.ts'
import { realPath, statOf } from '../../kernel/platform/disk/files.ts'
import { DELTA_FILE, isArchiveFile } from '../../kernel/platform/layout.ts'
import { findWork, type WorkKind } from '../../kernel/sessions/work.ts'
import { type HookEvent, NOTHING, type Reply } from './host.ts'

const OUR_TOOL = /^mcp__plugin_memory-keeper_memory__(\w+)$/
const OUR_AGENT = /^memory-keeper:/
const READING: ReadonlySet<string> = new Set([
  'search_memory',
  'get_memory',
  'timeline',
  'memory_page',
  'memory_status',
])
interface Saving {
  kind: WorkKind
  /** The field of the tool's input that names the work item. */
  field: string
  not: string
}
const FACTS: Saving = { kind: 'facts', field: 'piece', not: 'does not wait for facts' }
const SAVING: ReadonlyMap<string, Saving> = new Map([
  ['save_note', { kind: 'note', field: 'delta', not: 'is no delta that waits for a note' }],
  ['save_summary', { kind: 'summary', field: 'archive', not: 'is no archive that waits for a summary' }],
  ['check_facts', FACTS],
  ['save_facts', FACTS],
])
const ALLOW: Reply = { say: 'allow' }

export function approve(event: Extract<HookEvent, { tool: string; input: object }>, openStore: () => Store): Reply {
  if (event.tool === 'Read') return OUR_AGENT.test(event.agentType) ? approveRead(openStore(), event.input) : NOTHING
  const tool = OUR_TOOL.exec(event.tool)?.[1]
  if (tool === undefined) return NOTHING
  if (READING.has(tool)) return ALLOW
  const saved = SAVING.get(tool)
  if (saved !== undefined) return approveSave(openStore(), saved, String(event.input[saved.field] ?? '').trim())
  // A proposal by anyone but our agents is confirmed by the host's question to the user.
  if (tool === 'propose_rule') return OUR_AGENT.test(event.agentType) ? ALLOW : NOTHING
  return NOTHING
}

function approveSave(store: Store, { kind, not }: Saving, name: string): Reply {
  if (findWork(store.readState(), kind, name) !== undefined) return ALLOW
  return { say: 'deny', text: `Memory Keeper: ${name || 'this'} ${not}.` }
}

/** Our own agents may read the files they summarise, even outside the launch directory. */
function approveRead(store: Store, input: Record<string, unknown>): Reply {
  const wanted = realPath(String(input.file_path ?? ''))
  const files = [DELTA_FILE, ...store.readState().rotatedFiles.map(({ file }) => file)].filter(
    (file) => file === DELTA_FILE || isArchiveFile(file),
  )
  // A link in place of one of these may point anywhere.
  const isOurs = (file: string): boolean => statOf(file)?.kind === 'file' && realPath(file) === wanted
  return files.some((file) => isOurs(path.join(store.dir, file))) ? ALLOW : NOTHING
}
