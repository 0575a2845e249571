/** Units of what teammates share: found under their name, about no session of ours, and never as a rule. */

import { parseSharedConcepts, parseSharedFacts, parseSharedNotes } from '../copies/share.ts'
import { SHARED_DIR } from '../platform/layout.ts'
import { isWho, SHARED_CONCEPTS, SHARED_FACTS, SHARED_FILES, SHARED_MEMORY } from '../trust/share-files.ts'
import { joinedUnits, type NewUnit } from './units-json.ts'

export const SHARED_PREFIX = `${SHARED_DIR}/`

/** Whose file it is, of those that are read; null: none of them. */
export function sharerOf(path: string): string | null {
  const [dir, who = '', file = '', ...rest] = path.split('/')
  return dir === SHARED_DIR && isWho(who) && SHARED_FILES.includes(file) && rest.length === 0 ? who : null
}

export function readShared(path: string, text: string): NewUnit[] {
  const who = sharerOf(path)
  if (who === null) return []
  return (
    READERS[path.slice(path.lastIndexOf('/') + 1)]?.(text).map((unit) => ({
      ...unit,
      id: `${who}:${unit.id}`,
      state: unit.state || `of ${who}`,
    })) ?? []
  )
}

const READERS: Readonly<Record<string, (text: string) => NewUnit[]>> = {
  [SHARED_FACTS]: (text) =>
    parseSharedFacts(text).map((fact) => ({
      id: fact.id,
      kind: fact.type === 'rule' ? 'pattern' : fact.type,
      at: fact.at,
      text: joinedUnits([fact.text, fact.reason ?? '', fact.resolution ?? '', (fact.files ?? []).join(' ')]),
      state: fact.isStale === true ? 'stale' : fact.status === 'resolved' ? 'resolved' : '',
    })),
  [SHARED_MEMORY]: (text) => parseSharedNotes(text).map((note) => ({ ...note, kind: 'note' })),
  [SHARED_CONCEPTS]: (text) =>
    parseSharedConcepts(text).map(({ id, name, summary, keywords }) => ({
      id,
      kind: 'concept',
      text: joinedUnits([name, summary, keywords.join(' ')]),
    })),
}
