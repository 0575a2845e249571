/** How another memory is joined into ours: sessions by entry, notes and facts one by one, every other file by its kind. Nothing of ours is lost, nothing comes twice. */

import { type Joining, nameIn } from '../../kernel/memory/file-kind.ts'
import { notesIn } from '../../kernel/memory/note.ts'
import type { Effect } from '../../kernel/platform/effect.ts'
import { CONCEPTS_FILE, FACTS_FILE, id8OfFile, isArchiveFile, MEMORY_FILE } from '../../kernel/platform/layout.ts'
import { NO_TIME } from '../../kernel/platform/time.ts'
import { compareText } from '../../kernel/text/memory-words.ts'
import { estimateTokens } from '../../kernel/text/tokens.ts'
import { joinVersions, kindInPlace, type MemoryFile } from '../files.ts'
import { formatConcepts, NO_CONCEPTS, parseConcepts } from '../knowledge/concept.ts'
import { formatItems, parseItems } from '../knowledge/facts-file.ts'
import { NO_ITEMS } from '../knowledge/items.ts'
import { joinKnowledge, type Known } from '../knowledge/join-knowledge.ts'
import { joinNotes, withoutKnownNotes } from '../notes/file-changes.ts'
import type { RotationLimits } from '../notes/rotation.ts'
import { joinRules } from '../pages/rule.ts'
import { splitArchive, splitMemory, type TextOf } from './split-notes.ts'

/** The memory into which another one is joined. */
export interface Here {
  textOf: TextOf
  /** The paths of the files of sessions, in the form that counts. */
  sessions: readonly string[]
  /** The names of the existing archives. */
  archives: readonly string[]
  /** The knowledge that our files have, or what can be recovered of it. */
  known: Known
  limits: RotationLimits
  conceptSimilarity: number
}

export interface Merge {
  /** In an order in which a killed run loses nothing. Afterwards the caller must call repairMemory, which indexes new archives. */
  effects: Effect[]
  /** Files that could not be read. */
  left: string[]
}

/** `theirs`: of today's form. The caller leaves out writes of what is there already. */
export function planMerge(theirs: readonly MemoryFile[], here: Here): Merge {
  const left = theirs.filter(isUnread).map(({ path }) => path)
  const effects = [...otherFiles(theirs, here), ...knowledgeFiles(theirs, here), ...noteFiles(theirs, here)]
  return { effects, left }
}

function isUnread({ path, text }: MemoryFile): boolean {
  if (path === FACTS_FILE) return parseItems(text) === null
  return path === CONCEPTS_FILE && parseConcepts(text) === null
}

/** An existing text is not written again. */
function otherFiles(theirs: readonly MemoryFile[], here: Here): Effect[] {
  // Two files may have the same name: the second must see what the first will have written.
  const written = new Map<string, string>()
  const textOf: TextOf = (path) => written.get(path) ?? here.textOf(path)
  return theirs.flatMap(({ path, text }): Effect[] => {
    const { arriving } = kindInPlace(path) ?? {}
    if (arriving === undefined || arriving === 'content') return []
    const session = sessionIn(path)
    const at = session === null ? path : (here.sessions.find((one) => sessionIn(one) === session) ?? path)
    const there = textOf(at)
    if (there?.includes(text.trim())) return []
    const joined = there === null ? text : joinedText(arriving, path, there, text)
    const to = joined === null ? path.replace(/\.md$/i, '-earlier.md') : at
    written.set(to, joined ?? text)
    return [{ do: 'write', path: to, text: joined ?? text }]
  })
}

/** The id8, for the file of a session, compressed or not. */
function sessionIn(path: string): string | null {
  return id8OfFile(nameIn(path).replace(/\.gz$/, ''))
}

/** Null: the arriving text gets another name. */
function joinedText(arriving: Joining, path: string, ours: string, theirs: string): string | null {
  switch (arriving) {
    case 'ours':
      return ours
    case 'join':
      return joinVersions(path, ours, theirs)
    case 'rules':
      return joinRules(ours, theirs)
    case 'behind':
      return `${ours.trimEnd()}\n\n${theirs}`
    default:
      return null
  }
}

/** Where we know nothing, theirs stays byte for byte. A file that differs only in format is not changed. */
function knowledgeFiles(theirs: readonly MemoryFile[], { known, conceptSimilarity }: Here): Effect[] {
  const given = (path: string): string => theirs.find((one) => one.path === path)?.text ?? ''
  const arriving: Known = {
    facts: parseItems(given(FACTS_FILE)) ?? NO_ITEMS,
    concepts: parseConcepts(given(CONCEPTS_FILE)) ?? NO_CONCEPTS,
  }
  const [facts, concepts] = textsOf(known)
  const isNew = textsOf({ facts: NO_ITEMS, concepts: NO_CONCEPTS }).join() === [facts, concepts].join()
  const joined = textsOf(joinKnowledge(known, arriving, conceptSimilarity))
  const write = (path: string, before: string, after: string): Effect[] =>
    after === before ? [] : [{ do: 'write', path, text: isNew ? given(path) : after }]
  return [...write(FACTS_FILE, facts, joined[0]), ...write(CONCEPTS_FILE, concepts, joined[1])]
}

function textsOf({ facts, concepts }: Known): [facts: string, concepts: string] {
  return [formatItems(facts), formatConcepts(concepts)]
}

/** Archives first, then memory.md; if it must be split, it is written as a whole before its pieces: repairMemory completes it after a kill. */
function noteFiles(theirs: readonly MemoryFile[], { textOf: textHere, archives, limits }: Here): Effect[] {
  const ours = textHere(MEMORY_FILE)
  const archived = archives.flatMap((file) => textHere(file) ?? [])
  const taken = new Map<string, string>()
  const textOf: TextOf = (file) => taken.get(file) ?? textHere(file)
  for (const { path, text } of theirs.filter((one) => isArchiveFile(one.path))) {
    const fresh = withoutKnownNotes(text, [...archived, ours ?? ''])
    // A rotation leaves up to twice as much in one archive.
    const isWhole = textOf(path) === null && estimateTokens(fresh) <= 2 * limits.fullTokens
    const known = { names: archives, textOf }
    const [first, ...others] = isWhole
      ? [{ file: path, text: fresh }]
      : splitArchive(() => path, fresh, limits.fullTokens, known)
    // The first piece has the name of the whole and is written after the others: a kill in between loses none of them.
    for (const one of first === undefined || fresh === '' ? [] : [...others, first]) taken.set(one.file, one.text)
  }
  const write = (path: string, text: string): Effect => ({ do: 'write', path, text })
  const arriving = theirs.flatMap(({ path, text }) => (path === MEMORY_FILE ? [text] : [])).join('')
  const memory =
    ours === null ? withoutKnownNotes(arriving, archived) : joinNotes(ours, arriving, [...archived, ...taken.values()])
  const effects = [...taken].map(([file, text]) => write(file, text))
  if (arriving === '' || memory === '') return effects
  const known = { names: [...archives, ...taken.keys()], textOf }
  const split = splitMemory(memory, limits, newestIn([...taken.values(), memory]), known)
  const pieces = split.archives.map(({ file, text }) => write(file, text))
  return [
    ...effects,
    ...(pieces.length === 0 ? [] : [write(MEMORY_FILE, split.whole), ...pieces]),
    write(MEMORY_FILE, split.memory),
  ]
}

/** A text without a date is as old as its memory, never as the merge. */
function newestIn(texts: readonly string[]): string {
  const times = texts.flatMap(notesIn).map(({ at }) => at)
  return times.toSorted(compareText).at(-1) ?? NO_TIME
}
