/** What a draft belongs to: its concept, the decision it replaces, the issue it solves. A wrong link costs the link, not the fact. */

import { contradicts, SAME_SUBJECT } from '../outgoing/fact-contradict.ts'
import { maySolve } from '../outgoing/fact-overrule.ts'
import { termsIn } from '../outgoing/fact-terms.ts'
import { cutMarked } from '../text/shorten.ts'
import type { Concepts } from './concept.ts'
import { findConcept } from './concept-assign.ts'
import type { Fact, Facts, NewFact } from './fact.ts'
import type { ConceptChoice } from './fact-draft.ts'
import { isLive } from './fact-list.ts'
import type { Plain } from './fact-plain.ts'
import { closeness, isSameFact, similarity } from './fact-similar.ts'

interface Links {
  concept: ConceptChoice
  supersedes: string | null
  resolves: string | null
  /** Sentences for the model, without a full stop. */
  problems: string[]
}

interface Known {
  readonly facts: Facts
  readonly concepts: Concepts
  readonly conceptSimilarity: number
}

export function linksOf(known: Known, draft: Plain, fact: NewFact): Links {
  const problems: string[] = []
  const concept = conceptOf(known, draft, problems)
  const placed = { ...fact, concept: concept.is === 'known' ? concept.id : null }
  return { concept, ...linkedFacts(known.facts, draft, placed, problems), problems }
}

function conceptOf({ concepts, conceptSimilarity }: Known, draft: Plain, problems: string[]): ConceptChoice {
  const { conceptId: id, conceptName: name } = draft
  const found = findConcept(
    concepts,
    { ...(id === null ? {} : { id }), ...(name === null ? {} : { name }) },
    conceptSimilarity,
  )
  switch (found.is) {
    case 'known':
      return { is: 'known', id: found.id }
    case 'new':
      return { is: 'new', name: found.name }
    case 'similar':
      problems.push(
        `the concept "${name}" is ${found.id} "${found.name}": use conceptId ${found.id}, or a name that tells them apart`,
      )
      return { is: 'known', id: found.id }
    case 'unknown': {
      const closest = found.closest.map((one) => `${one.id} "${one.name}"`).join(', ')
      problems.push(
        `there is no concept ${id}; ${closest === '' ? 'name a new one with conceptName' : `the closest are ${closest}`}`,
      )
      return { is: 'none' }
    }
    case 'none':
      problems.push('name its concept: conceptId of a known one, or conceptName for a new one')
      return { is: 'none' }
  }
}

function linkedFacts(
  facts: Facts,
  draft: Plain,
  fact: NewFact,
  problems: string[],
): Pick<Links, 'supersedes' | 'resolves'> {
  const old = draft.supersedes === null ? undefined : byId(facts.decisions, draft.supersedes)
  const issue = draft.resolves === null ? undefined : byId(facts.issues, draft.resolves)
  const wrongOld = draft.supersedes === null ? null : whyNotReplaced(draft.supersedes, old, fact)
  const wrongIssue = draft.resolves === null ? null : whyNotResolved(draft.resolves, issue, draft, fact)
  for (const one of [wrongOld, wrongIssue]) if (one !== null) problems.push(one)
  return {
    supersedes: wrongOld === null ? (old?.id ?? null) : null,
    resolves: wrongIssue === null ? (issue?.id ?? null) : null,
  }
}

function whyNotReplaced(id: string, old: Fact | undefined, fact: NewFact): string | null {
  if (fact.type !== 'decision') return 'only a decision supersedes another one'
  if (old === undefined) return `supersedes names ${id}, and there is no such decision`
  if (!isLive(old)) return `${old.id} is ${old.state} already; leave supersedes out`
  if (isSameFact(old.text, fact.text)) return `${old.id} says the same; leave supersedes out`
  return contradicts(old.text, fact.text) || isRelated(old, fact, [fact.text])
    ? null
    : `${old.id} is about something else ("${shortened(old.text)}"); leave supersedes out`
}

