/** Numbers with and without units: reads those of a source, and checks whether a note's number is among them. */

import { once } from '../../kernel/text/once.ts'

interface Quantity {
  /** Several, if the notation is ambiguous: 1.200 is 1.2 or 1200. */
  values: readonly number[]
  /** The value of its last digit's unit: a note may round. */
  step: number
  unit: Unit | null
  /** “about 1,200”: a near value is accepted. */
  isRough: boolean
}

interface Unit {
  dimension: string
  factor: number
}

interface Behind {
  multiple: number
  unit: Unit | null
}

/** The numbers of a text. */
export interface Numbers {
  /** As written. */
  all: Series
  /** By dimension, in its smallest unit. */
  measured: ReadonlyMap<string, Series>
  /** Numbers whose unit may be elsewhere: `timeout: 30`, “set TTL_SECONDS to 1800 in”. */
  bare: ReadonlySet<number>
}

/** Numbers in the order of the text. A text may have thousands, so that they can also be searched by size. */
interface Series {
  values: number[]
  /** The position of each number. */
  at: number[]
  /** The distinct numbers, each with its first position. */
  sorted: () => readonly { value: number; at: number }[]
}

/** Dimension, factor, spellings. Latin spellings must end at the end of a word; the others may be followed by a particle. */
const UNITS: readonly [dimension: string, factor: number, latin: string, other: string][] = [
  ['time', 0.001, 'µs|us|microseconds?', '마이크로초|マイクロ秒|微秒'],
  ['time', 1, 'ms|msecs?|milliseconds?|millisekunden?', '밀리초|ミリ秒|毫秒'],
  ['time', 1000, 's|secs?|seconds?|sekunden?', '초|秒'],
  ['time', 60_000, 'mins?|minutes?|minuten?', '분(?!기|석|류|할|산)|分(?!支|类|類|割|析|岐|野|散)'],
  ['time', 3_600_000, 'h|hrs?|hours?|stunden?', '시간|時間|小时|小時'],
  ['time', 86_400_000, 'd|days?|tagen?|tage', '일간|日間|天'],
  ['bytes', 1000, 'kb|kib|kilobytes?', '킬로바이트|キロバイト'],
  ['bytes', 1_000_000, 'mb|mib|megabytes?', '메가바이트|メガバイト|메가|兆字节'],
  ['bytes', 1_000_000_000, 'gb|gib|gigabytes?', '기가바이트|ギガバイト|기가'],
  ['bytes', 1_000_000_000_000, 'tb|tib|terabytes?', '테라바이트|テラバイト'],
  ['bytes', 1, 'b|bytes?', '바이트|バイト|字节'],
  ['share', 1, '%|percent|prozent|pct', '％|퍼센트|パーセント|프로(?=[ ,.]|$)'],
  // “times” is missing: “3 times” usually counts.
  ['factor', 1, 'x|×|fold|fach', '배(?!포|치|경|열)|倍'],
  ['pixels', 1, 'px|pixels?|pixel', '픽셀|ピクセル|像素'],
  ['tokens', 1, 'tok|tokens?', '토큰|トークン'],
  ['rate', 1, 'fps|rps|qps|hz|khz|mhz|ghz', ''],
  ['money', 1, 'usd|eur|krw|dollars?|euros?|cents?|won', '원|円|元|달러|ドル|美元|유로'],
]
const MULTIPLES: readonly [spelling: RegExp, factor: number][] = [
  [/^(?:k(?![a-z])|천|thousand\b)/i, 1000],
  [/^(?:만|万|萬)/, 10_000],
  [/^(?:M(?![A-Za-z])|[Mm]illion(?:en)?\b)/, 1_000_000],
  [/^(?:억|億|亿)/, 100_000_000],
]
const UNIT_PATTERNS: readonly [RegExp, Unit][] = [
  // Only the lower-case letter: 5M is five million.
  [/^ ?m(?![A-Za-z0-9_])/, { dimension: 'time', factor: 60_000 }],
  ...UNITS.map(([dimension, factor, latin, other]): [RegExp, Unit] => [
    new RegExp(`^[ \\u00a0-]?(?:(?:${latin})(?![a-z0-9_])${other === '' ? '' : `|${other}`})`, 'i'),
    { dimension, factor },
  ]),
]
/** 10–20 ms, 45 → 12 ms, from 10 to 6 s: the unit follows the last number. */
const RANGE = /^ ?(?:-|–|~|→|->|to|bis|에서|から|到|\/) ?\d[\d.,]*/
/** Everything that can be a unit or multiple, including a range before it. */
const HEAD =
  /^(?: ?(?:-|–|~|→|->|to|bis|에서|から|到|\/) ?\d[\d.,]*)?[ \u00a0-]?(?:[A-Za-z%×µ]{1,14}|[^\x00-\x7f]{1,6})?(?: [A-Za-z]+)?/
