/** The tools that return one item in full: `get_memory`, `memory_page`, `timeline`. */

import {
  fenced,
  fine,
  hanging,
  IS_DATA,
  pageOf,
  type ToolAnswer,
  wrong,
} from '../../../kernel/memory/commands/answer.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { dayOf, harmlessText, textOnOneLine } from '../../../kernel/text/memory-words.ts'
import { readPage, readPages } from '../../pages/disk/pages.ts'
import { pageText } from '../../pages/page.ts'
import { type FoundPart, type LookedUp, lookUp } from '../disk/lookup.ts'
import { timelineOf } from '../disk/timeline.ts'
import type { ServedMemory } from './served-memory.ts'

const MAX_IDS = 20
const MAX_ROWS = 60

export interface GetRequest {
  /** Several, separated by commas. */
  id: string | readonly string[]
  context?: number | undefined
  offset?: number | undefined
}

export function getMemory(memory: ServedMemory, { id, context = 2, offset = 0 }: GetRequest): ToolAnswer {
  const ids = (typeof id === 'string' ? id.split(/[,\s]+/) : id.flatMap((one) => one.split(/[,\s]+/))).filter(Boolean)
  if (ids.length === 0) return wrong(`No id is named. ${ID_FORMS}`)
  const store = memory.store()
  const found = ids.slice(0, MAX_IDS).map((one) => lookUp(store, one, context) ?? one)
  const lines = found.flatMap((one) =>
    typeof one === 'string' ? [`${textOnOneLine(one)}: nothing has this id`] : render(one),
  )
  const isNothing = found.every((one) => typeof one === 'string' || one.parts.length === 0)
  if (isNothing) return wrong([...lines, ID_FORMS].join('\n'))
  const left = ids.length > MAX_IDS ? [`Only the first ${MAX_IDS} ids were read.`] : []
  return paged(store, lines, offset, left)
}

const ID_FORMS =
  'Ids are those of search_memory and timeline: a session (1a2b3c4d), entries (L1:1a2b3c4d#5 or L1:1a2b3c4d#5-9), a note (n-1a2b3c4d-0-57), a fact (d001), a summary (S:1a2b3c4d), a page (page:project). memory_status lists the newest sessions.'

function render({ title, parts, source }: LookedUp): string[] {
  return [textOnOneLine(title), ...parts.map(renderPart), ...(source === null ? [] : [textOnOneLine(source)])]
}

function renderPart({ id, at, kind, text }: FoundPart): string {
  const head = [id, at, kind]
    .filter((word) => word !== '')
    .map(textOnOneLine)
    .join(' ')
  return text === '' ? head : hanging(`${head}: `, text)
}

/** Lists the pages, or reads one of them. */
export function memoryPage(memory: ServedMemory, name: string | undefined, offset = 0): ToolAnswer {
  const store = memory.store()
  if (name === undefined || name.trim() === '') {
    const rows = readPages(store).map(
      ({ name: each, text, bytes }) => `${each} (${bytes} bytes): ${firstWords(pageText(text))}`,
    )
    if (rows.length === 0)
      return fine('This project has no pages. A person writes them: memory-keeper page set <name>.')
    return paged(store, rows, offset, ['Read one with memory_page and its name.'])
  }
  const page = readPage(store, name.trim().replace(/^page:/, ''))
  if (page === null) {
    const names = readPages(store).map((each) => each.name)
    return wrong(`There is no page ${textOnOneLine(name)}. Pages: ${names.join(', ') || 'none'}.`)
  }
  return paged(
    store,
    [
      `Page ${page.name}`,
      ...harmlessText(page.text)
        .split('\n')
        .map((line) => `  ${line}`),
    ],
    offset,
    [],
  )
}

function firstWords(text: string): string {
  const line = text.split('\n').find((each) => each.trim() !== '' && !each.startsWith('#')) ?? ''
  const short = textOnOneLine(line.slice(0, 400))
  return short.length <= 100 ? short : `${short.slice(0, 100).trimEnd()}…`
}

export function timeline(memory: ServedMemory, around: string, days: number | undefined): ToolAnswer {
  const wanted = { around, limit: MAX_ROWS, now: memory.now(), ...(days === undefined ? {} : { days }) }
  const store = memory.store()
  const found = timelineOf(store, wanted)
  if (found === null) {
    return wrong(
      `"${textOnOneLine(around)}" is neither a time (2026-01-13, yesterday, 3d, last week) nor the id of anything that has one.`,
    )
  }
  const span = `${dayOf(found.from)} to ${dayOf(found.to)}`
  if (found.rows.length === 0)
    return fine(`Nothing is remembered from ${span}. memory_status lists the newest sessions.`)
  const rows = found.rows.map(
    ({ id, at, kind, by, text }) =>
      `${at.slice(0, 16).replace('T', ' ')} ${kind} ${textOnOneLine(id)} (${by}): ${textOnOneLine(text)}`,
  )
  const left = found.left > 0 ? [`${found.left} more are left out: ask for fewer days or another time.`] : []
  return paged(store, [`What happened from ${span}, in UTC, oldest first.`, ...rows], 0, left)
}

function paged(store: Store, lines: readonly string[], offset: number, after: readonly string[]): ToolAnswer {
  const { text, next } = pageOf(lines, offset)
  if (text === '') return wrong(`There is nothing after character ${offset}.`)
  const more = next === null ? [] : [`This is not all: ask again with offset ${next}.`]
  return fine([fenced(store, [IS_DATA, text]), ...more, ...after].join('\n'))
}
