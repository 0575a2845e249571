/** `facts.json` from and to items. Versions from 0.6 on read what is written here, and a file that they wrote stays the same bytes. */

import { isObject, numberOr, parseObject } from '../../kernel/platform/json.ts'
import { once } from '../../kernel/text/once.ts'
import { FACT_KIND_NAMES, FACT_KINDS, type Item, isFact, PERMANENT_KINDS, type PermanentItem } from './item.ts'
import { fieldsOf, parseFact, parsePermanent } from './item-fields.ts'
import { allFacts, byKind, type Items, idNumber, idWith, NO_ITEMS, NO_PERMANENT, numberOf } from './items.ts'

/** Versions before 0.7 know one id, as a text, and fail on a list. */
function stored(item: Item): Record<string, unknown> {
  const fields = fieldsOf(item)
  if (!isFact(item) || item.replaces === undefined) return fields
  const [first, ...others] = item.replaces
  return { ...fields, replaces: first, ...(others.length === 0 ? {} : { alsoReplaces: others }) }
}

/** Converts fields of earlier versions and keeps unknown ones; null only if it is not a JSON object. */
export function parseItems(text: string): Items | null {
  const value = parseObject(text)
  if (value === null) return null
  const meta = isObject(value._meta) ? value._meta : {}
  const _meta = {
    ...meta,
    counter: counterOf(meta.counter),
    version: numberOr(meta.version, NO_ITEMS._meta.version),
  }
  const facts = FACT_KIND_NAMES.flatMap((kind) => {
    const given = value[FACT_KINDS[kind].list]
    return Array.isArray(given) ? given.flatMap((one: unknown) => parseFact(one, kind) ?? []) : []
  })
  const { list, rest } = readPermanent(value.permanent)
  return withIds({ _meta, list: [...facts, ...list], rest: { ...value, ...NO_ITEMS.rest, permanent: rest } })
}

/** JSON with one item per line, so that git merges the items of two people one by one. */
export function formatItems(items: Items): string {
  const lists = Object.fromEntries(Object.entries(byKind(items)).map(([name, list]) => [name, list.map(stored)]))
  const { rules, solutions, core_logic, ...facts } = lists
  const permanent = { ...items.rest.permanent, rules, solutions, core_logic }
  return formatFields({ ...items.rest, _meta: items._meta, ...facts, permanent }, '  ')
}

/** Each field on its own line, and each item of a list. */
function formatFields(value: Readonly<Record<string, unknown>>, indent: string): string {
  const fields = Object.entries(value).map(([name, field]) => {
    const isList = Array.isArray(field) && field.length > 0
    const text = isList
      ? `[\n${field.map((one) => `${indent}  ${JSON.stringify(one)}`).join(',\n')}\n${indent}]`
      : name === 'permanent' && isObject(field)
        ? formatFields(field, `${indent}  `).trimEnd()
        : JSON.stringify(field)
    return `${indent}${JSON.stringify(name)}: ${text}`
  })
  return `{\n${fields.join(',\n')}\n${indent.slice(2)}}\n`
}

function keysOf<T extends object>(table: T): (keyof T)[] {
  return Object.keys(table) as (keyof T)[]
}

/** Larger than any real number. */
const MAX_NUMBER = 999_999_999
/** Ids from earlier versions or by hand may differ from `d001`; ids with other characters cannot be typed. */
const ID = once(() => /^[\p{L}\p{N}_.:-]{1,40}$/u)

function counterOf(value: unknown): number {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_NUMBER
  return isCount ? value : 0
}

/** Gives a fact without an id, or with a duplicate one, the next number of its list. */
function withIds(items: Items): Items {
  const taken = new Set<string>()
  const without = new Set<Item>()
  for (const fact of allFacts(items)) {
    const key = fact.id.toLowerCase()
    if (!ID().test(fact.id) || taken.has(key)) without.add(fact)
    taken.add(key)
  }
  if (without.size === 0) return items
  let { counter } = items._meta
  const last = new Map<string, number>()
  for (const { kind, id } of items.list.filter((item) => !without.has(item)))
    last.set(kind, Math.max(last.get(kind) ?? 0, numberOf(id)))
  const list = items.list.map((item) => {
    if (!isFact(item) || !without.has(item)) return item
    const number = Math.max(last.get(item.kind) ?? 0, items._meta.counter) + 1
    last.set(item.kind, number)
    counter = Math.max(counter, number)
    return { ...item, id: idWith(FACT_KINDS[item.kind].letter, number) }
  })
  return { ...items, list, _meta: { ...items._meta, counter } }
}

/** Earlier versions stored plain texts, or other field names: they stay in force. What cannot be parsed is kept word for word. */
export function readPermanent(value: unknown): { list: PermanentItem[]; rest: Readonly<Record<string, unknown>> } {
  const { kept: before, ...raw }: Record<string, unknown> = isObject(value) ? value : { rules: value }
  const kinds = keysOf(PERMANENT_KINDS)
  const kept = [...valuesOf(before)]
  const numbers = kinds.flatMap((kind) => valuesOf(raw[kind]).map((one) => (isObject(one) ? idNumber('r', one.id) : 0)))
  let last = Math.max(0, ...numbers)
  const list = kinds.flatMap((kind) =>
    valuesOf(raw[kind]).flatMap((one): PermanentItem[] => {
      const item = parsePermanent(one, kind)
      if (item === null) kept.push({ kind, item: one })
      return item === null ? [] : [item.id === '' ? { ...item, id: idWith('r', ++last) } : item]
    }),
  )
  return { list, rest: { ...raw, ...NO_PERMANENT, ...(kept.length === 0 ? {} : { kept }) } }
}

/** A list, or the single value in its place. */
function valuesOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return value === undefined || value === null ? [] : [value]
}
