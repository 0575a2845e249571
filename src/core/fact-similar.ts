/** Whether two facts say the same: by the words they share, words without spaces between by pairs of characters. */

const SAME = 0.7
/** An issue and the sentence that it is solved are worded differently on purpose. */
const CLOSES = 0.5
const STOP = new Set(
  'the a an is are was were be been and or to of in on for with it its this that we i you will from as at by so do does now use using used have has had just also please'.split(
    ' ',
  ),
)
/** How things stand, not what they are about. */
const STATUS = new Set(
  'still not yet now fixed fix fixes fails fail failing failed works work working open todo resolved solved solves issue problem bug broken needs need done again longer no isn aren doesn hasn been 아직 이제 해결 해결됨 해결했습니다 수정 수정했습니다 문제 남은 남아 결했 했습 습니 니다 았습 었습 합니 입니 됩니 되었 됐습 결됐 결되 정했'.split(
    ' ',
  ),
)
const NEGATED =
  /\b(?:not|never|no|without|don't|instead of|rather than|over|avoid|statt|nicht|kein)\s+(?:(?:use|using|the|a|an)\s+)*([\p{L}\p{N}_.-]+)|([\p{L}\p{N}_.-]+?)(?:을|를)?\s*(?:대신|말고)/giu

/** ≥ 70 % of the words in common, the same numbers, and the same things said no to: "A, not B" is not "B, not A". */
export function isSameFact(a: string, b: string): boolean {
  if (shareOfWords(wordsOf(a), wordsOf(b)) < SAME) return false
  return sameSet(numbersOf(a), numbersOf(b)) && sameSet(negatedOf(a), negatedOf(b))
}

/** How much a solved issue and an open one are about the same; 0: they are not. */
export function closeness(open: string, solved: string): number {
  const about = (text: string): Set<string> => new Set([...wordsOf(text)].filter((word) => !STATUS.has(word)))
  const value = shareOfWords(about(open), about(solved))
  return value >= CLOSES ? value : 0
}

/** Twice the common words over all words of both. */
export function shareOfWords(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return a.size === b.size ? 1 : 0
  let common = 0
  for (const word of a) if (b.has(word)) common++
  return (2 * common) / (a.size + b.size)
}

/** What a text is about, without the words that every text has. */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>()
  for (const [run] of text.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu)) {
    for (const part of run.match(
      /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[^\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+/g,
    ) ?? []) {
      if (/^[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(part)) for (const pair of pairs(part)) words.add(pair)
      else if (!STOP.has(part)) words.add(part)
    }
  }
  return words
}

function pairs(run: string): string[] {
  return run.length < 2 ? [run] : Array.from({ length: run.length - 1 }, (_, i) => run.slice(i, i + 2))
}

function numbersOf(text: string): Set<string> {
  return new Set(text.match(/\d+(?:\.\d+)*/g) ?? [])
}

/** What a text says no to. */
export function negatedOf(text: string): Set<string> {
  return new Set(
    [...text.toLowerCase().matchAll(NEGATED)].map((match) => (match[1] ?? match[2] ?? '').replace(/[.-]+$/, '')),
  )
}

function sameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((one) => b.has(one))
}
