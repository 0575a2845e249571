/** Standing instructions without what is forgotten. */

import { type Forgetting, type Gone, type Outcome, unchanged } from '../forget/forget-context.ts'
import { correctionsIn } from './correction.ts'
import { statedIn } from './standing.ts'
import { formatStanding, isBrokenStanding, parseStanding, type Standing, standingPlaces } from './standing-list.ts'

export function forgetStanding(text: string, about: Forgetting): Outcome {
  if (isBrokenStanding(text)) return unchanged(text)
  const list = parseStanding(text)
  const gone: Gone[] = []
  const standing = list.standing.flatMap((one) => {
    const kept = keepOne(one, about)
    if (kept === null) gone.push({ id: one.id, kind: 'standing', text: one.text })
    return kept ?? []
  })
  const isSame = gone.length === 0 && standing.every((one, i) => one === list.standing[i])
  return isSame ? unchanged(text) : { text: formatStanding({ ...list, standing }), gone }
}

/** Said elsewhere, too, it stays in the words of that place. */
function keepOne(one: Standing, about: Forgetting): Standing | null {
  if (about.ids.has(one.id)) return null
  const places = standingPlaces(one)
  const left = places.filter(({ session, entry }) => !about.isGone(session, entry))
  if (left.length === places.length && !about.isSaid(one.text)) return one
  const [own, ...others] = left
  if (own === undefined) return null
  const rest = {
    ...one,
    also: others.map(({ session, entry }) => `${session}#${entry}`),
    times: Math.max(1, one.times - (places.length - left.length)),
  }
  const isOwn = own.session === one.session && own.entry === one.entry
  if (isOwn && !about.isSaid(one.text)) return rest
  const entries = about.left(own.session).filter(({ n }) => n === own.entry)
  const said = [...statedIn(entries), ...correctionsIn(entries)].find(
    ({ kind, text }) => kind === one.kind && !about.isSaid(text),
  )
  return said === undefined ? null : { ...rest, text: said.text, at: said.at, session: own.session, entry: own.entry }
}
