/** What a word of a fact counts as: a term of its own, one of several names for the same thing, or nothing. */

import { stem } from '../text/stem.ts'
import { STOP_WORDS } from '../text/stop-words.ts'
import { koreanTerms } from './fact-words-korean.ts'

/** Terms that begin so are only how something is done: two that differ keep facts apart, one alone does not. */
export const SOFT = '~'

/** How a fact is said, beside the words that stand everywhere. Choosing is what all decisions do. */
const MANNER = /* @__PURE__ */ (() =>
  new Set(
    (
      'use uses used using usage adopt adopts adopted choose chooses chose chosen pick picks picked select selects selected prefer prefers preferred ' +
      'decide decides decided decision agree agreed settle settled opted stick sticks stuck employ rely relies want wants wanted ' +
      'need needs needed ensure ensures sure must shall policy rule convention standard future forward now currently today already simply explicitly directly direct straight properly ' +
      'correctly fully completely entirely strictly automatically really actually generally usually normally default whole entire one single once time times thing things kind way ways ' +
      'allow allows allowed allowing permit permits permitted let lets letting enable enables enabled enabling touch touches touching apply applies applied ' +
      'come comes coming belong belongs exist exists seem seems appear appears become becomes instead longer anymore place case e.g i.e etc per first then okay please lets take takes taken handle handles handled ' +
      'wir nehmen verwenden verwende nutzen nutze benutzen der die das den dem des ein eine einen einem einer und ist sind wird werden soll sollen immer für mit zu zum zur im am auf von'
    ).split(' '),
  ))()

/** Names of one thing, the first stands for all. Those with `~` are ways of doing something. */
const GROUPS =
  'authentication auth authn|authorization authz|configuration config configs cfg setting|repository repo repos|database db databases|documentation docs doc|' +
  'environment env|directory dir folder|dependency deps dep|development dev|production prod|administrator admin|application app apps|parameter param params arg argument|' +
  'variable var vars|message msg|password passwd pwd|identifier id ids|specification spec|information info|temporary temp tmp|maximum max|minimum min|image img picture|' +
  'javascript js|typescript ts|postgres postgresql pg|kubernetes k8s|github gh|markdown md|readme|english|environment-variable|' +
  'big large huge|small tiny|fast quick|main primary|wrong incorrect|fail failure break broken crash die choke malfunction|error exception|slow long latency sluggish|missing absent lack lacking|' +
  'hang freeze stall|lose lost|expire expiry expiration|person people|customer client-user|begin start startup launch boot|finish end|change modify alter|increase raise bump|decrease reduce lower|' +
  'fix repair solve resolve|repeat again|retry|empty blank|nightly night|day daily|week weekly|hour hourly|convert transform|verify validate|combine merge|reply respond response|copy duplicate|' +
  'second s sec secs|minute min mins|millisecond ms|hour h hr hrs|megabyte mb mib|kilobyte kb kib|gigabyte gb gib|percent %|greater above exceed exceeds larger bigger|fewer below smaller|' +
  'notify notification|~keep store put place hold live lives living reside stay save persist stored|~run execute perform|~make write create add implement generate|~show display|~get fetch read retrieve obtain|' +
  '~send deliver|~give provide'

const NUMBERS: ReadonlyMap<string, string> = /* @__PURE__ */ (() =>
  new Map(
    'two twice three four five six seven eight nine ten'
      .split(' ')
      .map((word, i) => [word, String(i === 0 ? 2 : i + 1)] as const),
  ))()

/** Says that something is not as it should be: a fact with such a word is never the same as one without. */
export const PROBLEMS: ReadonlySet<string> = /* @__PURE__ */ (() =>
  new Set(
    'fail slow missing wrong hang lose leak flaky bug flicker corrupt stale regress bottleneck error outage'.split(' '),
  ))()

/** They turn what they refuse and are no terms themselves: removing, deleting and dropping are one. */
export const REFUSALS =
  /^(?:avoid(?:s|ed|ing)?|stop(?:s|ped|ping)?|disabl(?:e|es|ed|ing)|remov(?:e|es|ed|ing)|delet(?:e|es|ed|ing)|drop(?:s|ped|ping)?|skip(?:s|ped|ping)?|forbid(?:s|den|ding)?|bann?(?:s|ed|ing)?|prohibit(?:s|ed|ing)?|disallow(?:s|ed|ing)?|unsupported|cannot|statt|anstatt|nicht|keine?n?|nie|niemals|ohne|[a-z]+n['’]t)$/

/** Made when it is first needed: the hook program starts without it. */
let names: ReadonlyMap<string, string> | null = null

function nameOf(word: string): string | undefined {
  names ??= new Map(
    GROUPS.split('|').flatMap((group) => {
      const [first = '', ...others] = group.split(' ')
      const bare = first.replace(SOFT, '')
      return [bare, ...others].flatMap((one) => [[one, first] as const, [stem(one), first] as const])
    }),
  )
  return names.get(word)
}

const NOTHING: readonly string[] = []
const HANGUL = /^[\uac00-\ud7a3]/
const PULL_REQUEST = /^(?:pr|mr)s?$/
const MEASURE = /^(\d+(?:\.\d+)*)([a-z%]+)$/

/** The terms of one word in lower case, usually one, none for what tells nothing. */
export function termsOfWord(word: string): readonly string[] {
  if (HANGUL.test(word)) return koreanTerms(word).map(englishTerm)
  if (REFUSALS.test(word) || STOP_WORDS.has(word.replace(/['’]/g, '')) || MANNER.has(word)) return NOTHING
  if (PULL_REQUEST.test(word)) return ['pull', 'request']
  const measure = MEASURE.exec(word)
  if (measure !== null) return [measure[1] ?? '', englishTerm(measure[2] ?? '')]
  if (/^v\d/.test(word)) return [word.slice(1)]
  return [englishTerm(word)]
}

function englishTerm(word: string): string {
  const bare = word.replace(/['’]s?$/, '')
  const root = stem(bare)
  return NUMBERS.get(bare) ?? nameOf(bare) ?? nameOf(root) ?? root
}