function whyNotResolved(id: string, issue: Fact | undefined, draft: Plain, fact: NewFact): string | null {
  if (issue === undefined) return `resolves names ${id}, and there is no such issue`
  if (issue.status !== 'open' || !isLive(issue)) return `${issue.id} is not open any more; leave resolves out`
  if (!maySolve(issue, fact))
    return `only a tool, a file or a pasted text says that ${issue.id} is solved, and the user opened it; quote the user or Claude`
  const told = [fact.text, `${fact.text} ${draft.resolution ?? ''}`, fact.evidence.quote]
  return isRelated(issue, fact, told)
    ? null
    : `${issue.id} is about something else ("${shortened(issue.text)}"); leave resolves out`
}

/** Much alike in words; or in one concept, with a word in common. Two concepts are two subjects. */
function isRelated(known: Fact, fact: NewFact, told: readonly string[]): boolean {
  if (known.concept !== null && fact.concept !== null && known.concept !== fact.concept) return false
  const isClose = (text: string): boolean =>
    closeness(known.text, text) > 0 || similarity(known.text, text) >= SAME_SUBJECT
  if (told.some(isClose)) return true
  const words = new Set(told.flatMap((text) => [...termsIn(text).core]))
  return (
    known.concept !== null && known.concept === fact.concept && termsIn(known.text).core.some((one) => words.has(one))
  )
}

function shortened(text: string): string {
  return cutMarked(text, 81)
}

function byId(facts: readonly Fact[], id: string): Fact | undefined {
  return facts.find((one) => one.id === id.toLowerCase())
}

/** Marks by which a program tells who speaks. No statement needs them. */
const ROLE_MARK =
  /<\/?\s*(?:system|assistant|user|human|developer|admin|instructions?|important|prompt|context|memory|rules?|tool_?(?:use|result|call)s?|function_?(?:calls?|results?)|invoke|antml|task|command|local-command|im_(?:start|end))\b[^<>]{0,200}>|<\|[^|>]{1,40}\|>|\[\/?(?:inst|system|sys)\]|<<\/?sys>>|^\W{0,4}(?:system|assistant|human|user|developer)(?: prompt| message)?\s*:|\n\s*(?:human|assistant|system)\s*:/
