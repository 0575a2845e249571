/** What a person's prompt says about an id (r001, d001): accept it, decline it, and so on; nothing where it only talks about it. */
import { withoutQuotes } from './typed-sentences.ts'
import { typedOnly } from './typed-text.ts'

export type Act =
  | 'accept'
  | 'decline'
  | 'demote'
  | 'edit'
  | 'reject'
  | 'supersede'
  | 'resolve'
  | 'reopen'
  | 'restore'
  | 'pin'
  | 'unpin'

/** Longer texts are about more than a verdict. */
const MAX_CHARS = 500
/** More words than these beside a bare yes: it says yes to something else. */
const MAX_BESIDE_YES = 1

/** Orders, by what each may be meant as. Korean ones in the forms that order or promise, not that ask or suppose. */
const KO_DONE = '(?=$|[\\s,~)]|해(?!도|서|야)|하자|합니다|할게|하겠|하고|하세요|하십시오|하라|한다|함|요|로 |부탁)'
const ORDERS: readonly (readonly [string, readonly Act[]])[] = [
  ['accept|approve|promote|adopt|annehmen|akzeptieren?', ['accept']],
  ['decline|refuse|deny|dismiss|ablehnen', ['decline']],
  ['reject|discard', ['decline', 'reject']],
  ['demote|retire|revoke|withdraw', ['demote']],
  ['remove|delete|drop|forget', ['decline', 'demote', 'reject']],
  ['edit|change|correct|reword|rephrase|rewrite|update', ['edit']],
  ['supersede|replace', ['supersede', 'demote']],
  ['resolve|close', ['resolve']],
  ['reopen', ['reopen']],
  ['restore|revive', ['restore']],
  ['pin', ['pin']],
  ['unpin', ['unpin']],
]
const KO_ORDERS: readonly (readonly [string, readonly Act[]])[] = [
  [`(?:수락|승인|채택|동의|허락|확정|승격)${KO_DONE}|承認|採用|同意|接受|批准`, ['accept']],
  [`(?:거절|거부|반려)${KO_DONE}|却下|拒否|拒绝`, ['decline', 'reject']],
  [`(?:강등|철회)${KO_DONE}`, ['demote']],
  [`(?:삭제|제거|취소)${KO_DONE}|지워(?!도|야)|削除|删除`, ['decline', 'demote', 'reject']],
  [`(?:수정|변경|편집)${KO_DONE}|고쳐(?!도|야)|바꿔(?!도|야)`, ['edit']],
  [`(?:대체|교체)${KO_DONE}`, ['supersede', 'demote']],
  [`(?:해결|종료)${KO_DONE}`, ['resolve']],
  [`재개${KO_DONE}|다시 열어(?!도|야)`, ['reopen']],
  [`(?:복원|복구)${KO_DONE}`, ['restore']],
  [`고정 ?해제${KO_DONE}`, ['unpin']],
  [`고정${KO_DONE}`, ['pin']],
]
const YES = 'yes|yep|yeah|yup|ok|okay|sure|agreed|ja|oui|sí|da'
const NO = 'no|nope|nah|nein|non'
const KO_YES = '(?:네|예|응|그래|좋아요?|오케이|ㅇㅇ|ㅇㅋ)(?=$|[\\s,.!~])|はい|好的|是的'
const KO_NO = '(?:아니(?:요|오|야)?|싫어요?)(?=$|[\\s,.!~])|いいえ|不要'
/** Takes the sentence back, or puts it off: then it is no verdict. Where it asks, its last sign says so. */
const AGAINST =
  "not|never|cannot|nothing|none|nobody|neither|without|instead|don't|dont|didn't|doesn't|won't|wouldn't|can't|couldn't|shouldn't|haven't|isn't|nicht|kein\\w*|if|when|whenever|whether|unless|until|once|after|before|while|later|tomorrow|maybe|perhaps|might|may|should|would|could|what|why|how|who|which|where|except|hypothetically|suppose"
