/** Converts rules of 0.5.x once: rules that it recognised by wording, or activated itself, become proposed rules. */

import path from 'node:path'
import { readFacts, writeFacts } from '../../../core/knowledge/disk/knowledge.ts'
import type { PermanentItem, Proof } from '../../../core/knowledge/item.ts'
import { type Items, mapItems } from '../../../core/knowledge/items.ts'
import { addPermanent } from '../../../core/knowledge/permanent.ts'
import { knownAs, OWN_WORDS } from '../../../core/knowledge/reflection.ts'
import { readRules } from '../../../core/pages/disk/rules.ts'
import { cleanRule, isRule } from '../../../core/pages/rule.ts'
import { backUp } from '../../../kernel/memory/disk/migrate-backup.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { keptCopy } from '../../../kernel/memory/disk/vault-copy.ts'
import { disk, readOwnText } from '../../../kernel/platform/disk/files.ts'
import { isObject, parseObject, textOr, texts } from '../../../kernel/platform/json.ts'
import { FACTS_FILE } from '../../../kernel/platform/layout.ts'
import { STANDING_FILE } from '../files.ts'

/**
 * 0.5.x wrote standing.json in every memory with a session, and this version never writes it. It is deleted last: after a kill before
 * that, all of it runs again, and equal rules are not added twice. Call it under the lock.
 */
export function takeOverRules(store: Store, now: string): void {
  const text = store.ownership === 'foreign' ? null : readOwnText(path.join(store.dir, STANDING_FILE))
  if (text === null) return
  backUp(store, [STANDING_FILE, FACTS_FILE], [], now)
  const before = readFacts(store)
  writeFacts(store, before, withEarlierRules(before, parseStanding(text), readRules(store), now), now)
  const { vault } = store.places
  // Otherwise the copies would be reported as a loss of the file.
  if (store.dir === store.places.inProject)
    for (const copy of [path.join(vault, STANDING_FILE), keptCopy(vault, STANDING_FILE)]) disk.remove(copy)
  store.perform([{ do: 'remove', path: STANDING_FILE }])
}

const FROM = '0.5'

/** The needed fields of a standing instruction in `standing.json`. */
interface Standing {
  /** For example t001. */
  id: string
  text: string
  kind: string
  status: string
  at: string
  /** Where it was said; the first place has the quote. */
  evidence: Proof[]
}

/** Of a broken file, each line that is an instruction is read. */
function parseStanding(text: string): Standing[] {
  const raw = parseObject(text)
  const all = raw === null ? text.split('\n').map((line) => parseObject(line.trim().replace(/,$/, ''))) : raw.standing
  return (Array.isArray(all) ? all : []).flatMap((one): Standing[] => {
    if (!isObject(one) || typeof one.id !== 'string' || typeof one.text !== 'string') return []
    const places = [`${one.session}#${one.entry}`, ...texts(one.also)].flatMap((name, i): Proof[] => {
      const [, session, entry] = /^([0-9a-z]{8})#(\d{1,9})$/.exec(name) ?? []
      return session === undefined ? [] : [{ session, entry: Number(entry), quote: i === 0 ? String(one.text) : '' }]
    })
    const [kind = '', status = '', at = ''] = [one.kind, one.status, one.at].map((value) => textOr(value, ''))
    return [{ id: one.id, text: one.text, kind, status, at, evidence: places }]
  })
}

/**
 * Active rules without the user's approval and injected instructions become proposed; declined instructions stay
 * declined. Accepted instructions are already in rules.md. Corrections and superseded instructions stay in the backup.
 */
function withEarlierRules(before: Items, standing: readonly Standing[], rules: readonly string[], now: string): Items {
  const own = new Set(rules.map((rule) => rule.toLowerCase()))
  const asked = mapItems(before, (item) => (item.kind === 'rules' ? unconfirmed(item, now) : item))
  return standing.reduce<Items>((facts, { id, text: said, kind, status, at, evidence }) => {
    const text = cleanRule(said)
    const isDeclined = status === 'declined'
    const isWanted = isDeclined || (status === 'candidate' && kind !== 'correction')
    const isKnown = own.has(text.toLowerCase()) || knownAs(facts, { text, facts: [id] })
    if (!isWanted || isKnown || !isRule(text)) return facts
    return addPermanent(facts, {
      kind: 'rules',
      text,
      evidence,
      at: at || now,
      usedAt: at || now,
      from: FROM,
      askedAt: now,
      by: 'code',
      facts: [],
      concept: null,
      state: isDeclined ? 'declined' : 'proposed',
      ...(isDeclined ? { judged: { by: 'user', at: now, why: null, other: null } } : {}),
    }).items
  }, asked)
}

/** 0.5.x activated rules itself, from words that it took for the user's. */
function unconfirmed(item: PermanentItem, now: string): PermanentItem {
  const { judged, ...rest } = item
  const isByCode = judged === undefined ? item.by === 'code' : judged.by === 'code' && judged.why !== OWN_WORDS
  if (item.state !== 'active' || item.by === 'user' || !isByCode) return item
  return { ...rest, state: 'proposed', from: FROM, askedAt: now }
}
