/** What a search finds of others: shared files in the project, and rows in home storage. */

import { joinedText, type Kind, type NewUnit, place } from '../../kernel/memory/document.ts'
import { nameIn } from '../../kernel/memory/file-kind.ts'
import { SHARED_DIR } from '../../kernel/platform/layout.ts'
import { quotedWords } from '../../kernel/text/memory-words.ts'
import { isWho, SHARED_FACTS, SHARED_FILES, SHARED_MEMORY } from '../../kernel/trust/share-files.ts'
import { prosePieces } from '../pages/prose-pieces.ts'
import { effectiveAt, type OtherRow, type OtherType, parseOthers } from './others.ts'
import { parseSharedConcepts, parseSharedFacts, parseSharedNotes } from './share.ts'

/** Teammates' shared items are found under their name, are about no session of ours, and are never rules. */
/** The owner of a shared file that we read; null: not such a file. */
export function sharerOf(path: string): string | null {
  const [dir, who = '', file = '', ...rest] = path.split('/')
  return dir === SHARED_DIR && isWho(who) && SHARED_FILES.includes(file) && rest.length === 0 ? who : null
}

export function readShared(text: string, path: string): NewUnit[] {
  const who = sharerOf(path)
  return who === null ? [] : unitsOfShared(nameIn(path), text).map((unit) => ofOwner(who, unit))
}

function ofOwner(who: string, unit: NewUnit): NewUnit {
  return { ...unit, by: `from ${quotedWords(who)}`, id: `${who}:${unit.id}`, state: unit.state || `of ${who}` }
}

function unitsOfShared(name: string, text: string): NewUnit[] {
  if (name === SHARED_FACTS) return parseSharedFacts(text).map(foreignUnit)
  if (name === SHARED_MEMORY) return parseSharedNotes(text).map((note) => ({ ...note, kind: 'note' }))
  return parseSharedConcepts(text).map(({ id, name: called, summary, keywords }) => ({
    id,
    kind: 'concept',
    text: joinedText([called, summary, keywords.join(' ')]),
  }))
}

/** Of others, a rule is something that they say, and where a session stands is told like its summary. */
function kindOfOther(type: OtherType): Kind {
  return type === 'rule' ? 'pattern' : type === 'stands' ? 'session' : type
}

type Foreign = Omit<OtherRow, 'who' | 'about'>

function foreignUnit(row: Foreign): NewUnit {
  return {
    id: row.id,
    kind: kindOfOther(row.type),
    at: row.at,
    text: joinedText([row.text, row.reason ?? '', row.resolution ?? '', (row.files ?? []).join(' ')]),
    state: row.isStale === true ? 'stale' : row.status === 'resolved' ? 'resolved' : '',
  }
}

/** Rows of `copies/others.ts`, found under the name of their owner. */
export function otherUnits(text: string): NewUnit[] {
  return parseOthers(text).flatMap((row): NewUnit[] => {
    const named = { ...ofOwner(row.who, foreignUnit({ ...row, at: effectiveAt(row) })), about: row.about ?? '' }
    if (row.type !== 'page') return [named]
    return prosePieces(row.text).map((piece, k) => ({ ...named, id: place(named.id, k), text: piece }))
  })
}
