/** `verify`: counts whether everything in the transcripts is in the sessions. */

import { type Command, inProject, type Option } from '../../memory/commands/command.ts'
import { type Context, checkNamed } from '../../memory/commands/context.ts'
import { bad, count, dim, good } from '../../memory/commands/output.ts'
import { refuseReadOnly } from '../../memory/disk/store.ts'
import { allSessions } from '../../memory/state.ts'
import { type Count, isComplete, VERIFY_KINDS } from '../../transcript/verify.ts'
import { listCandidates, sessionIdOf } from '../disk/transcripts.ts'
import {
  damagedArchives,
  type LeftOut,
  transcriptsToVerify,
  type VerifiedSession,
  verifySession,
} from '../disk/verify.ts'

interface VerifyOptions {
  transcript?: string[]
}

function runVerify(context: Context, options: VerifyOptions): number {
  const { out, store } = context
  // Without the state nothing can be compared.
  if (!store.isStateReadable()) refuseReadOnly(store)
  const state = store.readState()
  const { files, leftOut } = chosen(context, options)
  const sessions = files.map((file, i) => {
    out.progress(i + 1, files.length, 'transcripts')
    return verifySession(store, state, file.session, file.path)
  })
  const total = Object.fromEntries(VERIFY_KINDS.map((kind) => [kind, sum(sessions, kind)])) as Record<Kind, Count>
  const damaged = damagedArchives(store)
  const complete = sessions.every(isComplete) && damaged.length === 0
  out.json({
    sessions: sessions.map((session) => ({ ...session, complete: isComplete(session) })),
    ...total,
    badLines: sessions.reduce((lines, session) => lines + session.badLines, 0),
    damaged,
    leftOut,
    complete,
  })
  if (!complete && options.transcript === undefined && allSessions(state).length === 0) {
    out.say(
      `${count(sessions.length, 'transcript')}, none captured yet: memory-keeper import`,
      ...renderLeftOut(leftOut),
    )
    return 1
  }
  out.say(...sessions.filter((session) => !isComplete(session)).flatMap(renderMissing))
  out.say(...damaged.map((file) => `${bad('damaged')} ${file}: it cannot be unpacked as a whole`))
  // Most projects have no teammates: then nothing is shown.
  const messages = total.messages.present === 0 ? '' : `, messages of teammates ${render(total.messages)}`
  if (sessions.length === 0) out.say('No transcript of this project is on this machine: there is nothing to compare.')
  else
    out.say(
      `${count(sessions.length, 'transcript')} on this machine: prompts ${render(total.prompts)}, answers ${render(total.answers)}, tool uses ${render(total.tools)}${messages}`,
      complete ? good('complete: nothing is missing') : bad('incomplete'),
    )
  out.say(...renderLeftOut(leftOut))
  if (!complete)
    out.say(
      ...nextSteps(
        context,
        files.filter((_, i) => !isComplete(sessions[i] as VerifiedSession)),
      ),
    )
  return complete ? 0 : 1
}

/** An import finds a transcript outside the host's directories only if its path is given. */
function nextSteps(context: Context, incomplete: readonly { path: string }[]): string[] {
  const found = new Set(listCandidates(context.store.places, context.store.readState()).map((file) => file.path))
  const elsewhere = incomplete.filter((file) => !found.has(file.path))
  return [
    ...(elsewhere.length < incomplete.length
      ? ['→ memory-keeper import  captures what is missing; a turn that is still running is captured when it ends']
      : []),
    ...elsewhere.map((file) => `→ memory-keeper import --transcript ${quoted(file.path)}`),
  ]
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `"${path}"`
}

function chosen(context: Context, options: VerifyOptions): ReturnType<typeof transcriptsToVerify> {
  const { store } = context
  if (!options.transcript) return transcriptsToVerify(store, store.readState())
  checkNamed(options.transcript)
  const files = options.transcript.map((path) => ({ path, session: sessionIdOf(path) }))
  return { files, leftOut: { otherProjects: 0, silent: 0, gone: 0 } }
}

function renderLeftOut({ otherProjects, silent, gone }: LeftOut): string[] {
  const parts = [
    ...(otherProjects > 0 ? [`${count(otherProjects, 'transcript')} of other projects`] : []),
    ...(silent > 0 ? [`${count(silent, 'transcript')} without a readable launch directory`] : []),
    ...(gone > 0 ? [`${count(gone, 'session')} whose transcript is gone`] : []),
  ]
  return parts.length === 0 ? [] : [dim(`left out: ${parts.join(', ')}`)]
}

type Kind = (typeof VERIFY_KINDS)[number]

function sum(sessions: readonly VerifiedSession[], kind: Kind): Count {
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
  const all = VERIFY_KINDS.reduce((n, kind) => n + session[kind].present - session[kind].captured, 0)
  const rest = all - session.missing.length
  return [
    `${bad('missing')} in ${session.session}:`,
    ...session.missing.map((what) => `  ${what}`),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ]
}

export const TRANSCRIPT: Option = {
  flags: '--transcript <file>',
  about: 'this transcript; may be given several times',
  isRepeatable: true,
}

export const VERIFY_COMMANDS: readonly Command[] = [
  {
    usage: 'verify',
    about: 'compare transcripts with what is captured; exit 1 when anything is missing',
    options: [TRANSCRIPT],
    example: 'memory-keeper verify',
    run: inProject(runVerify),
  },
]
