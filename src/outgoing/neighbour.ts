/** What other memories kept about a project, as data of ours: pages with where they come from, notes and facts of an agent. */
import type { NewFact } from '../knowledge/fact.ts'
import { formatNote, type Note, notesIn } from '../memory/note.ts'
import { isUntouchedTemplate, MAX_PAGE_BYTES, pageName } from '../pages/page.ts'

/** What a neighbour says, before it has its place. */
export interface Brought {
  pages: NewPage[]
  notes: Note[]
  facts: NewFact[]
}

export interface NewPage {
  name: string
  text: string
}

const MARK = '> Imported from '
/** Room for the line that says where a page comes from. */
const MAX_PART_CHARS = Math.floor(MAX_PAGE_BYTES / 4)

/** `activeContext.md` → `active-context`; null: no page can have this name. */
export function neighbourPageName(file: string, prefix: string): string | null {
  const stem = file.replace(/\.(?:md|markdown|mdc)$/i, '')
  const words = stem.replace(/([\p{Ll}\p{Nd}])(\p{Lu})/gu, '$1-$2').replace(/[^\p{L}\p{N}]+/gu, '-')
  const name = words.replace(/^-+|-+$/g, '').toLowerCase()
  if (name === '') return null
  return pageName(`${prefix}${name}`) ?? pageName(`bank-${name}`)
}

/** The text as a page, or as several where it is too long for one; each says whose words it holds. */
export function neighbourPages(name: string, text: string, source: string): NewPage[] {
  const head = `${MARK}${source}. Not written by Memory Keeper, nor said by the user in a session.\n\n`
  const parts = partsOf(text.replace(/^\ufeff/, '').trim())
  return parts.map((part, i) => ({ name: i === 0 ? name : `${name}-${i + 1}`, text: `${head}${part}\n` }))
}

/** Where a page goes: its own name, if nobody wrote another text there; null: it is there already. */
export function placeForPage({ name, text }: NewPage, textOf: (name: string) => string | null): string | null {
  for (const one of [name, `bank-${name}`, `bank-${name}-2`]) {
    const there = textOf(one)
    if (there === text) return null
    const isOurs = there?.startsWith(MARK) === true && text.startsWith(there.split('\n', 1)[0] ?? MARK)
    if (there === null || isOurs || isUntouchedTemplate(one, there)) return one
  }
  return null
}

/** Those that stand in none of these texts yet, oldest first, as they are written. */
export function freshNotes(notes: readonly Note[], texts: readonly string[], timezone: string): string {
  const known = new Set(texts.flatMap(notesIn).map(({ id }) => id))
  const fresh = notes.filter(({ id }) => !known.has(id)).toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  return fresh.map((note) => formatNote(note, timezone)).join('')
}

/** At paragraphs where there are any. */
function partsOf(text: string): string[] {
  const parts: string[] = []
  let part = ''
  for (const piece of text.split(/(?<=\n\s*\n)/).flatMap((one) => one.match(/[\s\S]{1,15000}/gu) ?? [])) {
    if (part !== '' && part.length + piece.length > MAX_PART_CHARS) {
      parts.push(part.trimEnd())
      part = ''
    }
    part += piece
  }
  return part.trim() === '' ? parts : [...parts, part.trimEnd()]
}
