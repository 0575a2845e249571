/** One hook event from end to end: read, decide, capture, answer. */
import { captureSession } from '../store/capture.ts'
import { catchUp } from '../store/catch-up.ts'
import { noteHookTime } from '../store/journal.ts'
import type { Places } from '../store/locate.ts'
import { HOOK_WAIT_MS, openStore, type Store } from '../store/store.ts'
import { formatReply, type HookEvent, parseHookEvent, type Reply } from './host.ts'
import { restoreIfLost, takeNotices } from './notices.ts'
import { decide, type Plan } from './plan.ts'

/** The world as `bin/` sees it: the only place that reads clock and environment. */
export interface World {
  now: () => string
  /** Milliseconds since this process was started. */
  elapsedMs: () => number
  /** Someone sits in front of this session. */
  isAttended: boolean
  /** A child Claude that we started ourselves: nothing of it is remembered. */
  isOurChild: boolean
  locate: (startDir: string) => Places
  projectDir: string | undefined
  startFinisher: (projectRoot: string) => void
}

export function runHook(stdin: string, world: World): string {
  if (world.isOurChild) return ''
  const event = parseHookEvent(stdin)
  if (event === null) return ''
  const plan = decide(event)
  if (plan.capture === null && plan.catchUpMs === null) return formatReply(event, plan.reply)

  const store = openStore(world.locate(world.projectDir || event.cwd), { now: world.now })
  if (plan.finisher === 'first') world.startFinisher(store.places.project.root)
  const restored = restoreIfLost(store)
  const isComplete = captureFor(event, plan, store, world)
  if (plan.finisher === 'ifBehind' && !isComplete) world.startFinisher(store.places.project.root)
  const isNews = restored !== null && ['Stop', 'UserPromptSubmit'].includes(event.name)
  const reply = plan.notices || isNews ? notice(store, restored, world) : plan.reply
  // A project in which nothing was said yet gets no directory.
  if (store.isPrepared())
    noteHookTime(store.dir, { at: world.now(), event: event.name, ms: Math.round(world.elapsedMs() * 10) / 10 })
  return formatReply(event, reply)
}

function captureFor(event: HookEvent, plan: Plan, store: Store, world: World): boolean {
  const began = world.elapsedMs()
  const late = (budgetMs: number) => () => world.elapsedMs() - began > budgetMs
  let isComplete = true
  if (plan.capture !== null && event.transcript !== '' && event.session !== '') {
    const { answer, budgetMs } = plan.capture
    const captured = captureSession(
      store,
      { session: event.session, transcript: event.transcript, ...(answer ? { answer } : {}) },
      { waitMs: HOOK_WAIT_MS, now: world.now, isLate: late(budgetMs) },
    )
    isComplete = captured.complete
  }
  if (plan.catchUpMs !== null) {
    const caughtUp = catchUp(store, {
      waitMs: HOOK_WAIT_MS,
      now: world.now,
      isLate: late(plan.catchUpMs),
      look: 'unfinished',
      except: event.session,
    })
    isComplete &&= caughtUp.complete
  }
  return isComplete
}

function notice(store: Store, restored: string | null, world: World): Reply {
  const lines = takeNotices(store, restored, world.isAttended)
  return lines.length === 0 ? { say: 'nothing' } : { say: 'notice', text: lines.join('\n') }
}