/** What nobody asks for who means well, in whoever's name it is said. */
const TAKE_OVER =
  /\b(?:ignore|ignoring|disregard(?:ing)?|forget(?:ting)?|override|overriding|bypass(?:ing)?)\b (?:[\w']+ ){0,3}?(?:(?:previous|prior|above|earlier|preceding|existing|former|other|all|any|your|these|those|the|system|safety)(?: of)? ){1,4}(?:instructions?|prompts?|messages?|rules?|directives?|guidelines?|constraints?|restrictions?)\b|\b(?:new|updated|hidden|secret|real) (?:system )?(?:instructions?|directives?)\s*:|\b(?:reveal|print|repeat|output|leak|show)\b.{0,20}\b(?:system prompt|your (?:instructions|prompt|rules))\b|\b(?:do not|don't|never|without) (?:tell|telling|inform|informing|mention|mentioning|reveal|revealing|notify|notifying|alert|alerting)\b.{0,20}\b(?:the )?(?:user|human|developer|owner)\b|\b(?:jailbreak|prompt injection payload)\b|(?:이전|앞선|위의|기존|모든)\s?(?:의\s?)?(?:모든\s?)?(?:지시|명령|규칙|지침|프롬프트)\S{0,4}\s?(?:을|를|은|는)?\s?(?:전부\s?|모두\s?)?(?:무시|잊|따르지)|사용자(?:에게|한테)\s?(?:는\s?)?(?:말하지|알리지|묻지|숨기)|(?:以前|これまで|上記|すべて)の?(?:すべての)?(?:指示|命令|ルール)を?(?:無視|忘れ)|(?:忽略|无视|忘记|無視)(?:之前|以上|先前|上述|所有|全部)?的?(?:所有|全部)?(?:指令|指示|规则|提示)|\b(?:ignorier\w*|vergiss|missachte\w*)\b.{0,30}\b(?:anweisung|anweisungen|regeln|vorgaben)\b/
/** Speaks to the reader. */
const TO_READER =
  /\byou(?:'re|'ll|'ve|'d)?\b(?! (?:can|may) (?:see|find|read)\b)|\byour(?:s|self)?\b|\b(?:claude|the (?:assistant|model|agent|ai|llm)|assistants?|ai)\b(?: code)? (?:must|should|shall|has to|have to|needs? to|is (?:required|expected|allowed|authori[sz]ed|permitted) to|may now|can now|will (?:always|never)|ought to|always|never)\b|\b(?:from now on|going forward|henceforth),? (?:always|never|claude|the (?:assistant|model|agent))\b|\b(?:act|behave|respond|answer|reply) as (?:if|an?|the)\b|\bpretend\b.{0,20}\b(?:to be|that)\b|\bas an ai\b|\bsystem prompt\b|(?:^|[\s,])(?:너는|너의|넌|네가|당신은|당신이|당신의|여러분은)(?=\s)|(?:클로드|어시스턴트|ai|모델)(?:는|은|가|이)\s.{0,60}(?:해야|하라|하시오|마라|말\s?것|할\s?것)|시스템\s?프롬프트|あなた(?:は|が|の)|システムプロンプト|(?:你|您)(?:是|必须|应该|要|需要|的|现在)|系统提示|\b(?:du|ihr) (?:musst|müsst|sollst|sollt|darfst|dürft|bist|wirst|kannst)\b|\bdein\w{0,2}\b/
/** Says that it is what a person wants: that is a statement, if they said so. */
const REPORTED =
  /\b(?:the )?(?:user|developer|maintainer|owner|team|person|author|reviewer|client|customer)s?\b.{0,30}\b(?:wants?|wanted|ask(?:s|ed)?|prefers?|preferred|said|says|decided|requires?|required|requested|requests?|insists?|insisted|told|expects?|likes?|dislikes?|needs?|chose|agreed|corrected|reminded|forbids?|forbade|allows?|allowed)\b|사용자(?:는|가|의)|ユーザー(?:は|が|の)|用户(?:希望|要求|想|说|决定|喜欢|偏好)|\b(?:der|die) (?:nutzer|benutzer|anwender)(?:in)?\b/

/** Why a text may not be told to a later session; null: it only states. `isUsersWords`: it is proved by what a person typed. */
export function whyAddressed(text: string, isUsersWords: boolean): string | null {
  const lower = plainly(text)
  if (ROLE_MARK.test(lower))
    return 'it holds a mark by which programs tell who speaks (a tag, "System:"); name such a thing without its brackets'
  if (TAKE_OVER.test(lower))
    return 'it asks its reader to set instructions aside or to hide something; state what happened instead'
  if (!TO_READER.test(withoutQuotations(lower))) return null
  if (isUsersWords && REPORTED.test(lower)) return null
  return isUsersWords
    ? 'it speaks to its reader; say what the user wants as a statement ("The user wants …")'
    : 'it speaks to its reader, and a fact only states; an instruction is kept only if the user typed it ("The user wants …", with their words as the quote)'
}

/** Orders, and claims that somebody wants or decided something. */
const WILL =
  /\b(?:always|never|must|shall|important|mandatory|required to|from now on|make sure|remember to|be sure to|(?:we|i|the team|they|user|developer|owner)\b.{0,20}\b(?:decided|agreed|chose|want|wants|prefer|prefers|insist|approved?)|it was decided)\b|^\W*(?:please )?(?:run|use|execute|install|download|send|delete|curl|add|set)\b|항상|언제나|반드시|절대|꼭\s|앞으로|결정|하기로|해야|하세요|하십시오|常に|必ず|絶対|決め|总是|必须|绝不|决定|\b(?:immer|niemals|muss|beschlossen|entschieden)\b/

/** Whether a text says more than what is: for words that nobody with a say has said. */
export function claimsWill(text: string): boolean {
  return WILL.test(plainly(text))
}

/** Look-alikes of letters, invisible signs and typographic apostrophes do not hide anything. */
function plainly(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu, '')
    .replace(/[’ʼ‘]/g, "'")
    .toLowerCase()
}

/** What a program prints ("Are you sure?") speaks to somebody else. */
function withoutQuotations(text: string): string {
  return text.replace(/"[^"]{1,200}"|“[^”]{1,200}”|`[^`]{1,200}`|「[^」]{1,200}」|『[^』]{1,200}』/g, ' ')
}
