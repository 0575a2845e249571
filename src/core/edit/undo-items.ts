/** Undo in files with one item on each line: the items that a change touched, as they were, among all others as they are now. */
import { isObject, parseObject } from '../../kernel/platform/json.ts'

type StoredItem = Record<string, unknown> & { id: string }

/**
 * The items that the change touched as they were, among all others as they are now. Of a changed item only the fields that the change
 * wrote; what the program derives stays as it is now. Undefined: what the change wrote was changed again.
 */
export function withoutInItems({ was, is }: { was: string; is: string }, whole: Record<string, unknown>): boolean {
  return [...touchedItems(was, is)].every(([id, { old, made }]) => {
    const list = listOf(whole, id)
    const at = list?.findIndex((one) => idIn(one) === id) ?? -1
    // An item that moved to another list stays where it is.
    const isMoved = old !== undefined && made !== undefined && old.list !== made.list
    return list !== undefined && !isMoved && setBack(list, at, old?.item, made?.item)
  })
}

function setBack(list: unknown[], at: number, old: StoredItem | undefined, made: StoredItem | undefined): boolean {
  const now = list[at]
  if (!isObject(now)) {
    if (old !== undefined && made === undefined) list.push(old)
    // A killed undo has removed it.
    return old === undefined || made === undefined
  }
  if (made === undefined) return old !== undefined && isSameItem(now as StoredItem, old)
  // A concept that came with the change and has other facts by now stays.
  if (old === undefined && made.text === undefined && !isSameItem(now as StoredItem, made)) return true
  const merged = old === undefined ? null : mergedItem(old, made, now)
  if (merged === undefined || (merged === null && now.text !== made.text)) return false
  list.splice(at, 1, ...(merged === null ? [] : [merged]))
  return true
}

function mergedItem(old: StoredItem, made: StoredItem, now: Record<string, unknown>): object | undefined {
  const merged = { ...now }
  for (const name of new Set([...Object.keys(old), ...Object.keys(made)])) {
    const [was, is, field] = [old[name], made[name], now[name]].map((one) => JSON.stringify(one))
    if (was === is || field === was) continue
    // What a concept says follows from its facts; a list of a fact grew.
    if ('exchanges' in now ? DERIVED.includes(name) : field !== is && Array.isArray(now[name])) continue
    if (field !== is) return undefined
    if (old[name] === undefined) delete merged[name]
    else merged[name] = old[name]
  }
  return merged
}

/** The fields of a concept that follow from its facts. */
const DERIVED: readonly string[] = ['summary', 'facts', 'files', 'keywords', 'exchanges']

interface Placed {
  item: StoredItem
  /** Empty: the list in which the changed lines begin. */
  list: string
}

/** The items that differ. The lines of others are among them if the order of their fields changed, or if they stand in between. */
export function touchedItems(was: string, is: string): Map<string, { old?: Placed; made?: Placed }> {
  const touched = new Map<string, { old?: Placed; made?: Placed }>()
  for (const old of itemsIn(was)) touched.set(old.item.id, { old })
  for (const made of itemsIn(is)) {
    const { old } = touched.get(made.item.id) ?? {}
    if (old !== undefined && old.list === made.list && isSameItem(old.item, made.item)) touched.delete(made.item.id)
    else touched.set(made.item.id, { ...(old === undefined ? {} : { old }), made })
  }
  return touched
}

function itemsIn(lines: string): Placed[] {
  let list = ''
  return lines.split('\n').flatMap((line): Placed[] => {
    list = /^\s*"(\w+)": \[$/.exec(line)?.[1] ?? list
    const item = parseObject(line.trim().replace(/,$/, ''))
    return typeof item?.id === 'string' ? [{ item: item as StoredItem, list }] : []
  })
}

/** Whatever the order of their fields. */
function isSameItem(one: StoredItem, other: StoredItem): boolean {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  return names.every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]))
}

/** The list with this item; else the one with others of its kind. */
function listOf(whole: Record<string, unknown>, id: string): unknown[] | undefined {
  const lists = [...Object.entries(whole), ...(isObject(whole.permanent) ? Object.entries(whole.permanent) : [])]
  const arrays = lists.flatMap(([name, list]) => (Array.isArray(list) ? [{ name, list }] : []))
  const letter = id.charAt(0)
  return (
    arrays.find(({ list }) => list.some((one) => idIn(one) === id)) ??
    arrays.find(({ name }) => name.startsWith(letter))
  )?.list
}

function idIn(item: unknown): unknown {
  return isObject(item) ? item.id : undefined
}
