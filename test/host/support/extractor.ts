/** The scripts of agents that extract facts and judge what recurs, and what became of their work on disk. */

import { readdirSync } from 'node:fs'
import { type Concepts, NO_CONCEPTS, parseConcepts } from '../../../src/core/knowledge/concept.ts'
import type { Draft } from '../../../src/core/knowledge/fact-draft.ts'
import { parseItems } from '../../../src/core/knowledge/facts-file.ts'
import type { Fact } from '../../../src/core/knowledge/item.ts'
import { type Items, NO_ITEMS } from '../../../src/core/knowledge/items.ts'
import { parseObject } from '../../../src/kernel/platform/json.ts'
import { memoryDir } from './memory.ts'
import { deltaIdIn, readMemoryFile } from './notes.ts'
import type { ModelRequest } from './request.ts'
import { reads } from './searcher.ts'
import { type Answer, says, type Turn } from './turn.ts'
import type { World } from './world.ts'

export const FACTS_REQUEST = /\[MEMORY_KEEPER_FACTS\] piece=/g

type Job = 'note' | 'summary' | 'facts' | 'rules'
type Part = readonly Answer[] | ((request: ModelRequest) => Turn)

/** What our agent answers for each job that it is given, one after the other: a list in order, after which it is over, or whatever a function says. */
export function plays(world: World, parts: Partial<Record<Job, Part>>): void {
  const cast = new Map<string, (request: ModelRequest) => Turn>(
    Object.entries(parts).map(([job, part]) => [job, typeof part === 'function' ? part : inOrder(part)]),
  )
  const over = new Map<string, number>()
  world.model.onSubagent((request) => {
    const given = /pending work of Memory Keeper: ([^\n]*)/.exec(request.text)?.[1] ?? ''
    const jobs = given.split(', then ').map((job) => job.split(' ')[0] ?? '')
    const agent = request.agentId ?? given
    for (let at = over.get(agent) ?? 0; at < jobs.length; at++) {
      over.set(agent, at)
      const answer = cast.get(jobs[at] ?? '')?.(request)
      if (answer?.blocks.some(({ type }) => type === 'tool_use')) return answer
    }
    over.delete(agent)
    return says('Done')
  })
}

function inOrder(answers: readonly Answer[]): (request: ModelRequest) => Turn {
  const queue = [...answers]
  return (request) => {
    const next = queue.shift() ?? says('Done')
    return typeof next === 'function' ? next(request) : next
  }
}

/** The piece that an agent was given, by its name or as a file. */
function pieceIn({ text }: Pick<ModelRequest, 'text'>): string {
  return /(?:pending work of Memory Keeper: |, then )facts ([\w-]+)/.exec(text)?.[1] ?? deltaIdIn(text)
}

/** Asks for the piece alone: what is known, and what was said. */
export const looksAtIt = (request: ModelRequest): Turn => reads('save_memory', { delta: pieceIn(request) })

/** Without a note, or after it. */
export function savesFacts(facts: readonly Draft[]): (request: ModelRequest) => Turn {
  return (request) => reads('save_memory', { delta: pieceIn(request), facts })
}

/** The verdict of the agent on each candidate that it was shown. */
export function judges(keep: boolean): (request: ModelRequest) => Turn {
  return ({ toolResults }) => {
    const candidate = /^\W*(r\d{3}) \(/m.exec(toolResults.join('\n'))?.[1] ?? 'no-candidate'
    return reads('propose_rule', { candidate, keep, why: 'It was said in several sessions.' })
  }
}

export function factsIn(world: World): Items {
  return parseItems(readMemoryFile(world, 'facts.json')) ?? NO_ITEMS
}

export function conceptsIn(world: World): Concepts {
  return parseConcepts(readMemoryFile(world, 'concepts.json')) ?? NO_CONCEPTS
}

/** The facts of each session, oldest first. */
export function sessionFactsIn(world: World): { session: string; facts: Fact[] }[] {
  const names = readdirSync(`${memoryDir(world)}/sessions`).filter((name) => name.endsWith('.l2.json'))
  return names
    .sort()
    .flatMap(
      (name) => parseObject(readMemoryFile(world, `sessions/${name}`)) as unknown as { session: string; facts: Fact[] },
    )
}
