/** A fact in words for people: its state, who said it, where, and what became of it. */
import type { Concepts } from '../../knowledge/concept.ts'
import type { Fact } from '../../knowledge/fact.ts'
import { isPinned, pastOf } from '../../knowledge/fact-list.ts'
import type { Judged } from '../../knowledge/judged.ts'
import { bold, dim, harmless, table, warning } from '../../memory/commands/output.ts'
import { entryId } from '../../transcript/session.ts'

const SHOWN_PLACES = 8

const SPEAKERS = { user: 'you', assistant: 'Claude', tool: 'a tool' } as const
const AUTHORS = { agent: 'Claude, as agent', headless: 'Claude, in the background', extractive: 'code', user: 'you' }
const JUDGES: Readonly<Record<string, string>> = { ...AUTHORS, code: 'code', git: 'git' }

/** Whose words prove it; a dash where nobody noted it. */
export function speakerName({ author, evidence }: Fact): string {
  return author === 'user' ? 'you' : evidence.by === undefined ? '–' : SPEAKERS[evidence.by]
}

/** What a reader must know before believing it: empty for one that simply holds. */
export function stateMark(fact: Fact): string {
  const { state, status } = fact
  const held = state === 'stale' && status !== null ? `${state}, ${status}` : state === 'fresh' ? (status ?? '') : state
  return isPinned(fact) ? ['pinned', held].filter((word) => word !== '').join(', ') : held
}

export function conceptName({ concept }: Fact, { concepts }: Concepts): string | null {
  if (concept === null) return null
  return concepts.find(({ id }) => id === concept)?.name ?? concept
}

/** Null: it was taken from no session. */
export function factSource({ session, evidence }: Fact): string | null {
  return session === '' || evidence.entry < 0 ? null : entryId(session, evidence.entry)
}

/** Where else it was said, as ids that `show` opens, the newest first. */
export function otherPlaces({ also = [] }: Fact): string[] {
  const places = also.map((one) => /^([0-9a-z]{8})#(\d+)$/.exec(one)).flatMap((match) => (match ? [match] : []))
  return [...new Set(places.map(([, session = '', entry]) => entryId(session, Number(entry))))].toReversed()
}

export function renderFact(fact: Fact, concepts: Concepts): string[] {
  const source = factSource(fact)
  const when = fact.at === '' ? '' : `, ${minute(fact.at)} UTC`
  const mark = fact.state === 'fresh' ? '' : `  ${warning(fact.state)}`
  return [
    `${bold(harmless(fact.id))} ${dim(harmless(`${fact.type}${when}; noted by ${AUTHORS[fact.author]}`))}${mark}`,
    harmless(fact.text),
    ...table(detailsOf(fact, concepts)),
    ...historyOf(fact),
    source === null
      ? dim(
          fact.author === 'user'
            ? 'It is your own word: no session proves it.'
            : 'It names no entry it was taken from.',
        )
      : `The source: memory-keeper show ${harmless(source)}`,
  ]
}

function detailsOf(fact: Fact, concepts: Concepts): string[][] {
  const { reason, status, resolution, evidence, files, lastAt, concept, contradictedBy } = fact
  const places = otherPlaces(fact)
  const more = places.length - SHOWN_PLACES
  const name = conceptName(fact, concepts)
  const rows: (readonly [string, string | null])[] = [
    ['because', reason],
    ['status', status === 'resolved' && resolution !== null ? `resolved: ${resolution}` : status],
    ['state', stateLine(fact)],
    ['pinned', fact.pinned === true ? pinLine(fact) : null],
    ['against', contradictedBy === undefined ? null : `${contradictedBy} seems to say otherwise; nobody has judged it`],
    ['concept', name === null || name === concept ? concept : `${concept} ${name}`],
    ['proof', evidence.quote === '' ? null : `"${evidence.quote}"${saidBy(fact)}`],
    ['also', places.length === 0 ? null : places.slice(0, SHOWN_PLACES).join(', ') + (more > 0 ? ` +${more}` : '')],
    ['last said', lastAt === undefined || lastAt === fact.at ? null : `${minute(lastAt)} UTC`],
    ['files', files.length === 0 ? null : files.join(', ')],
  ]
  return rows.flatMap(([label, value]) => (value === null ? [] : [[`  ${label}`, harmless(value)]]))
}

function pinLine(fact: Fact): string {
  return isPinned(fact) ? 'told first in every briefing' : `not told while it is ${fact.state}`
}

function saidBy(fact: Fact): string {
  const name = speakerName(fact)
  return name === '–' ? '' : `, said by ${fact.evidence.by === undefined ? name : SPEAKERS[fact.evidence.by]}`
}

/** Null: it simply holds. */
function stateLine({ state, judged }: Fact): string | null {
  if (state === 'fresh') return null
  if (judged === undefined) return state
  const by = judged.other === null ? '' : ` by ${judged.other}`
  return `${state}${by}, ${judgeLine(judged)}`
}

function judgeLine({ by, at, why }: Judged): string {
  return `${JUDGES[by] ?? by} said so ${minute(at)} UTC${why === null ? '' : `: ${why}`}`
}

function historyOf(fact: Fact): string[] {
  const past = pastOf(fact)
  if (past.length === 0) return []
  const lines = past.map(({ at, by, what }) => harmless(`  ${minute(at)} ${JUDGES[by] ?? by}: ${what}`))
  return [dim('What became of it:'), ...lines.map(dim)]
}

function minute(at: string): string {
  return at.slice(0, 16).replace('T', ' ')
}
