/** The implementation of the tools, without the protocol: loaded when the first of them is used. */

import { memoryStatus } from '../health/commands/tools.ts'
import { checkFactsOf, type FactsRequest, keepFacts, proposeRuleOf } from '../knowledge/commands/tools.ts'
import type { RuleProposal } from '../knowledge/rule-proposal.ts'
import type { ToolAnswer } from '../memory/commands/answer.ts'
import { openKnown, type Store } from '../memory/disk/store.ts'
import { keepNote, keepSummary } from '../notes/commands/tools.ts'
import { locate, type Surroundings } from '../platform/disk/locate.ts'
import { openServedMemory, type ServedWorld } from '../search/commands/held-memory.ts'
import { explained, type FindRequest, searchMemory } from '../search/commands/tools-find.ts'
import { type GetRequest, getMemory, memoryPage, timeline } from '../search/commands/tools-read.ts'

export interface Tools {
  search(request: FindRequest): Promise<ToolAnswer>
  get(request: GetRequest): ToolAnswer
  timeline(around: string, days: number | undefined): ToolAnswer
  page(name: string | undefined, offset: number | undefined): ToolAnswer
  status(): Promise<ToolAnswer>
  saveNote(delta: string, text: string): ToolAnswer
  saveSummary(archive: string, summary: object): ToolAnswer
  checkFacts(request: FactsRequest): ToolAnswer
  saveFacts(request: FactsRequest): ToolAnswer
  proposeRule(request: RuleProposal): ToolAnswer
}

export interface ServerWorld extends ServedWorld {
  startDir: string
  around: Surroundings
}

export function openTools(world: ServerWorld): Tools {
  const { startDir, around, now } = world
  const open = (): Store => openKnown(locate(startDir, around), { now })
  const memory = openServedMemory(open, world)
  return {
    search: (request) => explained(searchMemory(memory, request)),
    get: (request) => getMemory(memory, request),
    timeline: (when, days) => timeline(memory, when, days),
    page: (name, offset) => memoryPage(memory, name, offset),
    status: () => memoryStatus(memory),
    saveNote: (delta, text) => keepNote(open(), delta, text, now()),
    saveSummary: (archive, summary) => keepSummary(open(), archive, summary, now()),
    checkFacts: (request) => checkFactsOf(open(), request),
    saveFacts: (request) => keepFacts(open(), request, now()),
    proposeRule: (request) => proposeRuleOf(open(), request, now()),
  }
}