const PART_OF_A_NAME = /[A-Za-uw-z_.]/
const NO_UNIT = /["'`,;:)\]}|=<>\\\n]/
/** Numbers of at least this size do not match by chance. */
const TELLING = 100
/** The tolerance of “about” and “under”. */
const ROUGH = 0.1
/** The tolerance of rounding: 1.92 s is about 2 s, 1.5 s is not. */
const ROUNDED = 0.1
const ROUGH_BEFORE =
  /(?:\b(?:about|around|roughly|approximately|nearly|almost|over|under|below|above|within|than|some|up to|etwa|rund|circa|ca\.|fast|über)|[~≈<>≤≥]|약|대략|거의|約|およそ|大约|约)\s*$/iu
const ROUGH_BEHIND =
  /^\s?(?:\p{L}{1,3})?\s?(?:여 |여개|여건|이상|이하|이내|미만|초과|가까이|남짓|ほど|くらい|以下|以上|以内|未満|左右)/u
const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
  ...'zero one two three four five six seven eight nine ten eleven twelve'
    .split(' ')
    .map((word, n) => [word, n] as const),
  ...'twenty thirty forty fifty sixty seventy eighty ninety hundred'
    .split(' ')
    .map((word, n) => [word, n * 10 + 20] as const),
])
const NUMBER = new RegExp(
  `(?:\\d{1,3}(?:[,_]\\d{3})+(?!\\d)|\\d+)(?:\\.\\d+)*|\\b(?:${[...NUMBER_WORDS.keys()].join('|')})\\b`,
  'gi',
)
const LOOK_AHEAD = 24

/** Whether these letters after a number are its unit or multiple. */
export function isUnit(letters: string): boolean {
  const { multiple, unit } = unitBehind(letters)
  return multiple > 1 || unit !== null
}

/** The unit after a number as written, with the space before it. */
export function unitTextBehind(behind: string): string {
  return UNIT_PATTERNS.map(([pattern]) => pattern.exec(behind)?.[0]).find((text) => text !== undefined) ?? ''
}

/** Parses a number of a note, with its context. */
export function readQuantity(number: string, before: string, behind: string): Quantity {
  const { multiple, unit } = unitBehind(behind)
  const plain = number.replace(/_/g, '')
  // 1,200 is twelve hundred, 3,5 is three and a half, 1.200 may be either.
  const readings = /,\d{3}(?:\D|$)/.test(plain) ? [plain.replace(/,/g, '')] : [plain.replace(',', '.')]
  if (/^\d{1,3}\.\d{3}$/.test(plain)) readings.push(plain.replace('.', ''))
  const decimals = /[.](\d+)$/.exec(readings[0] ?? '')?.[1]?.length ?? 0
  return {
    values: readings.map((reading) => Number(reading) * multiple),
    // 1.2k is rounded to hundreds.
    step: 10 ** -decimals * multiple,
    unit,
    isRough: ROUGH_BEFORE.test(before) || ROUGH_BEHIND.test(behind),
  }
}

/** A multiple is applied to the number: 12k, 3만. */
function unitBehind(text: string): Behind {
  const rest = text.replace(RANGE, '')
  const multiple = MULTIPLES.find(([spelling]) => spelling.test(rest.trimStart()))
  const behind = multiple === undefined ? rest : rest.trimStart().replace(multiple[0], '')
  const unit = UNIT_PATTERNS.find(([pattern]) => pattern.test(behind))?.[1] ?? null
  return { multiple: multiple?.[1] ?? 1, unit }
}

/** Also reads words: “after two seconds” is 2 s, “one in twenty” is 20. */
export function readNumbers(source: string): Numbers {
  const all = newSeries()
  const measured = new Map<string, Series>()
  const bare = new Set<number>()
  // A source has many numbers and few units: units are cached.
  const known = new Map<string, Behind>()
  for (const { 0: written, index } of source.matchAll(NUMBER)) {
    const word = NUMBER_WORDS.get(written.toLowerCase())
    if (word === undefined && PART_OF_A_NAME.test(source.charAt(index - 1))) continue
    const value = word ?? Number(written.replace(/[,_]/g, ''))
    // 1.2.3 is a version; its parts are not numbers.
    if (Number.isNaN(value)) continue
    const from = index + written.length
    const isAlone = word === undefined && NO_UNIT.test(source.charAt(from))
    const head = isAlone ? '' : (HEAD.exec(source.slice(from, from + LOOK_AHEAD))?.[0] ?? '')
    const { multiple, unit } = known.get(head) ?? unitBehind(head)
    known.set(head, { multiple, unit })
    const total = value * multiple
    add(all, index, total)
    if (unit !== null) {
      const series = measured.get(unit.dimension) ?? newSeries()
      measured.set(unit.dimension, series)
      add(series, index, total * unit.factor)
    } else if (word === undefined && (isAlone || total >= TELLING || !/^ ?\p{L}/u.test(head))) bare.add(total)
  }
  return { all, measured, bare }
}

