/** Verifies sessions on disk against the transcripts that are still there. */
import { redactorFor } from '../core/redact.ts'
import { type State, sessionIn } from '../core/state.ts'
import { compare, newTally, type Tally, tallyLine, type Verified } from '../core/verify.ts'
import { readPart, sizeOf } from './files.ts'
import { allEntries } from './lineage.ts'
import { isPacked, packedFiles, packedPath, readSessionBytes } from './session-archive.ts'
import type { Store } from './store.ts'
import { listAgents } from './transcripts.ts'

const PIECE_BYTES = 4 * 1024 * 1024

export interface VerifiedSession extends Verified {
  session: string
  transcript: string
}

export function verifySession(store: Store, state: State, session: string, transcript: string): VerifiedSession {
  const redact = redactorFor(store.config)
  const clean = (text: string): string => redact(text).text
  const tally = newTally()
  tallyFile(tally, transcript, false, clean)
  for (const agent of listAgents(transcript)) tallyFile(tally, agent.path, true, clean)
  const known = sessionIn(state, session)
  return { session, transcript, ...compare(tally, known ? allEntries(store, state, known) : []) }
}

/** Compressed sessions that cannot be read as a whole any more: they are never deleted, and their transcripts may still be there. */
export function damagedArchives(store: Store): string[] {
  return packedFiles(store.dir)
    .filter((file) => isPacked(store.dir, file) && readSessionBytes(store.dir, file) === null)
    .map(packedPath)
}

function tallyFile(tally: Tally, file: string, inSubagent: boolean, redact: (text: string) => string): void {
  for (const line of linesOf(file)) tallyLine(tally, line, inSubagent, redact)
}

/** Line by line, so that a file of any size fits; an unfinished last line without its end is left for later. */
function* linesOf(file: string): Generator<string> {
  const size = sizeOf(file) ?? 0
  let rest: Buffer = Buffer.alloc(0)
  for (let at = 0; at < size; at += PIECE_BYTES) {
    const bytes = Buffer.concat([rest, readPart(file, at, Math.min(PIECE_BYTES, size - at)) ?? Buffer.alloc(0)])
    let from = 0
    for (let newline = bytes.indexOf(0x0a); newline >= 0; newline = bytes.indexOf(0x0a, from)) {
      yield bytes.toString('utf8', from, newline)
      from = newline + 1
    }
    rest = bytes.subarray(from)
  }
  const last = rest.toString('utf8').trim()
  if (last.endsWith('}')) yield last
}
