/** Histories in the real host until enough sessions were lived through, and one table of what became of them. */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { HostName } from '../../test/host/support/hosts.ts'
import type { World } from '../../test/host/support/world.ts'
import { createRandom } from '../support/random.ts'
import { compareAll, type Difference, KINDS } from './compare.ts'
import { planHistory } from './history-plan.ts'
import { type Lived, liveHistory } from './history-run.ts'
import { countNotes, type NoteCount, readKept } from './kept.ts'
import { KINDS as KILLED, type Kills } from './killer.ts'
import { findLeftovers, type Leftovers } from './leftovers.ts'
import type { Kind } from './said.ts'
import { readTranscripts } from './said.ts'

export interface HistoryOptions {
  seed: number
  sessions: number
  /** Only this history: to repeat one. */
  only: number | null
  host: HostName
}

/** Hosts started in one world. */
const STARTS = 20
/** Shown of each list of what is wrong. */
const SHOWN = 6

interface Checked {
  number: number
  sessions: number
  starts: number
  kills: Kills
  childCalls: number
  words: Record<Kind, Difference>
  notes: NoteCount
  before: Leftovers
  after: Leftovers
  verify: string
  badLines: number
  troubles: string[]
  seconds: number
}

/** Whether everything was as it must be. */
export async function runHistories({ seed, sessions, only, host }: HistoryOptions): Promise<boolean> {
  const all: Checked[] = []
  let [lived, stopped] = [0, 0]
  for (let number = only ?? 1; lived < sessions && (only === null || number === only); number++) {
    try {
      const checked = await runHistory(seed, number, host)
      all.push(checked)
      lived += checked.sessions
      console.log(describe(checked, seed, host))
    } catch (error) {
      // A process that does not end, or a host that does not start: the others still tell something.
      console.log(`history ${number} stopped: ${String(error).slice(0, 2_000)}\n  ${again(seed, number, host)}`)
      stopped += 1
      lived += STARTS
    }
  }
  console.log(`\n${render(all)}\nhistories that were stopped: ${stopped}`)
  return stopped === 0 && all.every(isSound)
}

async function runHistory(seed: number, number: number, host: HostName): Promise<Checked> {
  // A world of its own for each: the same plan whichever histories are run.
  const random = createRandom(seed * 7919 + number)
  const plan = planHistory(number, STARTS, random)
  const began = Date.now()
  const lived = await liveHistory(plan, host, createRandom(seed * 104_729 + number))
  try {
    const checked = { number, seconds: (Date.now() - began) / 1000, ...check(lived) }
    const { KEEP_WORLD: to } = process.env
    // To look at what went wrong: sockets of terminals are left out, so a plain copy does not do.
    if (to !== undefined && !isSound(checked)) {
      mkdirSync(to, { recursive: true })
      spawnSync('tar', ['czf', path.join(to, `history-${seed}-${number}.tgz`), '-C', lived.world.dir, '.'])
    }
    return checked
  } finally {
    await lived.world.end()
  }
}

function check(lived: Lived): Omit<Checked, 'number' | 'seconds'> {
  const { world, starts, kills, childCalls, troubles, leftovers } = lived
  const memory = world.file('.claude', 'memory')
  const transcripts = readTranscripts(path.join(world.home, '.claude', 'projects'))
  return {
    ...{ starts, kills, childCalls, troubles, before: leftovers },
    sessions: transcripts.sessions.size,
    words: compareAll(transcripts.said, readKept(memory)),
    notes: countNotes(memory),
    after: findLeftovers(world.dir),
    verify: verify(world),
    badLines: transcripts.badLines,
  }
}

/** What the product says of itself. */
function verify(world: World): string {
  const cli = path.resolve('plugin', 'dist', 'cli.cjs')
  const { stdout, stderr } = spawnSync(process.execPath, [cli, 'verify', '--json', '--project', world.projectDir], {
    encoding: 'utf8',
    env: { HOME: world.home, PATH: '/usr/bin:/bin' },
  })
  if (stdout === '') return stderr
  return (JSON.parse(stdout) as { complete: boolean }).complete ? 'complete' : 'incomplete'
}

