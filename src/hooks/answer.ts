/** A prompt that a hook hands to the running server: the same code as in the hook program, with the hook's view of the world. */

import { locate, type Surroundings } from '../platform/disk/locate.ts'
import { isAlive } from '../platform/disk/lock.ts'
import { parseHookEvent, skillIn } from './host.ts'
import type { Served } from './listen.ts'
import { recallWithPrompt } from './recall.ts'
import { runHook } from './run.ts'
import type { Answer, Question } from './wire.ts'

interface Clock {
  now: () => string
  elapsedMs: () => number
}

/** Null: not a prompt, or a skill, whose command runs in a process of its own. */
export function answerPrompt(question: Question, around: Surroundings, { now, elapsedMs }: Clock): Served | null {
  const event = parseHookEvent(question.stdin)
  if (event?.name !== 'UserPromptSubmit' || skillIn(event.prompt) !== null) return null
  const began = elapsedMs()
  const jobs: Answer['jobs'] = []
  const later: (() => void)[] = []
  let waited: number | null = null
  const out = runHook(question.stdin, {
    now,
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
    doing: () => undefined,
    later: (work) => later.push(work),
    loadStarter: notForPrompts,
    loadRecaller: () => ({ recall: recallWithPrompt }),
    loadKeeper: notForPrompts,
  })
  const heard = (ms: number): void => {
    waited = ms
    for (const work of later.splice(0)) work()
  }
  return { answer: { out, jobs }, heard }
}

function notForPrompts(): never {
  throw new Error('a prompt needs neither starter nor keeper')
}
