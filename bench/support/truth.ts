/** The truth bench, without disk: audit requests of labelled claims, and what verdicts mean for them. */
import { type AuditClaim, auditLines, auditRequest, parseVerdicts } from '../../src/core/grounding/audit.ts'
import { findUngrounded } from '../../src/core/grounding/grounding.ts'
import { findQuote } from '../../src/core/knowledge/evidence.ts'
import type { ModelRequest } from '../../src/core/model/headless.ts'
import { sourceOf } from '../../src/kernel/sessions/delta.ts'
import { fingerprint } from '../../src/kernel/text/fingerprint.ts'
import type { Numbered } from '../../src/kernel/transcript/session.ts'

export interface LabelledClaim {
  id: string
  /** The file name of its transcript. */
  session: string
  kind: 'fact' | 'note' | 'stands' | 'resolves'
  text: string
  /** May be empty for a sentence of a note. */
  quote: string
  entry: number | null
  true: boolean
  why: string
}

export interface TruthRequest {
  /** `001` */
  name: string
  request: ModelRequest
  /** Ids of the claims by their numbers in the request. */
  ids: string[]
}

export interface Prepared {
  requests: TruthRequest[]
  /** Claims that the program refuses before any audit, with the reason. */
  refused: Map<string, string>
  /** Claims whose quote is the user's or a tool's: an unclear one is stored, marked unaudited. */
  storedIfUnclear: Set<string>
  /** Of all requests: recorded verdicts of other requests are not counted. */
  mark: string
}

/** The program checks each claim, then those that are left are asked about, as many in one request as there is room for. */
export function prepareTruth(
  claims: readonly LabelledClaim[],
  entriesOf: (session: string) => readonly Numbered[],
): Prepared {
  const refused = new Map<string, string>()
  const storedIfUnclear = new Set<string>()
  const requests: TruthRequest[] = []
  const all = shuffled(claims)
  for (const session of [...new Set(all.map((one) => one.session))].sort()) {
    const own = all.filter((one) => one.session === session)
    const entries = entriesOf(session)
    const source = { key: session, lines: auditLines(entries) }
    const words = sourceOf(entries)
    let left = own.flatMap((claim): Asked[] => {
      const found = claim.quote === '' ? null : findQuote(entries, claim.quote, claim.entry ?? undefined)
      const why = whyRefused(claim, found !== null, words)
      if (why !== null) {
        refused.set(claim.id, why)
        return []
      }
      if (found !== null && found.by !== 'assistant' && claim.kind !== 'note') storedIfUnclear.add(claim.id)
      return [{ id: claim.id, claim: claimOf(claim, found?.entry ?? claim.entry, source) }]
    })
    while (left.length > 0) {
      const audit = auditRequest(left.map(({ claim }) => claim))
      if (audit === null) break
      const name = String(requests.length + 1).padStart(3, '0')
      requests.push({ name, request: audit.request, ids: audit.asked.map((place) => left[place]?.id ?? '') })
      const asked = new Set(audit.asked)
      left = left.filter((_, place) => !asked.has(place))
    }
  }
  const mark = fingerprint(requests.map(({ request }) => request.system + request.stdin).join('\n')).slice(0, 12)
  return { requests, refused, storedIfUnclear, mark }
}

interface Asked {
  id: string
  claim: AuditClaim
}

/** As the product asks: for `stands` the end of the session, too. */
function claimOf({ text, quote, kind }: LabelledClaim, entry: number | null, source: AuditClaim['source']): AuditClaim {
  const own = entry === null ? [] : [entry]
  if (kind !== 'stands') return { text, quote, source, at: own }
  const ends = source.lines.slice(-3).map(({ n }) => n)
  return { text: `At the end of this piece: ${text}`, quote, source, at: [...ends.slice(-1), ...own, ...ends] }
}

function whyRefused({ text, quote }: LabelledClaim, isFound: boolean, words: string): string | null {
  if (quote !== '' && !isFound) return 'the quote does not occur'
  const invented = findUngrounded(text, words)
  return invented.length === 0 ? null : `not in the session: ${invented.join(', ')}`
}

/** In an order that says nothing about the labels. */
function shuffled(claims: readonly LabelledClaim[]): LabelledClaim[] {
  const key = ({ id, text }: LabelledClaim): string => fingerprint(`${text}|${id}`)
  return claims.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}

/** Verdicts by claim. A claim that was not asked about when they were recorded is not confirmed. */
export type ByClaim = Readonly<Record<string, string>>

/** As somebody answered: for each request its verdicts. */
export type Answers = Readonly<Record<string, readonly { n: number; verdict: string }[]>>

export interface Score {
  falsehoods: number
  /** Confirmed: they would be told. */
  falseTold: string[]
  /** Unclear with a quote of the user's or a tool's: stored, found by search, never told. */
  falseStored: string[]
  truths: number
  /** By the program, by a no, or unclear without such a quote. */
  trueRefused: string[]
  trueStored: string[]
  unanswered: string[]
  isGood: boolean
}

const MOST_FALSE = 0.1
const MOST_REFUSED = 0.05

export function byClaim(prepared: Prepared, answers: Answers): ByClaim {
  const verdicts: Record<string, string> = {}
  for (const { name, ids } of prepared.requests) {
    const found = parseVerdicts(
      ids.map((_, i) => i),
      { verdicts: answers[name] ?? [] },
      '',
    )
    for (const [place, verdict] of found) verdicts[ids[place] ?? ''] = verdict
  }
  return verdicts
}

export function scoreTruth(claims: readonly LabelledClaim[], prepared: Prepared, given: ByClaim): Score {
  const verdicts = new Map(Object.entries(given))
  const asked = new Set(prepared.requests.flatMap(({ ids }) => ids))
  const isToldClaim = ({ id }: LabelledClaim): boolean => verdicts.get(id) === 'yes'
  const isStored = ({ id }: LabelledClaim): boolean =>
    verdicts.get(id) === 'unclear' && prepared.storedIfUnclear.has(id)
  const ids = (some: readonly LabelledClaim[]): string[] => some.map(({ id }) => id)
  const [truths, falsehoods] = [claims.filter((one) => one.true), claims.filter((one) => !one.true)]
  const falseTold = falsehoods.filter(isToldClaim)
  const trueRefused = truths.filter((one) => !isToldClaim(one) && !isStored(one))
  const unanswered = claims.filter(({ id }) => asked.has(id) && !verdicts.has(id))
  return {
    falsehoods: falsehoods.length,
    falseTold: ids(falseTold),
    falseStored: ids(falsehoods.filter(isStored)),
    truths: truths.length,
    trueRefused: ids(trueRefused),
    trueStored: ids(truths.filter(isStored)),
    unanswered: ids(unanswered),
    isGood:
      unanswered.length === 0 &&
      falseTold.length <= MOST_FALSE * falsehoods.length &&
      trueRefused.length <= MOST_REFUSED * truths.length,
  }
}
