/** Finds and reads the host's transcripts; never writes there. */
import path from 'node:path'
import { allStored, type State, storedIn } from '../../memory/state.ts'
import { list, readPart, realPath, statOf } from '../../platform/disk/files.ts'
import { findProject, type Places, unlessRefused, worktreesOf } from '../../platform/disk/locate.ts'
import { fileSystemForm, hostDirMatcher } from '../../platform/layout.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { theAgent } from '../../transcript/agent.ts'

export interface TranscriptFile {
  path: string
  session: string
  size: number
  mtimeMs: number
  /** There is a directory beside it, which contains its subagents' transcripts. */
  hasAgents: boolean
}

/** Enough for the lines that name the launch directory; newer hosts write them after long ones. */
const HEAD_BYTES = 262_144
const FIRST_LOOK_BYTES = 8192
const SUFFIX = '.jsonl'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * The transcripts in the host's directories that may belong to the project: of sessions started in its root, in a
 * subdirectory or in a worktree, and those beside a transcript that the state knows.
 */
export function listCandidates(
  places: Places,
  state: Pick<State, 'sessions' | 'settledDirs'>,
  isWanted: (session: string) => boolean = () => true,
): TranscriptFile[] {
  const all = projectsDir(places.hostDir)
  const { root } = places.project
  const mayHold = hostDirMatcher([root, ...worktreesOf(root)], process.platform)
  const known = new Set([
    ...Object.values(state.sessions).map(({ transcript }) => path.dirname(String(transcript))),
    ...state.settledDirs,
  ])
  const dirs = list(all).filter((name) => mayHold(name) || known.has(path.join(all, name)))
  return dirs.flatMap((name) => listTranscripts(path.join(all, name), isWanted))
}

/** All transcripts of all projects on this machine. */
export function listAllTranscripts(hostDir: string): TranscriptFile[] {
  const all = projectsDir(hostDir)
  return list(all).flatMap((name) => listTranscripts(path.join(all, name), () => true))
}

/** The host's directory for the transcripts of all projects. */
export function projectsDir(hostDir: string): string {
  return path.join(hostDir, 'projects')
}

/**
 * Whether a transcript is in one of the host's own project directories, with all links followed. The whole directory, or
 * that of one project, may be a link to another disk.
 */
export function isHostTranscript(hostDir: string, transcript: string): boolean {
  const all = projectsDir(hostDir)
  const file = realPath(transcript)
  const isIn = (dir: string): boolean => file.startsWith(realPath(dir) + path.sep)
  if (isIn(all)) return true
  const [project = ''] = path.relative(all, path.resolve(transcript)).split(path.sep)
  return project !== '' && project !== '..' && isIn(path.join(all, project))
}

function listTranscripts(dir: string, isWanted: (session: string) => boolean): TranscriptFile[] {
  const names = unlessRefused(() => list(dir)) ?? []
  const wanted = names.filter((name) => name.endsWith(SUFFIX) && isWanted(name.slice(0, -SUFFIX.length)))
  return wanted.flatMap((name) => {
    const session = name.slice(0, -SUFFIX.length)
    const file = dir + path.sep + name
    const facts = UUID.test(session) ? unlessRefused(() => statOf(file)) : null
    if (facts?.kind !== 'file') return []
    return [{ path: file, session, size: facts.size, mtimeMs: facts.mtimeMs, hasAgents: names.includes(session) }]
  })
}

/** The launch directory of a transcript's session; null: not (yet) named. */
export function launchDirOf(transcript: string): string | null {
  for (const length of [FIRST_LOOK_BYTES, HEAD_BYTES]) {
    const head = unlessRefused(() => readPart(transcript, 0, length))
    const cwd = head && theAgent().parseHead(head).cwd
    if (cwd) return cwd
  }
  return null
}

type Known = Pick<State, 'sessions' | 'settled'>

/** `own`: this project's. `other`: another project's. `silent`: the launch directory is not (yet) named, or the file may not be read. */
type Belonging = 'own' | 'other' | 'silent'

/**
 * Decides by the launch directory; the host's directory names do not distinguish `/a/b-c` from `/a/b/c`. Most sessions are started in the
 * same one: each is looked up once, for as long as the caller keeps the function. A caller that has read the file gives its launch directory.
 */
export function belongingIn(
  places: Places,
  state: Known,
): (file: TranscriptFile, launchDir?: string | null) => Belonging {
  const roots = new Map<string, string | null>()
  const rootOf = (dir: string): string | null => {
    const known = roots.get(dir)
    if (known !== undefined) return known
    const root = statOf(dir) === null ? null : findProject(dir).root
    roots.set(dir, root)
    return root
  }
  return (file, known) => {
    if (storedIn(state, file.session) !== undefined) return 'own'
    const launchDir = known ?? launchDirOf(file.path)
    return launchDir === null ? 'silent' : belongingOf(places, state, file, launchDir, rootOf(launchDir))
  }
}

/** `found`: the root of the launch directory's project; null: the directory does not exist. */
function belongingOf(
  places: Places,
  state: Known,
  file: TranscriptFile,
  launchDir: string,
  found: string | null,
): Belonging {
  const { root } = places.project
  if (found !== null) return isSame(found, root) ? 'own' : 'other'
  // The directory no longer exists, for example a removed worktree. Decided by its path, or by another session of the project started there.
  const dir = realPath(launchDir)
  const isInside = isSame(dir, root) || sameForm(dir).startsWith(sameForm(root + path.sep))
  return isInside || launchDirsBeside(state, file.path).some((other) => isSame(other, launchDir)) ? 'own' : 'other'
}

/** The launch directories of the project's sessions whose transcripts are in the same host directory. */
function launchDirsBeside(state: Known, transcript: string): string[] {
  const beside = Object.values(allStored(state))
    .map((session) => String(session.transcript))
    .filter((known) => path.dirname(known) === path.dirname(transcript))
  return [...new Set(beside.flatMap((known) => launchDirOf(known) ?? []))]
}

function isSame(one: string, other: string): boolean {
  return sameForm(one) === sameForm(other)
}

function sameForm(name: string): string {
  return fileSystemForm(name, process.platform)
}

/** A session's id: the file's name if it is a UUID, else the id in its lines, else a hash of the path. */
export function sessionIdOf(transcript: string): string {
  const name = path.basename(transcript).replace(/\.jsonl$/, '')
  if (UUID.test(name)) return name
  const head = readPart(transcript, 0, HEAD_BYTES)
  const said = head && theAgent().parseHead(head).sessionId
  if (said && UUID.test(said)) return said
  return `${fingerprint(realPath(transcript))}${fingerprint(name)}`.slice(0, 24)
}

/** The transcripts of a session's subagents are in a directory of the session's name. */
export function listAgents(transcript: string): { id: string; path: string }[] {
  const dir = agentsDir(transcript)
  return list(dir).flatMap((name) => {
    const id = /^agent-(.+)\.jsonl$/.exec(name)?.[1]
    return id ? [{ id, path: path.join(dir, name) }] : []
  })
}

export function agentPath(transcript: string, agent: string): string {
  return path.join(agentsDir(transcript), `agent-${agent}.jsonl`)
}

function agentsDir(transcript: string): string {
  return path.join(transcript.replace(/\.jsonl$/, ''), 'subagents')
}
