/** Our own tools run without a question: those that read, and a save that names what is open. */
import path from 'node:path'
import { withPiece } from '../knowledge/mining.ts'
import type { Store } from '../memory/disk/store.ts'
import { withDelta } from '../notes/pending.ts'
import { realPath, statOf } from '../platform/disk/files.ts'
import { DELTA_FILE, isArchiveFile } from '../platform/layout.ts'
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
const ALLOW: Reply = { say: 'allow' }

export function approve(event: Extract<HookEvent, { tool: string; input: object }>, openStore: () => Store): Reply {
  if (event.tool === 'Read') return OUR_AGENT.test(event.agentType) ? approveRead(openStore(), event.input) : NOTHING
  const tool = OUR_TOOL.exec(event.tool)?.[1]
  if (tool === undefined) return NOTHING
  if (READING.has(tool)) return ALLOW
  if (tool === 'save_note') return approveNote(openStore(), String(event.input.delta ?? ''))
  if (tool === 'save_summary') return approveSummary(openStore(), String(event.input.archive ?? ''))
  if (tool === 'check_facts' || tool === 'save_facts') return approveFacts(openStore(), String(event.input.piece ?? ''))
  // Anybody else who proposes a rule asks the user: the question is the answer.
  if (tool === 'propose_rule') return OUR_AGENT.test(event.agentType) ? ALLOW : NOTHING
  return NOTHING
}

function approveFacts(store: Store, given: string): Reply {
  const piece = given.trim()
  const state = store.readState()
  const session = /^([0-9a-z]{8})-concepts$/.exec(piece)?.[1]
  const isOpen =
    session === undefined ? withPiece(state, piece) !== undefined : state.knowledge.unsorted.includes(session)
  return isOpen ? ALLOW : { say: 'deny', text: `Memory Keeper: ${piece || 'this'} does not wait for facts.` }
}

/** Our own agents read what they are to summarise, also where it lies outside of the directory the host was started in. */
function approveRead(store: Store, input: Record<string, unknown>): Reply {
  const wanted = realPath(String(input.file_path ?? ''))
  const files = [DELTA_FILE, ...store.readState().rotatedFiles.map(({ file }) => file)].filter(
    (file) => file === DELTA_FILE || isArchiveFile(file),
  )
  // A link in the place of one of these may lead anywhere.
  const isOurs = (file: string): boolean => statOf(file)?.kind === 'file' && realPath(file) === wanted
  return files.some((file) => isOurs(path.join(store.dir, file))) ? ALLOW : NOTHING
}

function approveNote(store: Store, delta: string): Reply {
  return withDelta(store.readState(), delta.trim())
    ? ALLOW
    : { say: 'deny', text: `Memory Keeper: ${delta || 'this'} is no delta that waits for a note.` }
}

function approveSummary(store: Store, archive: string): Reply {
  const isOpen = store
    .readState()
    .rotatedFiles.some(({ file, summaryGenerated }) => file === archive && !summaryGenerated)
  return isOpen
    ? ALLOW
    : { say: 'deny', text: `Memory Keeper: ${archive || 'this'} is no archive that waits for a summary.` }
}
