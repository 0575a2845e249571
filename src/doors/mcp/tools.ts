/** The implementation of the tools, without the protocol: loaded when the first of them is used. */

import { openAfterFirstSteps } from '../../core/extra.ts'
import { memoryStatus } from '../../core/health/commands/tools.ts'
import { proposeRuleOf } from '../../core/knowledge/commands/tools.ts'
import type { RuleProposal } from '../../core/knowledge/rule-proposal.ts'
import { keepMemory, keepSummary, type MemoryRequest } from '../../core/notes/commands/tools.ts'
import { openServedMemory, type ServedWorld } from '../../core/search/commands/served-memory.ts'
import { explained, type FindRequest, searchMemory } from '../../core/search/commands/tools-find.ts'
import { type GetRequest, getMemory, memoryPage, timeline } from '../../core/search/commands/tools-read.ts'
import type { ToolAnswer } from '../../kernel/memory/commands/answer.ts'
import { openKnown, type Store } from '../../kernel/memory/disk/store.ts'
import { locate, type Surroundings } from '../../kernel/platform/disk/locate.ts'

export interface Tools {
  search(request: FindRequest): Promise<ToolAnswer>
  get(request: GetRequest): ToolAnswer
  timeline(around: string, days: number | undefined): ToolAnswer
  page(name: string | undefined, offset: number | undefined): ToolAnswer
  status(): Promise<ToolAnswer>
  saveMemory(request: MemoryRequest): ToolAnswer
  saveSummary(archive: string, summary: object): ToolAnswer
  proposeRule(request: RuleProposal): ToolAnswer
}

export interface ServerWorld extends ServedWorld {
  startDir: string
  around: Surroundings
}

export function openTools(world: ServerWorld): Tools {
  const { startDir, around, now } = world
  const known = (): Store => openKnown(locate(startDir, around), { now })
  const open = (): Store => openAfterFirstSteps(known, now())
  const memory = openServedMemory(open, world)
  return {
    search: (request) => explained(searchMemory(memory, request)),
    get: (request) => getMemory(memory, request),
    timeline: (when, days) => timeline(memory, when, days),
    page: (name, offset) => memoryPage(memory, name, offset),
    status: () => memoryStatus(memory),
    saveMemory: (request) => keepMemory(open(), request, now()),
    saveSummary: (archive, summary) => keepSummary(open(), archive, summary, now()),
    proposeRule: (request) => proposeRuleOf(open(), request, now()),
  }
}
