/** English stems: Porter's algorithm with some of its later corrections, and a list of irregular forms. */
import { once } from './once.ts'

const VOWEL = '[aeiouy]'
/** A run of consonants; a y after a vowel counts as a consonant. */
const C = '[^aeiou][^aeiouy]*'
const V = `${VOWEL}[aeiou]*`
const MORE_THAN_0 = new RegExp(`^(?:${C})?${V}${C}`)
const EXACTLY_1 = new RegExp(`^(?:${C})?${V}${C}(?:${V})?$`)
const MORE_THAN_1 = new RegExp(`^(?:${C})?${V}${C}${V}${C}`)
const HAS_VOWEL = new RegExp(`^(?:${C})?${VOWEL}`)
const DOUBLE = /([^aeiouylsz])\1$/
/** A short last syllable, as in "hop": its e is kept or restored. */
const SHORT = new RegExp(`^${C}${VOWEL}[^aeiouwxy]$`)

/** Endings and their replacements; the first that matches is used. */
const STEP_2 = pairsIn(
  'ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble alli>al entli>ent eli>e ousli>ous ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive biliti>ble logi>log',
)
const STEP_3 = pairsIn('icate>ic ative> alize>al iciti>ic ical>ic ful> ness>')
const STEP_4 = /^(.+?)(?:al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ou|ism|ate|iti|ous|ive|ize)$|^(.+[st])ion$/

/** Expects lower-case ASCII letters; any other word is its own stem. */
export function stem(word: string): string {
  const base = baseForms().get(word)
  // The stem of the base form is the common stem, so that "making" and "maker" also match "made".
  if (base !== undefined) return regular(base)
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word
  return regular(word)
}

function regular(word: string): string {
  // A leading y is a consonant.
  const isY = word.startsWith('y')
  let w = isY ? `Y${word.slice(1)}` : word
  w = endings(plural(w))
  // Only behind a consonant: "deploy" must equal the stem of "deployment".
  if (/[^aeiou]y$/.test(w) && w.length > 2) w = `${w.slice(0, -1)}i`
  w = swap(swap(w, STEP_2), STEP_3)
  w = dropLong(w)
  if (w.endsWith('e')) {
    const head = w.slice(0, -1)
    if (MORE_THAN_1.test(head) || (EXACTLY_1.test(head) && !SHORT.test(head))) w = head
  }
  if (w.endsWith('ll') && MORE_THAN_1.test(w)) w = w.slice(0, -1)
  return isY ? `y${w.slice(1)}` : w
}

function plural(w: string): string {
  if (w.endsWith('sses')) return w.slice(0, -2)
  // "ties" and "tie", "tries" and "try".
  if (w.endsWith('ies')) return w.slice(0, w.length > 4 ? -2 : -1)
  return /[^su]s$/.test(w) ? w.slice(0, -1) : w
}

function endings(w: string): string {
  if (w.endsWith('ied')) return w.slice(0, w.length > 4 ? -2 : -1)
  if (w.endsWith('eed')) return MORE_THAN_0.test(w.slice(0, -3)) ? w.slice(0, -1) : w
  const ending = w.endsWith('ed') ? 2 : w.endsWith('ing') ? 3 : 0
  const head = w.slice(0, -ending)
  if (ending === 0 || !HAS_VOWEL.test(head)) return w
  if (/(?:at|bl|iz)$/.test(head)) return `${head}e`
  if (DOUBLE.test(head)) return head.slice(0, -1)
  return EXACTLY_1.test(head) && SHORT.test(head) ? `${head}e` : head
}

function swap(w: string, pairs: readonly (readonly [string, string])[]): string {
  for (const [ending, other] of pairs) {
    if (!w.endsWith(ending)) continue
    const head = w.slice(0, -ending.length)
    return MORE_THAN_0.test(head) ? head + other : w
  }
  return w
}

function pairsIn(list: string): readonly (readonly [string, string])[] {
  return list.split(' ').map((pair) => pair.split('>') as [string, string])
}

function dropLong(w: string): string {
  const match = STEP_4.exec(w)
  const head = match?.[1] ?? match?.[2]
  return head !== undefined && MORE_THAN_1.test(head) ? head : w
}

/** Groups between commas: the base form, then its irregular forms. */
const FORMS = `
be am is are was were been being, have has had having, do does did done doing, go went gone goes going, get got gotten getting gets, buy
bought, bring brought, catch caught, teach taught, think thought thoughts, fight fought, seek sought, sell sold, tell told, say said, see
seen, eat ate eaten, drink drank drunk, swim swam swum, sing sang sung, run ran running runs, begin began begun, come came, become became,
give gave given, forgive forgave forgiven, take took taken, mistake mistook mistaken, make made making, write wrote written, rewrite
rewrote rewritten, drive drove driven, ride rode ridden, rise risen, speak spoken, break broke broken, wake woke woken, choose chose
chosen, freeze froze frozen, steal stole stolen, wear wore worn, tear tore torn, swear swore sworn, bear bore born borne, throw threw
thrown, grow grew grown, know knew known, fly flew flown, draw drew drawn, show shown showed showing shows, blow blew blown, hold held,
build built, rebuild rebuilt, send sent, spend spent, lend lent, bend bent, lose lost losing, leave left leaving leaves, meet met, feel
felt, keep kept, sleep slept, sweep swept, deal dealt, mean meant, read reading, lead led, feed fed, bleed bled, hear heard, find found,
stand stood, understand understood, win won winning, sit sat sitting, spin spun, hang hung, stick stuck, strike struck, pay paid, lay
laid, fall fell fallen, hide hid hidden, bite bitten, forget forgot forgotten, shake shook shaken, ring rang rung, sink sank sunk, shrink
shrank shrunk, child children kid kids, man men, woman women, foot feet, tooth teeth, mouse mice, person people, life lives, wife wives,
knife knives, half halves, shelf shelves, good better best, bad worse worst, far farther further, index indices indexes, vertex vertices,
matrix matrices, analysi analysis analyses, criterion criteria, phenomenon phenomena, datum data, schema schemata schemas, add adds added
adding, alias aliases aliased, canvas canvases, bias biases biased
`

/** Built on first use: a hook that only loads this file must not wait for it. */
const baseForms = once(
  () =>
    new Map(
      FORMS.trim()
        .split(/,\s/)
        .flatMap((group) => {
          const forms = group.split(/\s/)
          return forms.map((form): [string, string] => [form, forms[0] ?? ''])
        }),
    ),
)
