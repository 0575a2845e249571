/** English sentences that hold for more than the moment: orders with always or never, wishes from now on. */
import { MAYBE, polarity, REFUSAL, type Recognised, type StandingKind, signOf } from './standing-kind.ts'
import { asPreference, asRule, isWorthKeeping } from './standing-ways.ts'

// The patterns are for lower-case text, without quotations and code.

/** Said before an order without changing it. */
const LEAD =
  /^(?:(?:and|also|but|so|just|ok(?:ay)?|please|pls|plz|claude|hey|btw|by the way|just so you know|as i said(?: before)?|like i said|i said|i repeat|(?:please |and |always )?(?:remember|keep in mind|note)(?: that|:)?)[,:!.]*\s+|(?:nb|important|reminder|again|hi|seriously|no|nope|yes|yeah|oh|fyi|great|good|perfect|thanks|thank you|nice|cool|well|right|look|listen|sorry|one (?:more|last) thing|in general|generally|to be clear)[,:!.–—-]+\s+|[-–—*•]\s+)+/
/** True of one thing or one moment only. */
const ONE_OFF =
  /\b(?:for now|this time|(?:just|only) (?:this )?once|for the moment|for the time being|temporar(?:y|ily)|today|tonight|tomorrow|right now|at the moment|(?:in|for|on|to|of|with|from) (?:this|that|these|those|the (?:following|current|above|new|same|second|first|last)) (?:[\w-]+ )?(?:one|pr|mr|commit|change|task|tests?|case|function|file|method|component|page|bug|fix|branch|example|endpoint|query|class|feature|step|run|ticket|issue|button|field|column|table|script|view|loop|screen|modal|dialog|module|section|paragraph|line|request|response|report|email|letter|story|essay))\b/
/** Whether anything at all hints at more than the moment: nearly no sentence does. */
const HINT =
  /\b(?:always|never|ever|prefer\w*|preference|now on|here on|forward|future|henceforth|point on|next time|rule|convention|policy|guideline|whenever|(?:every|each|any) ?time|(?:before|after|for) (?:every|each|any|all)|when(?:ever)? (?:i|you)\b|if (?:i|you)\b|stop|again|anymore|any more|without|told|asked|remember|when you|instead of|rather than|by default|at all times|must|should|forbidden|not allowed|in this (?:repo|project|codebase|team)|unless|no more|only)\b/

/** What people order with. */
export const ORDER_VERBS: ReadonlySet<string> = new Set(
  (
    'use write run answer reply respond ask check test add keep make put name call create commit push pull merge rebase squash deploy build ' +
    'format indent document comment explain say tell give show read look follow stick avoid prefer include leave remove delete drop start begin end finish ' +
    'verify confirm review update change modify edit touch install import export log store save handle wrap return throw catch validate type declare define ' +
    'structure order sort split group refactor rename move copy paste link mention cite quote summarize summarise translate speak talk think plan propose suggest ' +
    'assume guess invent mock stub hardcode hard-code skip ignore disable enable bump pin bring ping embed seed proceed tag sign stage stash amend branch open close lint typecheck do go be ' +
    'work try wait stop treat consider double-check doublecheck cover measure benchmark back backup send post publish release version apply pass provide print prefix fix implement rewrite clean find search extract'
  ).split(' '),
)
/** After "always" or "never" at the beginning these make a remark, not an order. */
const NO_ORDER = new Set(
  (
    'a an the this that these those it its he she they we i you my our your his her their there here on off in at by of for from to with as than or and but if when ' +
    'mind again ever knew know thought heard saw seen been was were is are am had has did done gone got went came made took gave found lost felt met meant happened ' +
    'broken stuck slow down missing gone blank dead weird strange annoying same true false null undefined empty available possible wrong right good bad nice great fun hard easy better worse late early busy happy sad tired ready open ' +
    'enough more less so too very quite not no yes forget wonder love hope wish care seem appear fail expect feel dream believe regret underestimate judge give-up ' +
    'one two all some any every nothing something anything everything everyone someone nobody who what where why how worth sure glad excited grateful'
  ).split(' '),
)
/** What a program does rather than whoever writes it: alone they describe a feature, not a way of working. */
const PRODUCT_VERBS = new Set(
  'show hide display render return redirect load emit trigger fire fetch scroll enable disable reset open close play retry reload refresh highlight expire appear start send be go throw catch print'.split(
    ' ',
  ),
)
const ORDER =
  /^(always|never|do not ever|don'?t (?:you )?ever|only ever)(?:,? ever,?)?\s+(?:ever\s+|also\s+|first\s+|just\s+|please\s+|[a-z]+ly\s+)?([a-z][a-z'-]*)(.*)$/
