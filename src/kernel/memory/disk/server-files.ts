/** The files of MCP servers that answer hooks: what killed servers left is deleted, answers with the words of a memory first of all. */
import path from 'node:path'
import { list, readPrivate, removeUnlessBusy, statOf } from '../../platform/disk/files.ts'
import { parseObject } from '../../platform/json.ts'

/** A record with the address of a server; the endings of the addresses that are files, and of an answer. */
export const RECORD = '.json'
export const PIPE = '.pipe'
/** Of 0.6. */
const SOCKET = '.sock'
export const ANSWER = '.answer'

/** A hook takes its answer sooner. */
const ANSWER_MS = 2_000
/** A server that starts has a pipe before it has a record. */
const STARTING_MS = 60_000

interface ServersDir {
  dir: string
  /** Where a socket is if the directory's own path is too long. */
  tempDir: string
  isAlive(pid: number): boolean
}

/** `answersMs`: older answers go. */
export function sweepServers({ dir, tempDir, isAlive }: ServersDir, answersMs = ANSWER_MS): void {
  const isOlder = (file: string, ms: number): boolean => Date.now() - (statOf(file)?.mtimeMs ?? 0) >= ms
  const files = list(dir).map((name) => path.join(dir, name))
  for (const file of files) if (file.endsWith(ANSWER) && isOlder(file, answersMs)) removeUnlessBusy(file)
  const live = new Set<string>()
  for (const file of files.filter((one) => one.endsWith(RECORD))) {
    const { pid, address } = parseObject(readPrivate(file)?.toString('utf8') ?? '') ?? {}
    const isOurs = typeof address === 'string' && [dir, tempDir].includes(path.dirname(address)) && isAddress(address)
    if (typeof pid === 'number' && isAlive(pid)) {
      if (isOurs) live.add(address)
      continue
    }
    if (isOurs) removeUnlessBusy(address)
    removeUnlessBusy(file)
  }
  for (const file of files) if (isAddress(file) && !live.has(file) && isOlder(file, STARTING_MS)) removeUnlessBusy(file)
}

function isAddress(file: string): boolean {
  return file.endsWith(PIPE) || file.endsWith(SOCKET)
}
