/** Distributes a budget: `select` takes whole lines, the most important first; `allot` gives each text a share of the room. */

interface Options<T> {
  /** The cost of a line; by default its length and a line break. */
  cost?: (text: string) => number
  /** Lines with the lowest rank are taken first; without it, lines are taken in their order. */
  rank?: (line: T) => number
}

/** A line that does not fit is skipped; shorter lines behind it are still tried. */
export function select<T extends { text: string }>(lines: readonly T[], budget: number, options: Options<T> = {}): T[] {
  const { cost = ({ length }: string): number => length + 1, rank } = options
  const ranked = rank === undefined ? lines : lines.toSorted((a, b) => rank(a) - rank(b))
  const taken = new Set<T>()
  let room = budget
  for (const line of ranked) {
    const price = cost(line.text)
    if (price > room) continue
    room -= price
    taken.add(line)
  }
  return lines.filter((line) => taken.has(line))
}

interface Wanting {
  /** The length of the text. */
  chars: number
  weight: number
}

/**
 * Returns how many characters each text gets, by weight. Room that one text does not need goes to the others.
 * If the room is too small for `least` characters each, the texts with the lowest weight get none.
 */
export function allot(texts: readonly Wanting[], room: number, least: number): number[] {
  const most = Math.max(1, Math.floor(room / least))
  const heaviest = new Set(texts.toSorted((a, b) => b.weight - a.weight).slice(0, most))
  const given = new Map<Wanting, number>()
  let open = texts.filter((one) => heaviest.has(one))
  let left = room
  for (let isSettled = false; !isSettled && open.length > 0; ) {
    const sum = open.reduce((total, { weight }) => total + weight, 0)
    const share = (weight: number): number => Math.max(least, Math.floor((left * weight) / sum))
    const small = open.filter(({ chars, weight }) => chars <= share(weight))
    isSettled = small.length === 0
    for (const one of isSettled ? open : small) {
      const got = Math.min(one.chars, share(one.weight))
      given.set(one, got)
      if (!isSettled) left -= got
    }
    open = open.filter((one) => !given.has(one))
  }
  return texts.map((one) => given.get(one) ?? 0)
}
