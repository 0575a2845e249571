/** Reads JSON from outside field by field: a wrong field does not affect the others. */

/** Null: not JSON, or not an object. */
export function parseObject(text: string): Record<string, unknown> | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  return isObject(value) ? value : null
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/** The objects of a list. */
export function objects(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** Anything else is empty. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** An empty text counts as missing. */
export function textOr<T extends string | null>(value: unknown, otherwise: T): string | T {
  return typeof value === 'string' && value !== '' ? value : otherwise
}

export function numberOr<T extends number | null>(value: unknown, otherwise: T): number | T {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise
}

/** A count or a size: anything else is 0. */
export function countOr(value: unknown): number {
  return Math.max(0, numberOr(value, 0))
}

/** The counts, texts and lists of texts that `defaults` has, each from `raw` where that has such a value. Other fields are left out. */
export function fieldsLike<T extends object>(raw: Readonly<Record<string, unknown>>, defaults: T): T {
  const fields: Record<string, unknown> = {}
  for (const name in defaults) {
    const [given, value] = [raw[name], defaults[name] as unknown]
    if (typeof value === 'number') fields[name] = countOr(given)
    else if (typeof value === 'string') fields[name] = typeof given === 'string' ? given : value
    else if (Array.isArray(value)) fields[name] = texts(given)
  }
  return fields as T
}

/** A text counts as a list of one. */
export function oneOrMore(value: unknown): string[] {
  return typeof value === 'string' ? [value] : texts(value)
}
