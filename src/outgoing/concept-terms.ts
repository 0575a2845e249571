/** The terms of a fact: what it may be about, how prominently, and whether a topic may be called so. */

import type { Fact } from '../knowledge/fact.ts'
import { STOP_WORDS } from '../text/stop-words.ts'
import { TOPIC_WORDS } from './concept-lexicon.ts'
import { RUNS, unitsOfRun, type WordUnit } from './concept-words.ts'

export interface ConceptTerm {
  key: string
  /** How much it tells about this fact. */
  weight: number
  /** As it stands there, for a name; null: no topic is called after it (a verb, a part of an identifier, a number). */
  name: string | null
  /** The key of the term right before it, with nothing in between: together they may be a name. */
  after: string | null
}

/** What a sentence speaks about stands first, mostly. */
const FIRST = 1.5
/** Verbs, adjectives, parts of identifiers. */
const UNNAMED = 0.6
/** Times, counts, and what stands in every second sentence. */
const EMPTY = 0.2
/** A file says where a fact belongs, but its author may have touched it for another reason. */
const IN_PATH = 0.8
const PATH = /(?:[\w@.-]+\/)+[\w@.-]*|\b[\w@-]+\.(?:[a-z]{1,4}\d?|[jt]sx|json|toml|yaml)\b/gi
/** Folders and files of every project. */
export const ANYWHERE_PARTS: ReadonlySet<string> = new Set(
  'src lib app apps packages package core common shared util utils index main mod init test tests spec specs dist build bin components component pages page types type public assets static server client internal cmd pkg github workflows node modules readme config'.split(
    ' ',
  ),
)
const LEAD_IN = /^[^:.!?\n]{2,40}:\s/
/** Before a noun. */
const DETERMINERS = new Set(
  'the a an our their its this that these those each every no any some of in for on with from into by per as via without between'.split(
    ' ',
  ),
)
/** Before a verb. */
const BEFORE_VERBS = new Set(
  "to we i you they must should will would can could cannot can't won't never always not don't doesn't didn't please let's please may might is are was were be been being it that which who gets get got".split(
    ' ',
  ),
)
const ARTICLES = new Set(['the', 'a', 'an', 'its', 'our', 'their'])
/** Behind the noun a sentence is about. */
const PREDICATES = new Set(
  'is are was were has have had must should will can cannot may does do never always goes go needs need uses use lives live'.split(
    ' ',
  ),
)
/** Words that no topic is called after, whatever stands around them. */
const NO_NAMES = new Set(
  `new old single first second third last next same other many several more less full whole big small large good bad
right wrong main default local current previous manual automatic possible sure clear simple slow fast early late own
day days week weeks month months year years hour hours minute minutes second seconds millisecond milliseconds time times
today tomorrow yesterday monday tuesday wednesday thursday friday saturday sunday percent number numbers amount value values
name names file files line lines item items list lists place places end start case cases example examples result results
option options step steps way ways kind kinds one two three four five six seven eight nine ten half part parts thing things
person people someone everybody everyone nobody team everything nothing something anything claude assistant lot bit
version versions reason idea point once twice word words left top bottom
mb kb gb ms px true false null instead now then later soon already again still yet back away together apart ahead maybe
perhaps else otherwise anyway far long short high low above below ok okay sorry note discussed decided agreed decision built date dates request requests response responses table tables type types variable
variables format page pages`.split(/\s+/),
)
const VERBS = new Set(
  `use add fix make keep run move set put take give show write read call check create remove delete change update replace
switch prefer avoid allow let need want try go come stay become begin stop fail work happen ask tell say know think see look find
get do have send receive follow follows return throw drop hold contain decide choose agree ensure require support mean
expire forget break crash lose miss wait apply handle ignore skip merge split convert generate load save store pass fit turn
rename install start end live belong weigh evict carry flicker weigh note build sort lock deploy commit push pull
please hide open close match hit block touch cost cause help hope like love seem sound stand speak sit grow fall rise`.split(
    /\s+/,
  ),
)
const KOREAN_NO_NAMES =
  /^(?:하루|매일|이번|다음|지금|나중|이후|이전|먼저|모두|전부|각각|경우|때문|이유|방법|부분|정도|개|번|분|초|일|시간|오늘|내일|어제|이상|이하|우리|저희|그것|이것|무엇|여기|거기|다시|바로|같이|함께|자동|수동|기본|새로|이름|번호|숫자|단위|사람|한번|동안|아래|위|뒤|앞|안|밖)$/
