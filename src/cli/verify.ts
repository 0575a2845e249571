/** `verify`: proves with numbers that everything in the transcripts is in the sessions. */
import { KeeperError } from '../core/error.ts'
import { allSessions } from '../core/state.ts'
import { type Count, isComplete } from '../core/verify.ts'
import { sizeOf } from '../store/files.ts'
import { isOwn, listCandidates, sessionIdOf } from '../store/transcripts.ts'
import { type VerifiedSession, verifySession } from '../store/verify.ts'
import type { Context } from './context.ts'
import { bad, count, good } from './output.ts'

export interface VerifyOptions {
  transcript?: string[]
}

export function runVerify(context: Context, options: VerifyOptions): number {
  const { store, out } = context
  const state = store.readState()
  const files = transcriptsOf(context, options)
  const sessions = files.map((file, i) => {
    out.progress(i + 1, files.length, 'transcripts')
    return verifySession(store, state, file.session, file.path)
  })
  const total = { prompts: sum(sessions, 'prompts'), answers: sum(sessions, 'answers'), tools: sum(sessions, 'tools') }
  const complete = sessions.every(isComplete)
  out.json({
    sessions: sessions.map((session) => ({ ...session, complete: isComplete(session) })),
    ...total,
    badLines: sessions.reduce((lines, session) => lines + session.badLines, 0),
    complete,
  })
  out.say(...sessions.filter((session) => !isComplete(session)).flatMap(renderMissing))
  out.say(
    `${count(sessions.length, 'transcript')} on this machine: prompts ${render(total.prompts)}, answers ${render(total.answers)}, tool uses ${render(total.tools)}`,
    complete
      ? good('complete: nothing is missing')
      : bad('incomplete. To capture what is missing: memory-keeper import'),
  )
  return complete ? 0 : 1
}

function transcriptsOf(context: Context, options: VerifyOptions): { path: string; session: string }[] {
  const gone = options.transcript?.find((path) => sizeOf(path) === null)
  if (gone !== undefined) {
    throw new KeeperError('no-transcript', `${gone} does not exist. Give the path of a transcript with --transcript.`)
  }
  if (options.transcript) return options.transcript.map((path) => ({ path, session: sessionIdOf(path) }))
  const { store } = context
  const state = store.readState()
  const known = allSessions(state).map(([session, { transcript }]) => ({ path: transcript, session }))
  const others = listCandidates(store.places).filter(
    (file) => !state.sessions[file.session] && isOwn(store.places, file.path),
  )
  return [...known.filter((file) => sizeOf(file.path) !== null), ...others]
}

function sum(sessions: readonly VerifiedSession[], kind: 'prompts' | 'answers' | 'tools'): Count {
  return sessions.reduce(
    (total, session) => ({
      present: total.present + session[kind].present,
      captured: total.captured + session[kind].captured,
    }),
    { present: 0, captured: 0 },
  )
}

function render({ present, captured }: Count): string {
  return `${captured}/${present}`
}

function renderMissing(session: VerifiedSession): string[] {
  return [`${bad('missing')} in ${session.session}:`, ...session.missing.map((what) => `  ${what}`)]
}
