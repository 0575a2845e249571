/** Whether a prompt orders or forbids an operation, by the place of its word. Imports nothing: a hook asks before it loads anything. */

export interface Operation {
  /** The words of its commands. */
  name: string
  word: RegExp
  /** In scripts whose verb follows, or that need none. */
  others?: RegExp
  /** The beginning of a command without options. */
  done: RegExp
}

export const OPERATIONS: readonly Operation[] = [
  { name: 'push', word: /\bpush\b/gi, others: /푸시|プッシュ|推送/, done: /^git push\b/ },
  { name: 'merge', word: /\bmerge\b/gi, others: /머지|マージ|合并/, done: /^(?:git|gh pr) merge\b/ },
  { name: 'pr create', word: /\b(?:PR|pull request)\b/gi, done: /^gh pr create\b/ },
  {
    name: 'release publish',
    word: /\b(?:release|publish)\b/gi,
    others: /릴리[즈스]|リリース|发布/,
    done: /^\S+(?: run)? (?:release|publish)\b/,
  },
  { name: 'deploy', word: /\bdeploy\b/gi, others: /배포|デプロイ|部署/, done: /^\S+(?: run)? deploy\b/ },
  { name: 'commit', word: /\bcommit\b/gi, others: /커밋|コミット|提交/, done: /^git commit\b/ },
]
/** What stands before an operation that is ordered: the beginning of a clause, or a word that leads to it. */
const LEADS = /(?:^|[.,;:!\n]|\s[–—-]|\b(?:and|then|please|now|git)|\b(?:open|create|make|cut)\b[\w ]{0,9})\W*$/i
/** What stands behind it: any other word makes it the name of a thing. */
const ENDS = /^\s*(?:$|[,;!\n]|\.(?!\w)|#\d|(?:it|this|that|to|and|please|the)\b)/i
/** Directly before the operation, or before one word that stands between. */
const BANS = /\b(?:(?:don['’]?t|do not|never)\s(?:\w+\s)?|no (?:direct )?)$/i
/** The prompt is nothing else, but for what the verb is about. */
const VERB = /^\s?(해(?:줘|주세요)?|して(?:ください)?|吧)?\P{L}*$/u
const LONGEST_VERB = 12
const RUN = /\b(?:run|execute)\s/i

export function isOrdered(text: string, { word, others }: Operation): boolean {
  const isSaid = around(text, word).some(([before, behind]) => LEADS.test(before) && ENDS.test(behind))
  return isSaid
    ? !OPERATIONS.some((operation) => isBanned(text, operation))
    : others !== undefined && isWholeOrder(text, others)
}

/** In Korean and Japanese the verb closes the order; the bare word is one, too. */
function isWholeOrder(text: string, others: RegExp): boolean {
  const found = text.length > LONGEST_VERB ? null : others.exec(text)
  if (found === null) return false
  const verb = VERB.exec(text.slice(found.index + found[0].length))
  // It is no end of a longer word, and no negation stands directly before.
  return verb !== null && (found.index === 0 || (verb[1] !== undefined && text[found.index - 1] === ' '))
}

export function isBanned(text: string, { word }: Operation): boolean {
  return around(text, word).some(([before]) => BANS.test(before))
}

export function ordersRun(text: string): boolean {
  const found = RUN.exec(text)
  return found !== null && LEADS.test(text.slice(0, found.index))
}

export function ordersAny(text: string): boolean {
  return ordersRun(text) || OPERATIONS.some((operation) => isOrdered(text, operation))
}

/** What stands before and behind each match. */
function around(text: string, word: RegExp): [before: string, behind: string][] {
  return [...text.matchAll(word)].map(({ 0: found, index }) => [text.slice(0, index), text.slice(index + found.length)])
}