const NOUN_END = /(?:tion|sion|ment|ness|ity|ance|ence|ship|ism|age|ery|ure|ers?|ors?|ing|ics|sis)$/
const HANGUL = /^[\uac00-\ud7a3]/
/** A noun wears it; a verb does not. */
const NOUN_PARTICLE = /(?:은|는|이|가|을|를|의|에|에서|으로|로|와|과|부터|까지|마다|에는|에서는)$/
const TOPIC_PARTICLE = /(?:은|는)$/

/** Remembered: whoever assigns facts looks at all of them more than once. */
const known = new Map<string, readonly ConceptTerm[]>()
const KNOWN_MAX = 20_000

/** Each key once, the most prominent one. */
export function termsOf(fact: Pick<Fact, 'text' | 'files'>): readonly ConceptTerm[] {
  const said = `${fact.text}\n${fact.files.join('\n')}`
  let terms = known.get(said)
  if (terms === undefined) {
    terms = readTerms(fact)
    if (known.size >= KNOWN_MAX) known.clear()
    known.set(said, terms)
  }
  return terms
}

function readTerms(fact: Pick<Fact, 'text' | 'files'>): ConceptTerm[] {
  const paths = [...(fact.text.match(PATH) ?? []), ...fact.files]
  const terms = [...termsInText(fact.text.normalize('NFKC').replace(PATH, ' ; ')), ...new Set(paths)].flatMap((one) =>
    typeof one === 'string' ? termsInPath(one) : [one],
  )
  const best = new Map<string, ConceptTerm>()
  for (const term of terms) {
    const other = best.get(term.key)
    const name = other?.name ?? term.name
    const after = other?.after ?? term.after
    best.set(term.key, { key: term.key, weight: Math.max(term.weight, other?.weight ?? 0), name, after })
  }
  return [...best.values()]
}

interface Spot {
  run: string
  from: number
  before: string
  behind: string
  /** Korean grown to a word in another script: a particle, so that word is a noun. */
  hasParticle: boolean
  /** Nothing but a blank or a hyphen between it and the run before. */
  isJoined: boolean
}

function termsInText(text: string): ConceptTerm[] {
  const terms: ConceptTerm[] = []
  let hasFirst = false
  let last: string | null = null
  const leadIn = leadInOf(text)
  for (const spot of spotsIn(text)) {
    if (spot.from < leadIn) continue
    const units = unitsOfRun(spot.run)
    if (units.length === 0) last = null
    for (const unit of units) {
      if (/^\d/.test(unit.word)) continue
      const isOne = units.length === 1 || HANGUL.test(spot.run)
      const name = isOne && isNamelike(unit, spot) ? nameOf(unit, spot) : null
      const isFirst = name !== null && (!hasFirst || TOPIC_PARTICLE.test(spot.run))
      const isJoined = spot.isJoined || units.indexOf(unit) > 0
      terms.push({
        key: unit.key,
        weight: unit.weight * (isFirst ? FIRST : name !== null ? 1 : isEmpty(unit) ? EMPTY : UNNAMED),
        name,
        after: isJoined ? last : null,
      })
      if (isFirst) hasFirst = true
      last = unit.key
    }
  }
  return terms
}

/** "Agreed with the team: …" is not what the fact is about; "Payments: …" is. */
function leadInOf(text: string): number {
  const lead = LEAD_IN.exec(text)?.[0] ?? ''
  const words = lead.toLowerCase().match(RUNS) ?? []
  return words.some((word) => STOP_WORDS.has(word) || isVerb(word) || /(?:ed|[다음함됨])$/.test(word)) ? lead.length : 0
}