function isSound({ words, notes, after, verify, troubles }: Checked): boolean {
  const lists = KINDS.flatMap((kind) => [words[kind].missing, words[kind].doubled, words[kind].misplaced])
  const others = [notes.missing, notes.doubled, after.locks, after.temporary, after.broken, troubles]
  return verify === 'complete' && [...lists, ...others].every((list) => list.length === 0)
}

function again(seed: number, number: number, host: HostName): string {
  return `again: npm run bench -- faults histories --seed ${seed} --only ${number} --host ${host}`
}

/** One line, and below it whatever is wrong. */
function describe(checked: Checked, seed: number, host: HostName): string {
  const { number, sessions, starts, kills, notes, after, seconds, troubles } = checked
  const killed = KILLED.map((kind) => `${kills[kind]} ${kind}`).join(', ')
  const head = `history ${number}: ${starts} starts, ${sessions} sessions, killed ${killed}; ${Math.round(seconds)} s; verify: ${checked.verify}`
  const lists: [name: string, list: readonly string[]][] = [
    ...KINDS.flatMap((kind): [string, readonly string[]][] => {
      const { missing, doubled, misplaced, beyond } = checked.words[kind]
      const name = (what: string): string => `${kind}: ${what}`
      return [
        [name('missing'), missing],
        [name('doubled'), doubled],
        [name('misplaced'), misplaced],
        [name('in no transcript'), beyond],
      ]
    }),
    ['entries without a note', notes.missing],
    ['entries in several notes', notes.doubled],
    ['locks left', after.locks],
    ['temporary files left', after.temporary],
    ['broken files', after.broken],
    ['troubles', troubles],
  ]
  const wrong = lists.filter(([, list]) => list.length > 0)
  const lines = wrong.map(
    ([name, list]) => `  ${name} (${list.length}): ${list.slice(0, SHOWN).join(' | ').slice(0, 900)}`,
  )
  if (isSound(checked)) return [head, ...lines].join('\n')
  return [head, ...lines, `  ${again(seed, number, host)}`].join('\n')
}

function render(all: readonly Checked[]): string {
  const sum = (of: (one: Checked) => number): number => all.reduce((total, one) => total + of(one), 0)
  const words = KINDS.map((kind) => {
    const cell = (key: 'missing' | 'doubled' | 'misplaced' | 'beyond'): number =>
      sum((one) => one.words[kind][key].length)
    const [present, found] = [sum((one) => one.words[kind].present), sum((one) => one.words[kind].found)]
    return `| ${kind} | ${present} | ${found} | ${cell('missing')} | ${cell('doubled')} | ${cell('misplaced')} | ${cell('beyond')} |`
  })
  const authors = ['extractive', 'headless', 'agent']
    .map((author) => `${sum((one) => one.notes.byAuthor[author] ?? 0)} ${author}`)
    .join(', ')
  const left = (of: 'before' | 'after'): string =>
    `${sum((one) => one[of].locks.length)} locks, ${sum((one) => one[of].temporary.length)} temporary files, ${sum((one) => one[of].broken.length)} broken files`
  return [
    `${all.length} histories, ${sum((one) => one.starts)} starts of the host, ${sum((one) => one.sessions)} sessions, ${Math.round(sum((one) => one.seconds))} s`,
    `killed: ${KILLED.map((kind) => `${sum((one) => one.kills[kind])} ${kind}`).join(', ')}; ${sum((one) => one.kills.host + one.kills.hook + one.kills.server + one.kills.finisher + one.kills.child)} in all`,
    `background calls that reached the model: ${sum((one) => one.childCalls)}; cut lines in transcripts: ${sum((one) => one.badLines)}`,
    '',
    '| | in transcripts | in session files | missing | doubled | in a wrong session | in no transcript |',
    '|---|--:|--:|--:|--:|--:|--:|',
    ...words,
    '',
    `entries: ${sum((one) => one.notes.entries)}; without a note ${sum((one) => one.notes.missing.length)}, in several notes ${sum((one) => one.notes.doubled.length)}; still open ${sum((one) => one.notes.open)}`,
    `notes: ${sum((one) => one.notes.notes)} (${authors})`,
    `left by the kills: ${left('before')}; after two more sessions: ${left('after')}`,
    `verify says complete: ${all.filter(({ verify }) => verify === 'complete').length} of ${all.length}; troubles with the host: ${sum((one) => one.troubles.length)}`,
  ].join('\n')
}
