/** One hook event from end to end: read, decide, capture, answer. */
import path from 'node:path'
import { rulesWithPrompt } from '../../core/knowledge/disk/knowledge.ts'
import { wayIn } from '../../core/model/disk/model-call.ts'
import { BUILT_IN_LINE, BUILT_IN_RULES, renderRules } from '../../core/pages/rule.ts'
import { keepInjectedRules, noteHookTime } from '../../core/receipts/disk/journal.ts'
import { HOOK_WAIT_MS, openStore, type Store } from '../../kernel/memory/disk/store.ts'
import { sessionIn } from '../../kernel/memory/state.ts'
import { pause, sizeOf } from '../../kernel/platform/disk/files.ts'
import { attempt, logFailure } from '../../kernel/platform/disk/log.ts'
import { STATE_FILE } from '../../kernel/platform/layout.ts'
import { zonedMinute } from '../../kernel/platform/time.ts'
import { captureSession } from '../../kernel/sessions/disk/capture.ts'
import { catchUp } from '../../kernel/sessions/disk/catch-up.ts'
import { isExchangeDue, isFinisherMissing } from '../../kernel/sessions/disk/finisher-queue.ts'
import { pausedSince } from '../../kernel/sessions/disk/pause.ts'
import { pausedNotice } from '../../kernel/sessions/pause.ts'
import { approve } from './approve.ts'
import { formatReply, type HookEvent, NOTHING, parseHookEvent, type Reply, skillIn, taskOfAgent } from './host.ts'
import { answerBeforeExpansion, answerSkill } from './people.ts'
import { decide, type Plan, TAILS_MS } from './plan.ts'
import { isRecalling, isRulesTurn, mayRecall, requestFor } from './prompt.ts'
import { restoreIfLost } from './restore.ts'
import { cutIfDue, enforce, isSilentStop, mayBlock, noteTurn, runningTools } from './stop.ts'
import type { Moment, World } from './world.ts'

/** How long a turn waits for the results of its tool uses, and the polling interval. */
const RESULTS = { waitMs: 1_500, lookMs: 50 }
/** A larger state slows down every hook, which reads it. */
const MOST_STATE_BYTES = 64 * 1024

interface Run extends Moment {
  plan: Plan
  /** Other sessions of the project have new entries. */
  hasNews: boolean
  /** The version of an injected text that is always the same. */
  versions: { rules?: string }
}

/** Null: only the hook program itself can do it. */
export function runHook(stdin: string, world: World): string | null {
  if (world.isOurChild) return ''
  const event = parseHookEvent(stdin)
  if (event === null) return ''
  const plan = decide(event)
  const open = (): Store => openStore(world.locate(world.projectDir || event.cwd), { now: world.now })
  const paused = pausedSince(world.locate(world.projectDir || event.cwd), event.session)
  if (event.name === 'UserPromptExpansion') return formatReply(event, answerSkill(event, open, world))
  const isAgent = taskOfAgent(event) !== null
  if (isAgent && open().config.agentHints !== true) return ''
  if (!isAgent && (event.name === 'PreToolUse' || event.name === 'PermissionRequest'))
    return formatReply(event, approve(event, open))
  if (paused !== null) return formatReply(event, sayPaused(event, paused, open, world))
  try {
    return runIn(event, plan, open(), world)
  } catch (error) {
    // A failing memory injects nothing except the rules.
    const { homeDir } = world.locate(world.projectDir || event.cwd)
    logFailure(homeDir, world.now(), 'hook', error)
    return formatReply(event, builtInRules(event))
  }
}

/** Nothing is captured, injected or called. A start shows that, so that the pause is not forgotten. */
function sayPaused(event: HookEvent, since: string, open: () => Store, { isAttended }: World): Reply {
  if (event.name !== 'SessionStart' || !isAttended || event.source === 'compact') return NOTHING
  return { say: 'notice', text: pausedNotice(zonedMinute(since, open().config.timezone)) }
}

/** Used if there is no place for a memory. */
export function rulesAlone(stdin: string, isOurChild: boolean): string {
  const event = isOurChild ? null : parseHookEvent(stdin)
  return event === null ? '' : formatReply(event, builtInRules(event))
}

function builtInRules(event: HookEvent): Reply {
  if (event.name === 'SessionStart') return { say: 'context', text: renderRules(BUILT_IN_RULES), notice: null }
  const isPerson = event.name === 'UserPromptSubmit' && !event.isMachine
  return isPerson ? { say: 'context', text: BUILT_IN_LINE, notice: null } : NOTHING
}

