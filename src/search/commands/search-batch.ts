/** `search --batch`: many questions in one process, JSON lines in and out, in their order. */

import type { Context } from '../../memory/commands/context.ts'
import { readText } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import type { Searcher, SearchRequest } from '../disk/search.ts'
import { parseKinds, parseLayers } from '../operators.ts'
import { hitJson } from './search-hit.ts'

/** `common`: what the options say for all questions; a line may say more. Every line is answered, with hits or an error. */
export function runBatch(context: Context, searcher: Searcher, file: string, common: SearchRequest): number {
  let failed = 0
  for (const line of linesOf(context, file)) {
    const answer = answerTo(line, searcher, common)
    if ('error' in answer) failed++
    context.world.streams.out(`${JSON.stringify(answer)}\n`)
  }
  return failed > 0 ? 1 : 0
}

function linesOf({ world }: Context, file: string): string[] {
  const text = file === '-' ? world.readStdin() : readText(file)
  if (text === null)
    throw new KeeperError('no-file', `${file} does not exist. Give a file of JSON lines, or - for stdin.`)
  return text
    .replace(/^\ufeff/, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
}

type Answer = { id: unknown; hits: object[] } | { id: unknown; error: string }

function answerTo(line: string, searcher: Searcher, common: SearchRequest): Answer {
  const asked = parseLine(line)
  if (asked === null)
    return { id: null, error: 'expected a JSON object like {"id": 1, "query": "some words"} on the line' }
  const { id = null } = asked
  try {
    const { hits } = searcher.find({ ...common, ...requestOf(asked, common) })
    return { id, hits: hits.map(hitJson) }
  } catch (error) {
    if (!(error instanceof KeeperError)) throw error
    return { id, error: error.message }
  }
}

function requestOf(asked: Record<string, unknown>, common: SearchRequest): SearchRequest {
  const { query, limit, since, until, session, file } = asked
  if (typeof query !== 'string') throw new KeeperError('usage', 'expected "query": a text')
  const layers = listOf('layers', asked.layers ?? asked.layer)
  const types = listOf('types', asked.types ?? asked.type)
  return {
    query: `${query} ${common.query}`.trim(),
    ...(limit === undefined ? {} : { limit: limitFrom(limit) }),
    ...(layers === null ? {} : { layers: parseLayers(layers) }),
    ...(types === null ? {} : { kinds: [...parseKinds(types)] }),
    ...textOf('since', since),
    ...textOf('until', until),
    ...textOf('session', session),
    ...textOf('file', file),
  }
}

function limitFrom(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value
  throw new KeeperError('usage', 'expected "limit": a whole number from 1 on')
}

/** With commas, as the options take it. */
function listOf(name: string, value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(',')
  throw new KeeperError('usage', `expected "${name}": a text or a list of texts`)
}

function textOf(name: 'since' | 'until' | 'session' | 'file', value: unknown): Partial<SearchRequest> {
  if (value === undefined || value === null) return {}
  if (typeof value === 'string') return { [name]: value }
  throw new KeeperError('usage', `expected "${name}": a text`)
}

function parseLine(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
