/** Room within a budget: whole lines, the most important first; or a part of the room for each text. */

interface Options<T> {
  /** What a line costs; characters and a line break unless given. */
  cost?: (text: string) => number
  /** The lowest first; without it lines are taken in their order. */
  rank?: (line: T) => number
}

/** A line that does not fit is left out, and shorter ones behind it are tried. */
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
  /** How many characters it has. */
  chars: number
  weight: number
}

/**
 * How many characters each of these gets of the room, by its weight; what one does not need goes to the others. Where not even
 * `least` is there for all, the lightest get none.
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