const KO_AGAINST = '(?:안|못)(?= )|말고|말아|말자|(?<=지 ?)마|않|나중|만약|아직|보류|할까|하면|여부|전에'
/** Stands in front of a verdict without changing it. */
const BESIDE =
  /^(?:please|pls|run|execute|command|and|then|also|so|now|just|both|all|i|we|you|want|wanted|like|to|let|let's|lets|us|me|my|the|this|that|these|it|is|as|for|a|an|of|go|ahead|do|claude|hey|hi|thanks|thank|good|great|fine|looks|right|well|rules?|facts?|proposals?|candidates?|memory|bitte|und|!|!memory-keeper|\S*memory-keeper(?:\.cmd)?|좀|실행해?|이|그|규칙|제안|사실|기억|을|를|은|는|둘|다|모두|그리고|그럼)$/
const POLITE = /^\W*(?:please |claude,? |ok(?:ay)?,? )*(?:can|could|would|will) you\b|줄래|주시겠|주실래|줄 수 있/
const TAKEN_BACK =
  /^\W*(?:wait|stop|cancel|no|nope|never ?mind|on second thought|actually|잠깐|아니|취소|그만)(?![\p{L}])/iu

/** "Do not accept anything." */
const REFUSED =
  /(?:\b(?:not|never|dont|nothing|none|nicht)\b|n't\b).*\b(?:accept|approve|promote|adopt|decline|reject|demote|any of (?:it|them|these|those))\b|\b(?:accept|approve|promote) (?:nothing|none)\b|(?:수락|승인|채택|동의|승격|거절|거부|강등)하?지 ?(?:마|말|않)/i

interface Token {
  is: 'id' | 'order' | 'yes' | 'against' | 'aside' | 'other'
  text: string
  acts: readonly Act[]
}

/** A verdict is an order or a yes with the id in the same sentence, in words a person typed. */
export function verdictIn(prompt: string, id: string): readonly Act[] {
  const sentences = sentencesIn(prompt)
  const at = sentences.findLastIndex((sentence) => names(sentence, id))
  if (at < 0 || prompt.length > MAX_CHARS) return []
  const rest = sentences.slice(at + 1)
  if (sentences.some((one) => REFUSED.test(one)) || rest.some((sentence) => TAKEN_BACK.test(sentence))) return []
  return actsIn(sentences[at] ?? '', id.toLowerCase())
}

/** Whether it says anything about the id, verdict or not. */
export function mentions(prompt: string, id: string): boolean {
  return names(typedOnly(prompt), id)
}

/** Whether it takes back what was said before it. */
export function takesBack(prompt: string): boolean {
  const sentences = sentencesIn(prompt)
  return (
    sentences.some((one) => REFUSED.test(one)) ||
    (sentences.join(' ').split(/\s+/).length <= 6 && TAKEN_BACK.test(prompt))
  )
}

function sentencesIn(prompt: string): string[] {
  // A slash command's name is no word of the sentence.
  const said = typedOnly(prompt)
    .replace(/[’ʼ]/g, "'")
    .replace(/^\s*\/\S+/, '')
  const typed = withoutQuotes(said.replace(/[`"](\S*memory-keeper [^`"\n]{1,80})[`"]/g, ' $1 '))
  return typed.match(/(?:[^.!?。！？\n;]|[.!?](?=\S)|^\s*!)+[.!?。！？;]*/g)?.filter((one) => one.trim() !== '') ?? []
}

function names(text: string, id: string): boolean {
  return new RegExp(`(?<![\\p{L}\\p{N}_-])${id.replace(/\W/g, '')}(?![A-Za-z\\d_])`, 'iu').test(text)
}

function actsIn(sentence: string, id: string): readonly Act[] {
  const lower = sentence.toLowerCase()
  if (/[?？]\s*$/.test(lower) && !POLITE.test(lower)) return []
  const tokens = tokensOf(lower.replace(POLITE, ' '))
  const first = tokens.findIndex(({ is }) => is === 'id' || is === 'order')
  if (first < 0 || tokens.some(({ is }) => is === 'against')) return bareYes(tokens, id)
  if (tokens.slice(0, first).some(({ is }) => is === 'other')) return []
  if (!tokens.some(({ is }) => is === 'order')) return bareYes(tokens, id)
  const places = tokens.flatMap((token, i) => (token.is === 'id' && token.text === id ? [i] : []))
  const found = places.map((own) => actsAt(tokens, own, tokens[first]?.is === 'order'))
  // Said with two verdicts, it has none.
  return found.every((acts) => acts === found[0]) ? (found[0] ?? []) : []
}

function actsAt(tokens: readonly Token[], own: number, isOrderFirst: boolean): readonly Act[] {
  // "supersede d001 by d002" says nothing about the second one.
  if (tokens.slice(0, own).some(({ is }) => is === 'aside')) return []
  const before = tokens.slice(0, own).findLast(({ is }) => is === 'order')
  const after = tokens.slice(own + 1).find(({ is }) => is === 'order')
  return (isOrderFirst ? before : after)?.acts ?? []
}

/** "r001: yes", "yes to r001 and r002", "r001 yes, r002 no". */
function bareYes(tokens: readonly Token[], id: string): readonly Act[] {
  const beside = tokens.filter(({ is }) => is === 'other' || is === 'against').length
  const own = tokens.findIndex((token) => token.is === 'id' && token.text === id)
  if (own < 0 || beside > MAX_BESIDE_YES || tokens.some(({ is }) => is === 'against')) return []
  const isYesFirst = tokens.find(({ is }) => is === 'id' || is === 'yes')?.is === 'yes'
  const said = isYesFirst
    ? tokens.slice(0, own).findLast(({ is }) => is === 'yes')
    : tokens.slice(own + 1).find(({ is }) => is === 'yes')
  return said?.acts ?? []
}

const word = (words: string): string => `(?<![\\p{L}\\p{N}_'-])(?:${words})(?![\\p{L}\\p{N}_'-])`
const PATTERNS: readonly (readonly [string, Token['is'], readonly Act[]])[] = [
  ['(?<![\\p{L}\\p{N}_-])[a-z]\\d{1,9}(?=(?:으로|로)(?![\\p{L}]))', 'other', []],
  ['(?<![\\p{L}\\p{N}_-])[a-z]\\d{1,9}(?![A-Za-z\\d_])', 'id', []],
  [KO_AGAINST, 'against', []],
  [word(AGAINST), 'against', []],
  ...KO_ORDERS.map(([words, acts]) => [words, 'order', acts] as const),
  ...ORDERS.map(([words, acts]) => [word(words), 'order', acts] as const),
  [KO_YES, 'yes', ['accept']],
  [word(YES), 'yes', ['accept']],
  [KO_NO, 'yes', ['decline']],
  [word(NO), 'yes', ['decline']],
  ['(?<!\\S)(?:by|--by|with)(?!\\S)', 'aside', []],
  ['[^\\s,:()]+', 'other', []],
]
const OTHER = ['', 'other', []] as const
/** Behind a "no" that is a verdict; "no need to accept …" is against one. */
const STANDS_ALONE = /^\s*(?:[,.!~…:–—-]|$|(?:to\s)?[a-z]\d)/
const TOKEN = new RegExp(PATTERNS.map(([pattern]) => `(${pattern})`).join('|'), 'giu')

function tokensOf(sentence: string): Token[] {
  const lower = sentence.toLowerCase()
  return [...lower.matchAll(TOKEN)].flatMap((match): Token[] => {
    const which = match.slice(1).findIndex((group) => group !== undefined)
    const [, is, acts] = PATTERNS[which] ?? OTHER
    const [text] = match
    if (is === 'other' && BESIDE.test(text)) return []
    const isAgainst =
      acts.includes('decline') && is === 'yes' && !STANDS_ALONE.test(lower.slice(match.index + text.length))
    return [{ is: isAgainst ? 'against' : is, text, acts }]
  })
}
