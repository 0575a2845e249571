/** New standing instructions among the known ones: the same is said once more, the opposite takes the older one back. */
import { isOvertaken } from './digest-overtaken.ts'
import { shareOfWords, wordsOf } from './fact-similar.ts'
import { compareText } from './memory-words.ts'
import type { Stated } from './standing.ts'
import type { StandingKind } from './standing-kind.ts'
import type { Standing, StandingList, StandingStatus } from './standing-list.ts'

const SAME = 0.7
const OPPOSITE = 0.6
/** Nobody gives more; what was said once and long ago goes first. */
const MAX_KEPT = 300
/** How it is said, not what it is about. */
const MANNER = new Set(
  (
    'always never please ever from now on make sure that must should only prefer do don t not stop want need like remember you your me my i in the future going forward ' +
    '항상 언제 제나 절대 대로 앞으 으로 으로는 로는 주세 세요 해줘 하세 마세 지마 말아 아줘 常に 必ず 絶対 対に 今後 後は ださ さい くだ 总是 始终 永远 不要 以后 请始 immer nie niemals bitte ab jetzt stets'
  ).split(' '),
)

/** `stated` in entries up to `upTo` of this session; what was said before is said once more. */
export function addStated(list: StandingList, session: string, stated: readonly Stated[], upTo: number): StandingList {
  let standing = list.standing
  for (const one of stated) standing = addOne(standing, session, one)
  return { read: { ...list.read, [session]: upTo }, standing: bounded(standing) }
}

function addOne(all: readonly Standing[], session: string, one: Stated): readonly Standing[] {
  if (all.some((known) => known.session === session && known.entry === one.entry && known.text === one.text)) return all
  const same = all.find((known) => isSameStanding(known, one))
  const isNewest = (than: Stated): boolean => compareText(one.at, than.at) >= 0
  const added: Standing =
    same === undefined
      ? { id: nextId(all), ...one, session, times: 1, status: 'candidate' }
      : isNewest(same)
        ? { ...same, ...one, session, times: same.times + 1, status: revived(same.status) }
        : { ...same, times: same.times + 1 }
  const others = all.filter((known) => known !== same)
  const isOverruled = others.some((known) => !isNewest(known) && known.status !== 'declined' && overrules(known, added))
  const judged = others.map((known) =>
    known.status === 'candidate' && isNewest(known) && overrules(added, known)
      ? { ...known, status: 'superseded' as const }
      : known,
  )
  const status = isOverruled && added.status === 'candidate' ? 'superseded' : added.status
  return [...judged, { ...added, status }].sort((a, b) => compareText(a.id, b.id) || a.id.length - b.id.length)
}

/** Said again after its opposite, it holds again; a person's verdict stays. */
function revived(status: StandingStatus): StandingStatus {
  return status === 'superseded' ? 'candidate' : status
}

/** Most of what it is about is the same, its numbers too, and both say yes to it or both no. */
function isSameStanding(a: Stated, b: Stated): boolean {
  return isNo(a.kind) === isNo(b.kind) && numbersOf(a) === numbersOf(b) && closeness(a, b) >= SAME
}

function overrules(later: Stated, earlier: Stated): boolean {
  if (isNo(later.kind) !== isNo(earlier.kind)) return closeness(later, earlier) >= OPPOSITE
  // Whichever of two that exclude each other was said last holds.
  return isOvertaken(earlier.text, later.text) || isOvertaken(later.text, earlier.text)
}

function isNo(kind: StandingKind): boolean {
  return kind === 'never'
}

function closeness(a: Stated, b: Stated): number {
  const about = ({ text }: Stated): Set<string> => new Set([...wordsOf(text)].filter((word) => !MANNER.has(word)))
  const [one, other] = [about(a), about(b)]
  return one.size === 0 || other.size === 0 ? Number(a.text === b.text) : shareOfWords(one, other)
}

function numbersOf({ text }: Stated): string {
  return (text.match(/\d+(?:\.\d+)*/g) ?? []).join(' ')
}

function nextId(all: readonly Standing[]): string {
  const last = Math.max(0, ...all.map(({ id }) => Number(/^t(\d+)$/.exec(id)?.[1] ?? 0)))
  return `t${String(last + 1).padStart(3, '0')}`
}

/** A person's verdicts stay. */
function bounded(all: readonly Standing[]): readonly Standing[] {
  if (all.length <= MAX_KEPT) return all
  const worth = ({ status, times }: Standing): number =>
    status === 'superseded' ? 0 : status !== 'candidate' ? 3 : times > 1 ? 2 : 1
  const kept = new Set(all.toSorted((a, b) => worth(b) - worth(a) || compareText(b.at, a.at)).slice(0, MAX_KEPT))
  return all.filter((one) => kept.has(one))
}