/** The reply depends on what can be read: a failed write is logged, and the reply is still given. */
function runIn(event: HookEvent, plan: Plan, store: Store, world: World): string | null {
  const { project, homeDir } = store.places
  const tryTo = <T>(where: string, work: () => T, otherwise: T): T =>
    attempt(homeDir, world.now(), where, work, otherwise)
  const run: Run = {
    event,
    plan,
    store,
    world,
    isComplete: true,
    hasNews: false,
    restored: null,
    injected: {},
    versions: {},
    tryTo,
  }
  if (world.by === 'server' && mayBlock(run)) return null
  if (tryTo('state', () => store.whyReadOnly(), null) !== null) return formatReply(event, speakReadOnly(run))
  if (plan.finisher === 'first') world.startFinisher(project.root, { for: 'end', session: event.session })
  run.restored = tryTo('restore', () => restoreIfLost(store), null)
  const capture = (): void =>
    void Object.assign(
      run,
      tryTo('capture', () => captureFor(run), { isComplete: false, hasNews: false }),
    )
  // The turn before a prompt was captured when it ended; a turn that ends in silence is in the server's hands.
  const isSilent = isSilentStop(run)
  const soon =
    world.by === 'server' && (isSilent || event.name === 'UserPromptSubmit') ? world.soon : (work: () => void) => work()
  soon(capture)
  let reply = withNews(run, NOTHING)
  if (isSilent) soon(() => void speak(run))
  else reply = speak(run)
  soon(() => {
    if (plan.finisher === 'ifBehind' && isFinisherWanted(run)) world.startFinisher(project.root, { for: 'catch-up' })
  })
  // A project without any prompt yet gets no directory.
  if (store.isPrepared()) {
    world.doing(kindOf(run))
    const how = { ...(world.waitedMs && { waited: world.waitedMs }), ...(world.by && { by: world.by }) }
    const measured =
      Object.keys(run.injected).length === 0 ? {} : { session: event.session, told: run.injected, ...run.versions }
    world.later(() => {
      const ms = Math.round(world.elapsedMs() * 10) / 10
      tryTo(
        'journal',
        () => noteHookTime(store.dir, { at: world.now(), event: event.name, ms, ...how, ...measured }),
        undefined,
      )
    })
  }
  return formatReply(event, reply)
}

/** What the first session of a project does is little of what later ones do; a prompt with which something is recalled does more than one without. */
function kindOf({ event, injected, store, tryTo }: Run): string {
  if (tryTo('state', () => store.readState().beganAt, null) === null) return 'young'
  return injected.recall === undefined ? event.name : `${event.name}-recall`
}

/**
 * Something is left to read, or a start found new entries: notes, summaries and the index are pending. Or jobs that no finisher
 * took; or the state has grown, and a finisher moves settled sessions out of it.
 */
function isFinisherWanted(run: Run): boolean {
  const { event, isComplete, hasNews, store, tryTo } = run
  if (!isComplete || (event.name === 'SessionStart' && hasNews)) return true
  const isGrown = event.name === 'SessionStart' && (sizeOf(path.join(store.dir, STATE_FILE)) ?? 0) > MOST_STATE_BYTES
  return isGrown || isSyncDue(run) || tryTo('jobs', () => isFinisherMissing(store.places), false)
}

function isSyncDue({ event, store, world }: Run): boolean {
  return event.name === 'SessionStart' && event.source !== 'compact' && isExchangeDue(store.places, world.now())
}

/** Writes nothing, not even a receipt: the session waits in its transcript. */
function speakReadOnly(run: Run): Reply {
  const { event, store, world } = run
  if (event.name === 'SessionStart') return world.loadStarter().start(run)
  const rules = event.name === 'UserPromptSubmit' && !event.isMachine ? rulesWithPrompt(store) : ''
  return rules === '' ? NOTHING : { say: 'context', text: rules, notice: null }
}

function captureFor({ event, plan, store, world }: Run): Pick<Run, 'isComplete' | 'hasNews'> {
  const began = world.elapsedMs()
  const late = (budgetMs: number) => () => world.elapsedMs() - began > budgetMs
  let isComplete = true
  let hasNews = false
  if (plan.capture !== null && event.transcript !== '' && event.session !== '') {
    const { answer, budgetMs } = plan.capture
    const captured = captureSession(
      store,
      {
        session: event.session,
        transcript: event.transcript,
        // A start does not show yet whether it is one of ours; its first prompt does.
        ...(event.name === 'SessionStart' ? {} : { host: world.hostPid, isEnd: event.name === 'SessionEnd' }),
        ...(answer ? { answer } : {}),
      },
      { waitMs: HOOK_WAIT_MS, now: world.now, isLate: late(budgetMs) },
    )
    isComplete = captured.complete
  }
  if (plan.catchUpMs !== null) {
    const caughtUp = catchUp(store, {
      waitMs: HOOK_WAIT_MS,
      now: world.now,
      // A first start is told from the ends of transcripts then.
      isLate: late(store.readState().beganAt === null ? plan.catchUpMs - TAILS_MS : plan.catchUpMs),
      look: 'unfinished',
      except: event.session,
    })
    isComplete &&= caughtUp.complete
    hasNews = caughtUp.entries > 0
  }
  return { isComplete, hasNews }
}

