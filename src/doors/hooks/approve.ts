/** Lets our own tools run without a question: those that read, and a save of pending work. */
import path from 'node:path'
import { asToday, effectOf, type ToolEffect } from '../../core/tools.ts'
import type { Store } from '../../kernel/memory/disk/store.ts'
import { findWork } from '../../kernel/memory/work.ts'
import { realPath, statOf } from '../../kernel/platform/disk/files.ts'
import { DELTA_FILE, isArchiveFile } from '../../kernel/platform/layout.ts'
import { type HookEvent, NOTHING, type Reply } from './host.ts'

const OUR_TOOL = /^mcp__plugin_memory-keeper_memory__(\w+)$/
const OUR_AGENT = /^memory-keeper:/
const ALLOW: Reply = { say: 'allow' }

export function approve(event: Extract<HookEvent, { tool: string; input: object }>, openStore: () => Store): Reply {
  if (event.tool === 'Read') return OUR_AGENT.test(event.agentType) ? approveRead(openStore(), event.input) : NOTHING
  const tool = OUR_TOOL.exec(event.tool)?.[1]
  if (tool === undefined) return NOTHING
  const [name, input] = asToday(tool, event.input)
  const effect = effectOf(name)
  switch (effect?.does) {
    case 'reads':
      return ALLOW
    case 'saves':
      return approveSave(openStore(), effect, String(input[effect.field] ?? '').trim())
    case 'proposes':
      return OUR_AGENT.test(event.agentType) ? ALLOW : NOTHING
    default:
      return NOTHING
  }
}

function approveSave(store: Store, { work, refusal }: Extract<ToolEffect, { does: 'saves' }>, name: string): Reply {
  const state = store.readState()
  if (work.some((kind) => findWork(state, kind, name) !== undefined)) return ALLOW
  return { say: 'deny', text: `Memory Keeper: ${name || 'this'} ${refusal}.` }
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
