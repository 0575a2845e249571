/** Answers an event that a hook hands to the running server: the same code as in the hook program, with the hook's environment. */
import { locate, type Surroundings } from '../../kernel/platform/disk/locate.ts'
import { isAlive } from '../../kernel/platform/disk/lock.ts'
import type { Job } from '../../kernel/sessions/disk/finisher-queue.ts'
import { isForServer, parseHookEvent, skillIn } from './host.ts'
import type { Served } from './listen.ts'
import { recallForEvent } from './recall.ts'
import { runHook } from './run.ts'
import type { Question } from './server-messages.ts'

interface Answering {
  now: () => string
  elapsedMs: () => number
  /** As the hook would start it, with its environment. */
  startFinisher: (root: string, job: Job, question: Question) => void
  /** A word for what was done. */
  doing: (what: string) => void
}

const AFTER_PROMPT_MS = 1_000

/** Null: the hook should do the work itself. */
export function answerHook(
  question: Question,
  around: Surroundings,
  { now, elapsedMs, startFinisher, doing }: Answering,
): Served | null {
  const event = parseHookEvent(question.stdin)
  if (event === null || !isForServer(event)) return null
  // A skill's command runs in a separate process.
  if (event.name === 'UserPromptSubmit' && skillIn(event.prompt) !== null) return null
  const began = elapsedMs()
  const soon: (() => void)[] = []
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
    startFinisher: (root, job) => startFinisher(root, job, question),
    runSkill: () => null,
    doing,
    soon: (work) => soon.push(work),
    later: (work) => later.push(work),
    loadStarter: notHere,
    loadRecaller: () => ({ recall: recallForEvent }),
    loadKeeper: notHere,
  })
  if (out === null) return null
  const run = (works: (() => void)[]): void => {
    for (const work of works.splice(0)) work()
  }
  const heard = (ms: number): void => {
    waited = ms
    run(later)
    waited = null
  }
  // With a prompt the host is about to ask the model: nothing should run beside it.
  const sent = (): void => (event.name === 'Stop' ? run(soon) : void setTimeout(run, AFTER_PROMPT_MS, soon).unref())
  return { answer: { out }, sent, heard }
}

function notHere(): never {
  throw new Error('what the server answers needs neither starter nor keeper')
}
