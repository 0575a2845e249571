/** Answers a prompt or the end of a turn that a hook hands to the running server: the same code as in the hook program, with the hook's environment. */
import { openStore } from '../memory/disk/store.ts'
import { locate, type Surroundings } from '../platform/disk/locate.ts'
import { isAlive } from '../platform/disk/lock.ts'
import { leaveJob } from '../sessions/disk/finisher-queue.ts'
import { type HookEvent, parseHookEvent, skillIn } from './host.ts'
import type { Served } from './listen.ts'
import { recallWithPrompt } from './recall.ts'
import { runHook } from './run.ts'
import type { Answer, Question } from './wire.ts'

interface Answering {
  now: () => string
  elapsedMs: () => number
  /** A word for what was done. */
  doing: (what: string) => void
}

/** Null: the hook should do the work itself. */
export function answerHook(
  question: Question,
  around: Surroundings,
  { now, elapsedMs, doing }: Answering,
): Served | null {
  const event = parseHookEvent(question.stdin)
  if (event === null || !isForServer(event, question, around, now)) return null
  const began = elapsedMs()
  const jobs: Answer['jobs'] = []
  const later: (() => void)[] = []
  let waited: number | null = null
  const out = runHook(question.stdin, {
    now,
    by: 'server',
    elapsedMs: () => waited ?? elapsedMs() - began,
    isAttended: question.isAttended,
    isOurChild: false,
    hostPid: question.hostPid,
    isStartedByHost: () => false,
    isAlive,
    locate: (startDir) => locate(startDir, around),
    projectDir: question.projectDir,
    startFinisher: (root, job) => jobs.push({ root, job }),
    runSkill: () => null,
    doing,
    later: (work) => later.push(work),
    loadStarter: notHere,
    loadRecaller: () => ({ recall: recallWithPrompt }),
    loadKeeper: notHere,
  })
  for (const { root, job } of jobs) leaveJob(locate(root, around), job)
  const heard = (ms: number): void => {
    waited = ms
    for (const work of later.splice(0)) work()
  }
  return { answer: { out, jobs }, heard }
}

/** A skill's command runs in a separate process. A turn that may be blocked waits for its results, and the server must not. */
function isForServer(event: HookEvent, question: Question, around: Surroundings, now: () => string): boolean {
  if (event.name === 'UserPromptSubmit') return skillIn(event.prompt) === null
  if (event.name !== 'Stop') return false
  const { config } = openStore(locate(question.projectDir || event.cwd, around), { now })
  return !question.isAttended || config.enforcement !== 'block'
}

function notHere(): never {
  throw new Error('prompts and stops need neither starter nor keeper')
}
