/** English sentences that state a way of working: preferences, habits, rules of a project, what is to be remembered. */
import { MAYBE, polarity, type StandingKind, signOf } from './standing-kind.ts'

/** Habits of work that people state of themselves or of their team. */
const HABIT =
  '(?:use|write|commit|name|format|indent|deploy|squash|rebase|merge|tag|pin|document|push|throw|mock|version|lint|import|prefix|release|hardcode|hard-code|run (?:the )?(?:tests|lint\\w*|formatter|build|migrations)|review|sign)'
const WORK =
  '(?:commits?(?: messages?)?|code|(?:code )?comments?|tests?|answers?|responses?|repl(?:y|ies)|docs?|documentation|branch(?:es| names?)?|prs?|pull requests?|migrations?|imports?|file ?names?|variable names?|function names?|names|explanations?|summar(?:y|ies)|changelogs?|docstrings?|identifiers?|releases?|dependencies|(?:error|log) messages?)'

const PREFERS =
  /^(?:personally,? |usually,? |for [\w -]{2,30},? )?(?:i|we)(?: (?:strongly|generally|usually|really|much|always|personally|typically|tend to|do|also))* prefer\s+(.+)$/
const WOULD_PREFER =
  /^(?:personally,? )?(?:i|we)(?:'d| would)(?: (?:generally|usually|really|much|always))* (?:prefer|rather)\s+(.+)$/
const ONE_CHOICE =
  /^(?:that|this|it\b|those|these|them|him|her|the (?:way|first|second|third|fourth|last|former|latter|other|one|simpl|new|old|current|previous|original|option|approach|version|left|right|red|blue|green|top|bottom)|option|approach|number|solution|variant|plan\b|choice|version|[a-d1-9]\b|#?\d|your|one\b|both|neither|not to say|if we|to (?:wait|leave|keep it|do it|do that|go\b|stop|start|skip|see|continue|discuss|stay|be|have it))/
/** A thing that stands somewhere, not a manner. */
const ONE_PLACE = /\b(?:for|on|to) (?:the|this|that|your) (?!most|code|codebase|project|repo|user|team)\w+/
const LIKES =
  /^i (?:really |absolutely |always )?(?:like|love|hate|dislike|appreciate|don'?t like|do not like|can'?t stand)(?: it)? (?:when|if) you (?!said|told|asked|were|did|mentioned|went|came)/
const MY_PREFERENCE =
  /^my (?:(?:strong |general |personal )?preference(?: for [\w -]{2,30})?|preferred [\w-]+(?: [\w-]+)?) (?:is|are)\s+(.+)$/

export function asPreference(text: string): StandingKind | null {
  const chosen = PREFERS.exec(text)?.[1] ?? MY_PREFERENCE.exec(text)?.[1]
  if (chosen !== undefined)
    return ONE_CHOICE.test(chosen) || MAYBE.test(chosen) || ONE_PLACE.test(chosen) ? null : 'prefer'
  const rather = WOULD_PREFER.exec(text)?.[1]
  if (rather !== undefined && !ONE_CHOICE.test(rather))
    return /\b(?:over|in general|always|never|when(?:ever)? you|by default|every time)\b/.test(rather) ? 'prefer' : null
  return LIKES.test(text) ? 'prefer' : null
}

const HABITUAL = new RegExp(
  `^(?:in this (?:repo|project|codebase|team),? )?(?:i|we) (always|never|only(?: ever)?) (?:also )?${HABIT}\\b.{3,}`,
)
const PROJECT_WAY = new RegExp(
  `^(?:we|this (?:repo|project|codebase|team)) (?:(don'?t|do not|does(?: not|n'?t)|never) (?:ever )?|only |always )${HABIT}s?\\b.*\\b(?:here|in this (?:repo|project|codebase|team))[.!]*$`,
)
const NAMED_RULE =
  /^(?:a |the |our |my |new |general |house |team |project |coding |standing |(?:this|the) project's )*(?:rule|convention|policy|guideline)s?(?: (?:number )?\d+)?\s*[:：]\s*((?!\s|is\b|are\b|was\b|does\b).{8,})$/
const WORK_MUST = new RegExp(
  `^(?:(all|every|each|any) |our |new |my |your |the )*${WORK}\\b[^,.;]{0,60}?\\b(?:must|should|shall|have to|has to|need to|needs to|are to|is to|may|can) (always |never |not |only )?(?:ever )?(?!pass|succeed|work|be (?:green|passing|ok))`,
)
const FORBIDDEN =
  /\b(?:is|are) (?:strictly |absolutely )?(?:forbidden|not allowed|banned|prohibited|off limits)\b.*\b(?:here|in this (?:repo|project|codebase)|in (?:our|my) code)\b|^(?:strictly )?(?:forbidden|not allowed):/

export function asRule(text: string): StandingKind | null {
  const habit = HABITUAL.exec(text)
  if (
    habit !== null &&
    !/\b(?:before[.!]*$|yet|when i was|used to|back then|too|sorry|this|that|it|wrong|anyway|by accident)/.test(
      text.replace(/ ?in this \w+/g, ''),
    )
  )
    return polarity(habit[1])
  const way = PROJECT_WAY.exec(text)
  if (way !== null) return way[1] === undefined ? 'always' : 'never'
  const named = NAMED_RULE.exec(text)?.[1]
  if (named !== undefined) return signOf(named)
  const must = WORK_MUST.exec(text)
  if (must !== null && (must[1] !== undefined || /always|never/.test(must[2] ?? ''))) return polarity(must[2])
  return FORBIDDEN.test(text) ? 'never' : null
}

/** "Remember that …": asked for in so many words. */
export function isWorthKeeping(text: string): boolean {
  return (
    /^(?:i (?:prefer|want|need|use|only|work)|we (?!are|were|had|can)|our|my|the|this project|all|in this)\b(?!')/.test(
      text,
    ) &&
    !MAYBE.test(text) &&
    text.split(' ').length >= 4 &&
    !/\b(?:was|were|had|did|went|said|used to|when|(?:mon|tues|wednes|thurs|fri|satur|sun)day|deadline|meeting)\b/.test(
      text,
    )
  )
}