function* spotsIn(text: string): Generator<Spot> {
  const runs = [...text.matchAll(RUNS)]
  for (let i = 0; i < runs.length; i++) {
    const match = runs[i] as RegExpExecArray
    const previous = runs[i - 1]
    const gap = previous === undefined ? '.' : text.slice(previous.index + previous[0].length, match.index)
    // What is counted, not what it is about: "5번".
    if (gap === '' && /\d$/.test(previous?.[0] ?? '') && HANGUL.test(match[0])) continue
    const end = match.index + match[0].length
    const next = runs[i + 1]
    yield {
      run: match[0],
      from: match.index,
      before: /^[\s'’-]*$/.test(gap) ? (previous?.[0] ?? '').toLowerCase() : '',
      behind: next === undefined || !/^\s+$/.test(text.slice(end, next.index)) ? '' : next[0].toLowerCase(),
      hasParticle: next?.index === end && HANGUL.test(next[0]),
      isJoined: /^[ -]$/.test(gap),
    }
  }
}

function isNamelike(unit: WordUnit, { run, before, behind, hasParticle }: Spot): boolean {
  const { written, key, weight } = unit
  if (weight < 1 || (written.length < 2 && !TOPIC_WORDS.has(key))) return false
  if (HANGUL.test(run)) {
    if (KOREAN_NO_NAMES.test(written)) return false
    return TOPIC_WORDS.has(key) || (written !== run && NOUN_PARTICLE.test(run))
  }
  if (NO_NAMES.has(written) || written.length > 24) return false
  if (/(?:[^e]ed|ly)$/.test(written)) return false
  if (TOPIC_WORDS.has(key) || hasParticle) return true
  if (isVerb(written) || BEFORE_VERBS.has(before) || ARTICLES.has(behind)) return false
  if (/^\p{Lu}/u.test(run) && before !== '') return true
  if (/^(?=.*\p{Lu}.*\p{Lu})|^\p{Lu}.*\p{Lu}/u.test(run)) return true
  if (/(?:less|ful|ous|able|ible|ive)$/.test(written)) return false
  if (PREDICATES.has(behind) || NOUN_END.test(written) || /[^su]s$/.test(written)) return true
  // With another word behind it, it only says which one: "a cold cache".
  return DETERMINERS.has(before) && (behind === '' || STOP_WORDS.has(behind))
}

function isEmpty({ written }: WordUnit): boolean {
  return NO_NAMES.has(written) || KOREAN_NO_NAMES.test(written)
}

function isVerb(written: string): boolean {
  return VERBS.has(written) || VERBS.has(written.replace(/s$/, '')) || VERBS.has(written.replace(/(?:es|ing)$/, ''))
}

/** Capitals stay where they are more than the beginning of a sentence. */
function nameOf({ written }: WordUnit, { run, before }: Spot): string {
  if (HANGUL.test(run)) return written
  const isProper = /^\p{Lu}/u.test(run) && (before !== '' || /.\p{Lu}|\d/u.test(run))
  return isProper ? run : run.toLowerCase()
}

/** Folders first: the nearer to the file, the more they tell. */
function termsInPath(path: string): ConceptTerm[] {
  const parts = path.split(/[\\/]+/).filter((part) => part !== '' && part !== '.' && part !== '..')
  const isFile = /\.[a-z\d]+$/i.test(parts.at(-1) ?? '')
  const folders = isFile ? parts.slice(0, -1) : parts
  const folder = folders.findLast((part) => !ANYWHERE_PARTS.has(part.toLowerCase().replace(/^\./, '')))
  const file = isFile ? (parts.at(-1) ?? '').replace(/\.[^.]*$/, '') : ''
  return [...termsInName(folder ?? '', IN_PATH), ...termsInName(file, IN_PATH / 2)]
}

function termsInName(name: string, weight: number): ConceptTerm[] {
  const units = [...name.matchAll(RUNS)].flatMap(([run]) => unitsOfRun(run))
  return units
    .filter(({ written }) => !ANYWHERE_PARTS.has(written) && !/^\d/.test(written))
    .map((unit) => ({ key: unit.key, weight: weight * unit.weight, name: null, after: null }))
}