function newSeries(): Series {
  const values: number[] = []
  const at: number[] = []
  const sorted = once(() => {
    const first = new Map<number, number>()
    for (const [i, value] of values.entries()) if (!first.has(value)) first.set(value, at[i] ?? 0)
    return [...first].map(([value, place]) => ({ value, at: place })).sort((a, b) => a.value - b.value)
  })
  return { values, at, sorted }
}

function add({ values, at }: Series, index: number, value: number): void {
  values.push(value)
  at.push(index)
}

export function hasQuantity(numbers: Numbers, quantity: Quantity): boolean {
  const { values, unit } = quantity
  return values.some((value) => {
    if (unit === null) return hasNear(numbers.all, value, 1, quantity)
    const series = numbers.measured.get(unit.dimension)
    // 1 MB may mean 1,000,000 or 1,048,576 bytes.
    const binary = unit.dimension === 'bytes' ? 1024 ** Math.round(Math.log10(unit.factor) / 3) : unit.factor
    return (
      numbers.bare.has(value) ||
      hasNear(series, value, unit.factor, quantity) ||
      hasNear(series, value, binary, quantity)
    )
  })
}

/** Whether one of the numbers before `end`, divided by `scale`, is the same. Compares only numbers of similar size. */
function hasNear(
  series: Series | undefined,
  value: number,
  scale: number,
  { step, isRough }: Pick<Quantity, 'step' | 'isRough'>,
  end = Number.POSITIVE_INFINITY,
): boolean {
  if (series === undefined) return false
  const reach = Math.max(step, isRough ? lastDigitOf(value) : 0) + value * 2e-9 + 2e-9
  const sorted = series.sorted()
  const least = firstPlace(sorted.length, (i) => (sorted[i]?.value ?? 0) < (value - reach) * scale)
  for (let i = least; i < sorted.length; i++) {
    const { value: other, at } = sorted[i] ?? { value: 0, at: 0 }
    if (other > (value + reach) * scale) return false
    if (at < end && isSame(value, other / scale, step, isRough)) return true
  }
  return false
}

/** Binary search: the first position that does not come before. */
function firstPlace(length: number, comesBefore: (place: number) => boolean): number {
  let [from, to] = [0, length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (comesBefore(middle)) from = middle + 1
    else to = middle
  }
  return from
}

/** Whether a writer may have computed the number from its neighbours in the note: the same in another unit, a ratio, a difference. */
export function followsFrom(quantity: Quantity, sign: string, note: Numbers, from: number, to: number): boolean {
  const { values, unit, step } = quantity
  const earlier = unit === null ? undefined : note.measured.get(unit.dimension)
  if (values.some((value) => hasNear(earlier, value, unit?.factor ?? 1, { step, isRough: false }, from))) return true
  // Only direct neighbours, as written and by dimension: among all numbers of a note, some pair would fit anything.
  return [note.all, ...note.measured.values()].some((series) => {
    const [before, behind] = [from, to].map((end) =>
      firstPlace(series.at.length, (i) => (series.at[i] ?? 0) < end),
    ) as [number, number]
    return [series.values.slice(Math.max(0, before - 2), before), series.values.slice(behind, behind + 2)].some(
      (pair) => {
        const [large, small] = pair.toSorted((a, b) => b - a)
        if (large === undefined || small === undefined || small <= 0) return false
        const computed = computedFrom(large, small, unit, sign)
        return values.some((value) => computed.some((other) => Math.abs(other - value) <= step / 2 + other * 0.01))
      },
    )
  })
}

function computedFrom(large: number, small: number, unit: Unit | null, sign: string): number[] {
  if (unit?.dimension === 'factor') return [large / small]
  if (unit?.dimension === 'share') return [(1 - small / large) * 100, (large / small - 1) * 100]
  return sign === '' ? [] : [large - small, (large - small) / (unit?.factor ?? 1)]
}

/** Equal, or rounded to the note's precision; a whole number is not a rounding of another whole number. */
function isSame(value: number, other: number, step: number, isRough: boolean): boolean {
  // Units were multiplied and divided: equal except for the last bits.
  if (Math.abs(value - other) <= Math.abs(other) * 1e-9) return true
  const off = Math.abs(value - other)
  if (isRough && off < lastDigitOf(value) && off <= Math.abs(other) * ROUGH) return digitsOf(value) < digitsOf(other)
  return !Number.isInteger(other / step) && off <= step / 2 + 1e-9 && off <= other * ROUNDED
}

/** The number of significant digits: a number with “about” has fewer. */
function digitsOf(value: number): number {
  return String(value)
    .replace(/^0\.0*|\./g, '')
    .replace(/0+$/, '').length
}

/** The value of the last significant digit's unit: 100 for 1,200. */
function lastDigitOf(value: number): number {
  return 10 ** (Math.floor(Math.log10(value)) - digitsOf(value) + 1)
}