function speak(run: Run): Reply {
  const { event, world } = run
  switch (event.name) {
    case 'SessionStart':
      return world.loadStarter().start(run)
    case 'PreCompact':
      return world.loadKeeper().compact(run)
    case 'UserPromptSubmit':
      return withNews(run, speakToPrompt(run, event))
    case 'Stop':
      return withNews(run, speakAtStop(run, event))
    case 'PostToolUseFailure':
      return isRecalling(run.store) && event.command !== '' ? withNews(run, speakOfWork(run)) : NOTHING
    case 'PreToolUse':
      return withNews(run, speakOfWork(run))
    default:
      return NOTHING
  }
}

function speakToPrompt(run: Run, event: Extract<HookEvent, { name: 'UserPromptSubmit' }>): Reply {
  const { store, world, tryTo } = run
  tryTo('turn', () => noteTurn(store, event), undefined)
  if (event.isMachine) return NOTHING
  const typed = skillIn(event.prompt)
  if (typed !== null) return answerBeforeExpansion(typed, store, world)
  startNote(run)
  const isTurn = tryTo('rules', () => isRulesTurn(store), true)
  const rules = isTurn ? rulesWithPrompt(store) : ''
  const mayAsk = world.isAttended && event.mode !== 'plan' && store.config.enforcement === 'remind'
  const request = mayAsk ? tryTo('request', () => requestFor(run, () => wayIn(store, world.now())), '') : ''
  const recall = mayRecall(store, event.prompt) ? tryTo('recall', () => world.loadRecaller().recall(run), '') : ''
  const text = [rules, recall, request].filter((part) => part !== '').join('\n\n')
  if (text === '') return NOTHING
  count(run, { rules, recall, request })
  // The first prompt of a project has no transcript yet, but its receipt is stored.
  tryTo('receipt', () => store.prepare(), undefined)
  if (rules !== '')
    tryTo('receipt', () => Object.assign(run.versions, { rules: keepInjectedRules(store, rules) }), undefined)
  const isShown = rules !== '' && store.config.rulesIndicator === 'line'
  return { say: 'context', text, notice: isShown ? '[rules injected]' : null }
}

/** What is remembered about a failed command, or about the task of an agent. */
function speakOfWork(run: Run): Reply {
  const { store, world, tryTo } = run
  if (store.ownership === 'foreign' || !store.isPrepared()) return NOTHING
  const text = tryTo('recall', () => world.loadRecaller().recall(run), '')
  if (text === '') return NOTHING
  count(run, { recall: text })
  return { say: 'context', text, notice: null }
}

function speakAtStop(run: Run, event: Extract<HookEvent, { name: 'Stop' }>): Reply {
  const { store, world, tryTo } = run
  tryTo('capture', () => waitForResults(run), undefined)
  const isDue = startNote(run)
  const mayHold = world.isAttended
  // The turn in which the work became due is blocked for it: the finisher that would hand it out is only being started.
  if (isDue && mayHold && store.config.enforcement === 'block' && wayIn(store, world.now()) === 'agent')
    tryTo('handout', () => store.whileLocked(HOOK_WAIT_MS, () => world.loadKeeper().handOut(store, world.now())), null)
  const reply = mayHold
    ? tryTo('enforce', () => enforce(store, event, () => wayIn(store, world.now())), NOTHING)
    : NOTHING
  if (reply.say === 'block' || reply.say === 'context') count(run, { request: reply.text })
  if (reply.say !== 'nothing' || !isDue || store.config.quietStop) return reply
  return { say: 'notice', text: `Memory Keeper: ${store.config.saveInterval} tool uses, a note is due.` }
}

/** The host writes the last results of a turn a moment later. Waits for them only if this turn may be blocked for its pending work. */
function waitForResults(run: Run): void {
  const { event, store } = run
  if (!mayBlock(run) || !store.isPrepared()) return
  const isOpen = (): boolean => runningTools(sessionIn(store.readState(), event.session)).length > 0
  for (let waited = 0; waited < RESULTS.waitMs && isOpen(); waited += RESULTS.lookMs) {
    pause(RESULTS.lookMs)
    captureFor(run)
  }
}

function startNote({ event, store, world, tryTo }: Run): boolean {
  if (!store.isPrepared() || !tryTo('cut', () => cutIfDue(store, event.session), false)) return false
  world.startFinisher(store.places.project.root, { for: 'note' })
  return true
}

/** Restored files are reported at any event. */
function withNews({ restored }: Run, reply: Reply): Reply {
  if (restored === null) return reply
  if (reply.say === 'context') {
    return { ...reply, notice: [restored, reply.notice].filter((line) => line !== null).join('\n') }
  }
  return reply.say === 'nothing' ? { say: 'notice', text: restored } : reply
}

/** In characters: the views convert them to tokens. */
function count(run: Run, parts: Record<string, string>): void {
  for (const [part, text] of Object.entries(parts)) if (text !== '') run.injected[part] = text.length
}
