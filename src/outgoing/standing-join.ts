/** Standing instructions of two memories of one person, as one: each once, under an id that nobody else has. */
import type { Standing, StandingList } from './standing-list.ts'

/** Ours stay as they are. The same object where nothing is new. */
export function joinStanding(ours: StandingList, theirs: StandingList): StandingList {
  const known = new Set(ours.standing.map(keyOf))
  const news = theirs.standing.filter((one) => !known.has(keyOf(one)))
  const unread = Object.entries(theirs.read).filter(([id8]) => !Object.hasOwn(ours.read, id8))
  if (news.length === 0 && unread.length === 0) return ours
  let last = Math.max(0, ...ours.standing.map(({ id }) => Number(id.slice(1))))
  const taken = new Set(ours.standing.map(({ id }) => id))
  const added = news.map((one): Standing => {
    if (!taken.has(one.id)) {
      taken.add(one.id)
      last = Math.max(last, Number(one.id.slice(1)))
      return one
    }
    return { ...one, id: '' }
  })
  const named = added.map((one) => (one.id === '' ? { ...one, id: `t${String(++last).padStart(3, '0')}` } : one))
  return { read: { ...Object.fromEntries(unread), ...ours.read }, standing: [...ours.standing, ...named] }
}

function keyOf({ kind, text }: Standing): string {
  return `${kind} ${text
    .toLowerCase()
    .replace(/[\s\p{P}]+/gu, ' ')
    .trim()}`
}
