/** Links to whatever has an id: an entry, a note, a fact, a rule. */
import type { JSX } from 'preact'
import { formatRoute } from './route.ts'

const ENTRY = /^L1:([0-9a-z]{8})(?:#(\d+))?$/

/** Where an id is shown; anything that has no view of its own opens in the search. */
export function hrefOf(id: string): string {
  const entry = ENTRY.exec(id)
  if (entry !== null) return formatRoute('timeline', entry[1], { e: entry[2] })
  if (/^n-/.test(id)) return formatRoute('memory', '', { note: id })
  if (/^[dpi]\d+$/.test(id)) return formatRoute('knowledge', '', { fact: id })
  if (/^r\d+$/.test(id)) return formatRoute('knowledge', '', { part: 'rules', fact: id })
  return formatRoute('search', id)
}

export function PlaceView({ id }: { id: string }): JSX.Element | null {
  if (id === '') return null
  return (
    <a class="place" href={hrefOf(id)}>
      {id}
    </a>
  )
}

export function entryHref(session: string, entry: number): string {
  return formatRoute('timeline', session, { e: entry })
}

const IDS = /(L1:[0-9a-z]{8}#\d+|\bn-[0-9a-z]{8}-\d+-\d+\b|\b[dpirt]\d{3,}\b)/

/** A text as it stands, in which what has an id is a link. */
export function Linked({ text }: { text: string }): JSX.Element {
  return (
    <>
      {text.split(IDS).map((part, i) =>
        i % 2 === 0 ? (
          part
        ) : (
          <a key={i} href={hrefOf(part)}>
            {part}
          </a>
        ),
      )}
    </>
  )
}
