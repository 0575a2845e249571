/** The plan of one history: which sessions are run, where, from which earlier ones, and how each of them ends. Made from a seed. */

/** `root`: the project. `below`: a subdirectory. `beside`: a sibling worktree. `inside`: a worktree below the project. */
export type Place = 'root' | 'below' | 'beside' | 'inside'

/** What the model does before it answers a prompt. `slow` gives a kill time to hit the middle of it. */
export interface Work {
  tool: 'Bash' | 'Write' | 'Agent'
  token: string
  isSlow: boolean
}

/** One prompt, and what the scripted model does about it. Tokens are unique in all histories of one run of the bench. */
export interface Order {
  token: string
  works: readonly Work[]
  isSlow: boolean
  /** The usage that the model reports makes the host compact by itself. */
  fills: boolean
}

export type Act = { do: 'say'; order: Order } | { do: 'command'; command: '/clear' | '/compact' }

export interface Run {
  id: string
  way: 'print' | 'stream' | 'terminal'
  place: Place
  /** A session of an earlier group. */
  from: { id: string; isFork: boolean } | null
  acts: readonly Act[]
  /** `kill`: SIGKILL, so many milliseconds after the last prompt was sent. `close`: the terminal's window is closed. */
  end: { how: 'leave' | 'kill' | 'close'; afterMs: number }
}

export interface Group {
  /** Sessions at the same time. */
  runs: readonly Run[]
  /** Whether the next group waits until the finishers of this one are done. */
  isAwaited: boolean
}

export interface History {
  number: number
  groups: readonly Group[]
  /** How likely each process is to be killed. */
  killRate: number
  /** Background calls of a model are made. */
  hasChild: boolean
  /** The host waits longer for SessionEnd hooks than its own second and a half. */
  isPatient: boolean
  settings: Record<string, unknown>
}

const PLACES: readonly Place[] = ['root', 'root', 'root', 'below', 'beside', 'beside', 'inside']
const KILL_RATES = [0.1, 0.25, 0.5]
const LONGEST_KILL_MS = 4_000

/** Random choices, drawn in a fixed order: the same seed gives the same plan. */
interface Draw {
  random(): number
  pick<T>(from: readonly T[]): T
  /** Letters and digits that occur nowhere else. */
  token(): string
  uuid(): string
}

export function planHistory(number: number, starts: number, random: () => number): History {
  const draw = newDraw(number, random)
  const known: Run[] = []
  const groups: Group[] = []
  while (known.length < starts) {
    const group = planGroup(draw, known, starts - known.length)
    groups.push(group)
    known.push(...group.runs)
  }
  const hasChild = random() < 0.7
  return {
    number,
    groups,
    killRate: draw.pick(KILL_RATES),
    hasChild,
    isPatient: random() < 0.5,
    settings: {
      saveInterval: draw.pick([2, 3, 6]),
      rotationThresholdTokens: draw.pick([1_000, 3_000, 25_000]),
      carryoverTokens: draw.pick([100, 300]),
      modelCallsPerDay: 10_000,
      modelTokensPerDay: 100_000_000,
      ...(hasChild ? {} : { summarizer: 'extractive' }),
    },
  }
}

function newDraw(number: number, random: () => number): Draw {
  let tokens = 0
  const hex = (length: number): string => Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('')
  return {
    random,
    pick: <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T,
    token: () => `k${number}x${++tokens}`,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
  }
}

function planGroup(draw: Draw, known: readonly Run[], most: number): Group {
  const size = Math.min(most, draw.pick([1, 1, 2, 2, 3, 4]))
  // Two hosts never go on in one session at once.
  const taken = new Set<string>()
  const runs = Array.from({ length: size }, () => planRun(draw, known, taken))
  return { runs, isAwaited: draw.random() < 0.3 }
}

function planRun(draw: Draw, known: readonly Run[], taken: Set<string>): Run {
  const from = planOrigin(draw, known, taken)
  const origin = known.find(({ id }) => id === from?.id)
  const way = draw.pick(['print', 'stream', 'stream', 'stream', 'stream', 'terminal'] as const)
  return {
    id: from?.isFork === false ? from.id : draw.uuid(),
    way,
    // The host finds a session only in the directory where it was started.
    place: origin?.place ?? draw.pick(PLACES),
    from,
    acts: planActs(draw, way),
    end: { how: planEnd(draw, way), afterMs: Math.floor(draw.random() * LONGEST_KILL_MS) },
  }
}

/** Half of all runs go on in an earlier session: in itself, or in a fork of it. Forks of forks come about by chance. */
function planOrigin(draw: Draw, known: readonly Run[], taken: Set<string>): Run['from'] {
  if (known.length === 0 || draw.random() < 0.5) return null
  const { id } = draw.pick(known)
  const isFork = draw.random() < 0.6
  if (taken.has(id)) return null
  taken.add(id)
  return { id, isFork }
}

function planEnd(draw: Draw, way: Run['way']): Run['end']['how'] {
  const chance = draw.random()
  if (way === 'print') return 'leave'
  if (chance < 0.45) return 'kill'
  return way === 'terminal' && chance < 0.6 ? 'close' : 'leave'
}

function planActs(draw: Draw, way: Run['way']): Act[] {
  const acts: Act[] = [planSay(draw, way)]
  for (let n = way === 'print' ? 0 : draw.pick([0, 1, 2]); n > 0; n--) {
    const chance = draw.random()
    if (chance < 0.25) acts.push({ do: 'command', command: '/compact' })
    else if (chance < 0.55 && way === 'terminal') acts.push({ do: 'command', command: '/clear' })
    acts.push(planSay(draw, way))
  }
  return acts
}

function planSay(draw: Draw, way: Run['way']): Act {
  const works = Array.from({ length: draw.pick([0, 1, 1, 2, 3, 4]) }, () => planWork(draw))
  const fills = way === 'stream' && works.length > 0 && draw.random() < 0.1
  return { do: 'say', order: { token: draw.token(), works, isSlow: draw.random() < 0.2, fills } }
}

function planWork(draw: Draw): Work {
  const tool = draw.pick(['Bash', 'Bash', 'Bash', 'Write', 'Agent'] as const)
  return { tool, token: draw.token(), isSlow: draw.random() < 0.15 }
}
