/** Finds and reads the host's transcripts; we never write there. */
import path from 'node:path'
import { fingerprint } from '../core/fingerprint.ts'
import { hostSlug } from '../core/layout.ts'
import { parseHead } from '../core/transcript.ts'
import { codeOf, factsOf, list, readPart, realPath } from './files.ts'
import { findProject, type Places } from './locate.ts'

export interface TranscriptFile {
  path: string
  session: string
  size: number
  mtimeMs: number
  /** There is a directory beside it, where subagents have theirs. */
  hasAgents: boolean
}

/** Enough for the lines that name the launch directory, which newer versions write after long ones. */
const HEAD_BYTES = 262_144
const FIRST_LOOK_BYTES = 8192
const SUFFIX = '.jsonl'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The transcripts in the host's directories that may belong to the project: its root, its subdirectories, its worktrees. */
export function listCandidates(places: Places, isWanted: (session: string) => boolean = () => true): TranscriptFile[] {
  const all = projectsDir(places.hostDir)
  const slug = hostSlug(places.project.root)
  const dirs = list(all).filter((name) => name === slug || name.startsWith(`${slug}-`))
  return dirs.flatMap((name) => listTranscripts(path.join(all, name), isWanted))
}

/** All transcripts of all projects on this machine. */
export function listAllTranscripts(hostDir: string): TranscriptFile[] {
  const all = projectsDir(hostDir)
  return list(all).flatMap((name) => listTranscripts(path.join(all, name), () => true))
}

/** Where the host keeps the transcripts of all projects. */
function projectsDir(hostDir: string): string {
  return path.join(hostDir, 'projects')
}

/**
 * Whether a transcript lies in one of the host's own project directories, with all links followed. The whole directory, or
 * that of one project, may be a link to another disk.
 */
export function isHostTranscript(hostDir: string, transcript: string): boolean {
  const all = projectsDir(hostDir)
  const file = realPath(transcript)
  const [project = ''] = path.relative(all, path.resolve(transcript)).split(path.sep)
  const own = project === '' || project === '..' ? [] : [path.join(all, project)]
  return [all, ...own].some((dir) => file.startsWith(realPath(dir) + path.sep))
}

function listTranscripts(dir: string, isWanted: (session: string) => boolean): TranscriptFile[] {
  const names = unlessRefused(() => list(dir)) ?? []
  const wanted = names.filter((name) => name.endsWith(SUFFIX) && isWanted(name.slice(0, -SUFFIX.length)))
  return wanted.flatMap((name) => {
    const session = name.slice(0, -SUFFIX.length)
    const file = dir + path.sep + name
    const facts = UUID.test(session) ? factsOf(file) : null
    if (facts?.kind !== 'file') return []
    return [{ path: file, session, size: facts.size, mtimeMs: facts.mtimeMs, hasAgents: names.includes(session) }]
  })
}

/** The directory a transcript's session was started in; null: it does not say (yet). */
export function launchDirOf(transcript: string): string | null {
  for (const length of [FIRST_LOOK_BYTES, HEAD_BYTES]) {
    const head = unlessRefused(() => readPart(transcript, 0, length))
    const cwd = head && parseHead(head).cwd
    if (cwd) return cwd
  }
  return null
}

/** What another user wrote (`sudo claude`) must not keep us from the rest. */
function unlessRefused<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (['EACCES', 'EPERM'].includes(codeOf(error))) return null
    throw error
  }
}

/** Whether a session started there belongs to the project. The host's directory names do not tell `/a/b-c` from `/a/b/c`. */
export function belongsTo(root: string, launchDir: string): boolean {
  if (factsOf(launchDir) !== null) return findProject(launchDir).root === root
  // Gone since (a removed worktree): its place tells.
  const dir = realPath(launchDir)
  return dir === root || dir.startsWith(root + path.sep)
}

/** Whether a transcript says that it belongs to the project; false also while it does not say. */
export function isOwn(places: Places, transcript: string): boolean {
  const launchDir = launchDirOf(transcript)
  return launchDir !== null && belongsTo(places.project.root, launchDir)
}

/** A session's id: the file's name where it is one, else what its lines say, else made from the path. */
export function sessionIdOf(transcript: string): string {
  const name = path.basename(transcript).replace(/\.jsonl$/, '')
  if (UUID.test(name)) return name
  const head = readPart(transcript, 0, HEAD_BYTES)
  const said = head && parseHead(head).sessionId
  if (said && UUID.test(said)) return said
  return `${fingerprint(realPath(transcript))}${fingerprint(name)}`.slice(0, 24)
}

/** Transcripts of a session's subagents lie beside it in a directory of its name. */
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