/** Where or when an order holds, in front of it. */
const SCOPE =
  /^(?:in|for|on|with|when(?:ever)?|if|while|during|before|after|unless|at|by|to|as|because|since|every ?time|each time|any ?time|regarding|about|whatever)\b[^,;:]{1,110}[,;:]\s*(?:then\s+|please\s+|you (?:should|must) )?/
const LASTING_LEAD =
  /^(?:(?:starting |as )?from (?:now|here|this point|today|this moment) on(?:wards?)?(?: out)?|from (?:here|now) on out|going forward|moving forward|in (?:the )?future|henceforth|as a (?:general |standing )?rule(?: of thumb)?|next time(?: you [^,]{2,60}(?=,))?|for future reference|by default|at all times|starting now|for all future \w+)\s*[,:;–—-]*\s+/
const LASTING_TAIL =
  /[,;]?\s+(?:from (?:now|here|this point|today) on(?:wards?)?(?: out)?|going forward|moving forward|in (?:the )?future|at all times|henceforth|as a (?:general )?rule|(?:before|after) (?:every|each|any) (?:single )?(?:commit|change|push|edit|task|step|release|merge|deploy(?:ment)?|answer|response|session|turn|pr|pull request|refactor(?:ing)?))(?:,? (?:please|thanks|ok(?:ay)?|too|as well))?[.!]*$/
