/** Rules of 0.5.x: what that version recognised by wording, or activated itself, becomes a proposed rule. */
import type { Facts } from '../knowledge/fact.ts'
import { addPermanent, type PermanentItem, type PermanentStatus } from '../knowledge/permanent.ts'
import { knownAs, OWN_WORDS } from '../knowledge/reflection.ts'
import { cleanRule, isRule } from '../pages/rule.ts'
import { isObject, parseObject, textOr, texts } from '../platform/json.ts'

const FROM = '0.5'

/** A standing instruction of `standing.json`. */
export interface Standing {
  /** t001 */
  id: string
  text: string
  kind: string
  at: string
  /** The session's id8. */
  session: string
  entry: number
  /** Other places, as `session#entry`. */
  also: string[]
  status: string
}

/** Of a broken file each line that is an instruction is read. */
export function parseStanding(text: string): Standing[] {
  const raw = parseObject(text)
  const all = raw === null ? text.split('\n').map((line) => parseObject(line.trim().replace(/,$/, ''))) : raw.standing
  return (Array.isArray(all) ? all : []).flatMap((one): Standing[] => {
    if (!isObject(one) || typeof one.id !== 'string' || typeof one.text !== 'string') return []
    const entry = typeof one.entry === 'number' ? one.entry : -1
    const [kind, at, session, status] = [one.kind, one.at, one.session, one.status].map((value) => textOr(value, ''))
    return [{ ...one, id: one.id, text: one.text, kind, at, session, entry, also: texts(one.also), status } as Standing]
  })
}

function standingPlaces({ session, entry, also }: Standing): { session: string; entry: number }[] {
  const others = also.flatMap((name) => {
    const [, in8, n] = /^([0-9a-z]{8})#(\d{1,9})$/.exec(name) ?? []
    return in8 === undefined ? [] : [{ session: in8, entry: Number(n) }]
  })
  return [{ session, entry }, ...others].filter((place) => place.session !== '')
}

/**
 * Active rules without the user's yes and instructions that were injected become proposed, declined instructions stay
 * declined. Accepted instructions are in rules.md already. Corrections and superseded instructions stay in the backup.
 */
export function withEarlierRules(
  facts: Facts,
  standing: readonly Standing[],
  rules: readonly string[],
  now: string,
): Facts {
  const own = new Set(rules.map((rule) => rule.toLowerCase()))
  const isWaiting = ({ status, kind }: Standing): boolean => status === 'candidate' && kind !== 'correction'
  return standing
    .filter((one) => isWaiting(one) || one.status === 'declined')
    .reduce((after, one) => withInstruction(after, one, own, now), {
      ...facts,
      permanent: { ...facts.permanent, rules: facts.permanent.rules.map((item) => unconfirmed(item, now)) },
    })
}

/** 0.5.x activated rules by itself from words that it took for the user's. */
function unconfirmed(item: PermanentItem, now: string): PermanentItem {
  const isByCode =
    item.judged === undefined ? item.by === 'code' : item.judged.by === 'code' && item.judged.why !== OWN_WORDS
  if (item.status !== 'active' || item.by === 'user' || !isByCode) return item
  const { judged: _, ...kept } = item
  return { ...kept, status: 'proposed', from: FROM, askedAt: now }
}

function withInstruction(facts: Facts, one: Standing, own: ReadonlySet<string>, now: string): Facts {
  const text = cleanRule(one.text)
  if (!isRule(text) || own.has(text.toLowerCase()) || knownAs(facts.permanent, { text, facts: [one.id] })) return facts
  const status: PermanentStatus = one.status === 'declined' ? 'declined' : 'proposed'
  const evidence = standingPlaces(one).map((place, i) => ({ ...place, quote: i === 0 ? one.text : '' }))
  const item = { text, at: one.at || now, status, by: 'code' as const, facts: [], evidence, concept: null }
  const judged = status === 'declined' ? { judged: { by: 'user' as const, at: now, why: null, other: null } } : {}
  return addPermanent(facts, 'rules', { ...item, usedAt: one.at || now, from: FROM, askedAt: now, ...judged })
}
