/** Facts about one file belong together, though they share no word: the last resort of those that fit nowhere. */

import type { Fact } from '../knowledge/fact.ts'
import { TOPIC_WORDS } from './concept-lexicon.ts'
import { ANYWHERE_PARTS } from './concept-terms.ts'
import { unitsOf } from './concept-words.ts'

export interface Sharing {
  fact: Pick<Fact, 'files' | 'resolution'>
  concept: string | null
}

export interface Shared<T extends Sharing> {
  /** What the file would be called as a topic. */
  name: string
  /** The concept of the others that are about the file; null: they have none either. */
  home: string | null
  members: T[]
}

/** Files that every change touches. */
const EVERYBODYS =
  /(?:^|\/)(?:package(?:-lock)?\.json|[^/]*lock[^/]*|tsconfig[^/]*|readme[^/]*|changelog[^/]*|license[^/]*|claude\.md|agents\.md|todo[^/]*|\.[^/]+|makefile|dockerfile|cargo\.toml|pyproject\.toml|go\.(?:mod|sum)|requirements[^/]*)$/i
const PATH = /(?:[\w@.-]+\/)+[\w@-]+(?:\.[\w-]+)*\.[a-z][a-z\d]{0,5}\b/gi
/** A fact that is about many files is about none of them. */
const FEW_FILES = 3
/** Where so many are about one file, the file says nothing. */
const MOST_FACTS = 12

/** By file, each fact without a concept once; what stays over for another file is found the next time. */
export function sharedFiles<T extends Sharing>(facts: readonly T[]): Shared<T>[] {
  const taken = new Set<T>()
  const found: Shared<T>[] = []
  for (const [file, about] of [...byFile(facts)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (about.length < 2 || about.length > MOST_FACTS || about.some((one) => taken.has(one))) continue
    const members = about.filter(({ concept }) => concept === null)
    const [home = null, ...others] = new Set(about.flatMap(({ concept }) => concept ?? []))
    const name = topicOf(file)
    if (members.length === 0 || others.length > 0 || name === null) continue
    for (const one of members) taken.add(one)
    found.push({ name, home, members })
  }
  return found
}

/** Only files of facts that have no concept: thousands have one. */
function byFile<T extends Sharing>(facts: readonly T[]): Map<string, T[]> {
  const found = new Map<string, T[]>()
  for (const { fact, concept } of facts)
    if (concept === null) for (const file of filesOf(fact)) if (!EVERYBODYS.test(file)) found.set(file, [])
  if (found.size === 0) return found
  for (const one of facts) for (const file of filesOf(one.fact)) found.get(file)?.push(one)
  return found
}

/** What solved an issue names where it was. None where there are many. */
function filesOf({ files, resolution }: Sharing['fact']): ReadonlySet<string> {
  const named = resolution?.includes('/') ? (resolution.match(PATH) ?? []) : []
  const all = new Set([...files, ...named].map(tidy))
  return all.size > FEW_FILES ? NONE : all
}

const NONE: ReadonlySet<string> = new Set()

function tidy(file: string): string {
  return file.includes('\\') || file.startsWith('./') ? file.replace(/\\/g, '/').replace(/^(?:\.\/)+/, '') : file
}

/** A word of the trade among its last folder and its name, else the name; null: it is called like files anywhere. */
function topicOf(file: string): string | null {
  const parts = file.split('/').filter((part) => part !== '')
  const stem = (parts.at(-1) ?? '').replace(/\..*$/, '')
  const folder = parts.slice(0, -1).findLast((part) => !ANYWHERE_PARTS.has(part.toLowerCase())) ?? ''
  const names = [folder, stem].filter((part) => part.length > 1 && !ANYWHERE_PARTS.has(part.toLowerCase()))
  const isTopic = (part: string): boolean => unitsOf(part).some(({ key }) => TOPIC_WORDS.has(key))
  const name = names.find(isTopic) ?? names.at(-1)
  return name === undefined
    ? null
    : unitsOf(name.replace(/[-_.]+/g, ' '))
        .map(({ written }) => written)
        .join(' ') || null
}