const NO_MORE_TAIL =
  /\b(?:ever again|ever[.!]*$|again|any ?more|any longer|without (?:asking|my |checking with|telling me|permission|confirmation|approval|an? explicit|being asked|consulting)|unless (?:i (?:say|tell|ask|explicitly|told)|the user|explicitly|asked|you(?:'re| are| were) (?:asked|told)))/
const NO_MORE =
  /^no more (?!errors?|warnings?|failures?|issues|problems|questions|crash|time|bugs|changes|work|than)[a-z]{4,}/
/** A condition on Claude's own doing: what follows holds each time. */
const EACH_TIME =
  /^(?:(?:when(?:ever)?|every ?time|each time|any ?time|if|before|after|once) (?:you|i (?:say|ask|tell|mention|write|type|request))\b(?!(?:'re|'ve| are| have)? (?:ready|done|finished|free|back|interested|able|through|good|in|at|on)\b|'ve\b| (?:have|need|want|know|ever|feel|like|get|can|could|come|see|look|click|run)\b)|(?:before|after) (?:every|each|any|all) |for (?:every|each|all) (?=(?:new )?(?:[\w-]+ )?(?:changes?|commits?|tasks?|prs?|pull requests?|features?|bug ?fix(?:es)?|bugs?|releases?|questions?|answers?|refactors?|migrations?)\b))[^,;:]{2,110}?(?:[,;:]\s*|\s+(?=always\b|never\b|(?:run|ask|use|check|write|update)\b))(?:then\s+|please\s+)?/
const POINTING =
  /^(?:(?:do|use|try|run|write|keep|make|add|say|go|be|change)(?:ing)?\s+)?(?:that|this|it|so|them|those|these|like (?:that|this)|the same(?: thing)?)(?:\s+(?:way|too|again|please|then|first|one|any ?more|ever|instead|from now on|in (?:the )?future|now))*\s*[.!]*$/
/** Null: it says nothing for later. `lower`: the sentence in lower case, quotations and code blanked. */
export function inEnglish(lower: string): Recognised | null {
  if (!HINT.test(lower) || ONE_OFF.test(lower)) return null
  const lead = LEAD.exec(lower)?.[0].length ?? 0
  const text = lower.slice(lead)
  const kind = wholeSentence(text, lead > 0 && /\bremember(?: that|:)/.test(lower.slice(0, lead)))
  return kind === null ? laterClause(lower) : { kind, from: 0 }
}

function wholeSentence(text: string, isReminder: boolean): StandingKind | null {
  return (
    asOrder(text) ??
    asWish(text) ??
    asPreference(text) ??
    asLasting(text) ??
    asRule(text) ??
    (isReminder && isWorthKeeping(text) ? 'always' : null)
  )
}

/** "Always …", "never …", also behind where or when it holds. */
function asOrder(text: string): StandingKind | null {
  const direct = orderAt(text, false)
  if (direct !== null) return direct
  const scope = SCOPE.exec(text)?.[0]
  if (scope === undefined) return null
  return orderAt(
    text.slice(scope.length),
    /^(?:when(?:ever)?|if|while|before|after) (?:you|i ask|\w+ing\b)/.test(scope),
  )
}

/** `isOfClaude`: it is about what Claude does, whatever the verb. */
function orderAt(text: string, isOfClaude: boolean): StandingKind | null {
  const [, cue, verb = '', rest = ''] = ORDER.exec(text) ?? []
  if (cue === undefined || !isOrderVerb(verb) || rest.trim() === '' || POINTING.test(verb + rest)) return null
  if (/^have$/.test(verb) && /^ (?:i|we|you|been|had|\w+ed|seen|done|got)\b/.test(rest)) return null
  if (
    !isOfClaude &&
    PRODUCT_VERBS.has(verb) &&
    !/\b(?:me|us|my|our|your|you|yourself|claude|user's? permission)\b/.test(rest)
  )
    return null
  return cue === 'always' || cue === 'only ever' ? 'always' : 'never'
}

function isOrderVerb(word: string): boolean {
  if (ORDER_VERBS.has(word)) return true
  if (NO_ORDER.has(word)) return false
  // A participle or a third person describes: "always failing", "never works".
  return !/(?:ing|ed)$/.test(word) && !/(?<!s|u)s$/.test(word) && word.length > 2
}

const MODAL_ORDER =
  /^(?:you|claude|we|one) (?:should|must|need to|have to|are|shall|ought to|had better|'d better)(?: to)? (always|never|not ever)(?: to)? ([a-z'-]+)/
const SURE_ORDER =
  /^(?:make sure|be sure|ensure|see to it|take care|remember|don'?t forget|make it a habit|try)(?: that)?(?: you)?(?: to)? (always|never) ([a-z'-]+)/
const WANTED =
  /\bi(?:'d| would)? (?:want|need|expect|like|love|prefer)(?: for)? you (?:to )?(always|never|to never|to always|not to ever)\b/
const TOLD_BEFORE =
  /\bi(?:'ve| have)? (?:already |just |clearly |explicitly |repeatedly )?(?:told|asked) you (?:\w+ times )?(?:to (always|never)|(not) to|(never) to) ([a-z'-]+)/
const NEVER_WANT = /^i (?:never (?:ever )?want|(?:don'?t|do not) ever want) (you )?to ([a-z]+)/
const SEEN = /^(?:see|have|find|deal|receive|read|hear)$/
const NOT_AGAIN = /^i (?:don'?t|do not) want (?:you to|to see) (?!this|that|the|it\b).*\b(?:ever|again|any ?more)\b/
const IMPORTANT =
  /^it(?:'s| is) (?:very |really |absolutely )?(?:important|crucial|essential|critical)(?: to me)? (?:that you|to) (always|never) ([a-z'-]+)/
const ASKED = /^(?:can|could|will|would) you please (always|never) ([a-z'-]+)/
const STOP =
  /^(?:please )?(?:just )?stop (?:adding|apologi[sz]ing|asking|using|saying|guessing|assuming|explaining|repeating|summari[sz]ing|inventing|hardcoding|hard-coding|mocking|over-?engineering|committing|pushing|deleting|creating|writing|touching|changing|telling|making up|ignoring|skipping|agreeing|praising|flattering|suggesting|mentioning|starting|ending|being)\b/

function asWish(text: string): StandingKind | null {
  const ordered = MODAL_ORDER.exec(text) ?? SURE_ORDER.exec(text) ?? IMPORTANT.exec(text) ?? ASKED.exec(text)
  if (ordered !== null)
    return isOrderVerb(ordered[2] ?? '') && !/ have (?:been|\w+ed|done)\b/.test(text) ? polarity(ordered[1]) : null
  const wanted = WANTED.exec(text)
  if (wanted !== null) return polarity(wanted[1])
  const told = TOLD_BEFORE.exec(text)
  if (told !== null && ORDER_VERBS.has(told[4] ?? '') && !POINTING.test(text.slice(text.indexOf(told[4] ?? ''))))
    return polarity(told[1] ?? told[2] ?? told[3])
  const unwanted = NEVER_WANT.exec(text)
  if (unwanted !== null) return unwanted[1] !== undefined || SEEN.test(unwanted[2] ?? '') ? 'never' : null
  if (NOT_AGAIN.test(text)) return POINTING.test(text.replace(/^.*?\bto (?:see )?/, '')) ? null : 'never'
  return STOP.test(text) && !POINTING.test(text.replace(/^.*?\bstop /, '')) && text.split(' ').length >= 2
    ? 'never'
    : null
}

/** From now on, each time, not again, never without asking. */
function asLasting(text: string): StandingKind | null {
  const lead = LASTING_LEAD.exec(text)?.[0]
  if (lead !== undefined) {
    const rest = text.slice(lead.length)
    return (/^next time/.test(lead) ? isCommand(rest) : isRequest(rest, false)) ? signOf(rest) : null
  }
  const each = EACH_TIME.exec(text)?.[0]
  if (each !== undefined && each.length < text.length) {
    const rest = text.slice(each.length)
    return isCommand(rest) || /^i (?:mean|want|expect)\b/.test(rest) ? signOf(rest) : null
  }
  const tail = LASTING_TAIL.exec(text)
  if (tail !== null) return isRequest(text.slice(0, tail.index), true) ? signOf(text) : null
  if (NO_MORE.test(text)) return 'never'
  return REFUSAL.test(text) && NO_MORE_TAIL.test(text) && isRefused(text) ? 'never' : null
}

/** An order, or what we and I want; with `isStrict` only what begins with a verb people order with. */
function isRequest(text: string, isStrict: boolean): boolean {
  const rest = text.replace(LEAD, '')
  if (MAYBE.test(rest) || POINTING.test(rest)) return false
  if (
    /^(?:i (?:want|need|expect|prefer)|i'd (?:like|prefer)|i would (?:like|prefer)|you (?:should|must|need to|have to|are to|may|can only)|let'?s|we(?:'ll| will| should| must| only| always| never)? )/.test(
      rest,
    )
  ) {
    const of = /^we(?:'ll| will| should| must| only| always| never)? ([a-z-]+)/.exec(rest)?.[1]
    return of === undefined || ORDER_VERBS.has(of) || of === "don't"
  }
  return isCommand(rest) || (!isStrict && /^(?:no|only|all|every|each) \w+/.test(rest))
}

/** It begins with a verb people order with, perhaps refused. */
function isCommand(text: string): boolean {
  const first =
    /^(?:please |always |never |just |only |first |also |then |don'?t |do not |you (?:should|must|need to|have to) (?:always |never |not )?)*([a-z][a-z'-]*)/.exec(
      text,
    )?.[1] ?? ''
  return (ORDER_VERBS.has(first) || first === 'stop') && text.trim().includes(' ') && !POINTING.test(text)
}

function isRefused(text: string): boolean {
  const rest = text.replace(REFUSAL, '').trim()
  const verb = /^(?:ever |please |just )?([a-z-]+)/.exec(rest)?.[1] ?? ''
  if (/^(?:worry|bother|mind|care|hesitate|think|panic)$/.test(verb)) return false
  if (/^(?:try|run|retry|start|restart|do)$/.test(verb) && /\bagain\b/.test(rest)) return false
  return !POINTING.test(rest) && rest.split(' ').length >= 3
}

/** An order behind another one: "fix it, and never push to main". */
const JOINT =
  /(?:[,;.]|\s[-–—]|\s(?=and|but))\s*(?:(?:and|but|so|then|also|please)\s+)*(?=(?:always|never|from now on|don'?t ever|do not ever)\b)/g
const GRANTED =
  /^(?:you (?:can|may)|feel free|go ahead|that'?s (?:fine|ok|good)|ok(?:ay)?|good|great|thanks|nice|perfect|yes|no|sure|looks good|well done)\b/

function laterClause(lower: string): Recognised | null {
  for (const match of lower.matchAll(JOINT)) {
    if (match.index === 0) continue
    const from = match.index + match[0].length
    const before = lower.slice(0, match.index)
    if (!isCommand(before.replace(LEAD, '')) && !GRANTED.test(before)) continue
    const kind = orderAt(lower.slice(from), false) ?? asLasting(lower.slice(from))
    if (kind !== null) return { kind, from }
  }
  return null
}
