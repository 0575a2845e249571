/** All that the tools and resources do, without the protocol: loaded when the first of them is used. */

import { openStore, type Store } from '../memory/disk/store.ts'
import { locate, type Surroundings } from '../platform/disk/locate.ts'
import type { Answer } from './answer.ts'
import { checkFactsOf, type FactsRequest, keepFacts } from './facts.ts'
import { explained, type FindRequest, searchMemory } from './find.ts'
import { type MemoryWorld, openMemory } from './memory.ts'
import { type GetRequest, getMemory, memoryPage, timeline } from './read.ts'
import { listResources, type ResourceRow, readResource } from './resources.ts'
import { proposeRuleOf, type RuleRequest } from './rules.ts'
import { keepNote, keepSummary } from './saves.ts'
import { memoryStatus } from './status.ts'

export interface Tools {
  search(request: FindRequest): Promise<Answer>
  get(request: GetRequest): Answer
  timeline(around: string, days: number | undefined): Answer
  page(name: string | undefined, offset: number | undefined): Answer
  status(): Promise<Answer>
  saveNote(delta: string, text: string): Answer
  saveSummary(archive: string, summary: object): Answer
  checkFacts(request: FactsRequest): Answer
  saveFacts(request: FactsRequest): Answer
  proposeRule(request: RuleRequest): Answer
  resources(): ResourceRow[]
  /** Null: there is none with this address. */
  resource(uri: string): string | null
}

export interface ServerWorld extends MemoryWorld {
  startDir: string
  around: Surroundings
}

export function openTools(world: ServerWorld): Tools {
  const { startDir, around, now } = world
  const open = (): Store => openStore(locate(startDir, around), { now })
  const memory = openMemory(open, world)
  return {
    search: (request) => explained(searchMemory(memory, request)),
    get: (request) => getMemory(memory, request),
    timeline: (when, days) => timeline(memory, when, days),
    page: (name, offset) => memoryPage(memory, name, offset),
    status: () => memoryStatus(memory),
    saveNote: (delta, text) => keepNote(open(), delta, text, now()),
    saveSummary: (archive, summary) => keepSummary(open(), archive, summary, now()),
    checkFacts: (request) => checkFactsOf(open(), request, now()),
    saveFacts: (request) => keepFacts(open(), request, now()),
    proposeRule: (request) => proposeRuleOf(open(), request, now()),
    resources: () => listResources(open()),
    resource: (uri) => readResource(open(), uri),
  }
}
