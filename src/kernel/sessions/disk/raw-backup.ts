/** The raw backup (`sessions/….raw.jsonl.gz`): a session's whole transcript, redacted and compressed, if the user wants it. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { readPart, realPath, replaceInPieces, statOf } from '../../platform/disk/files.ts'
import { parseObject } from '../../platform/json.ts'
import { rawFile, SESSIONS_DIR } from '../../platform/layout.ts'
import { type Redactor, redactorFor } from '../../redact/redact.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { scrubJson } from '../scrub.ts'
import { readFrom } from './cursor.ts'
import { readPauses } from './pause.ts'
import { EMPTY_BLOCK, LABEL_HEADER } from './session-archive.ts'
import { mayBackUp } from './tombstones.ts'
import { sessionIdOf } from './transcripts.ts'

const NEWLINE = 0x0a

/** Returns whether a backup was written: the setting is on, and the existing backup does not cover the transcript. */
export function backupRaw(store: Store, session: { readonly transcript: string; readonly file: string }): boolean {
  if (!store.config.rawBackup || session.file === '' || !mayBackUp(store, session.file)) return false
  // A copy of the whole transcript would contain what the pause left out.
  const id = sessionIdOf(session.transcript)
  if (readPauses(store.places).some((span) => span.session === null || span.session === id)) return false
  const source = statOf(realPath(session.transcript))
  if (source?.kind !== 'file') return false
  const { redaction, redactPatterns } = store.config
  const label: Label = {
    size: source.size,
    mtimeMs: source.mtimeMs,
    redaction: fingerprint(JSON.stringify([redaction, redactPatterns])),
  }
  store.prepare()
  const file = path.join(store.dir, SESSIONS_DIR, rawFile(session.file))
  if (isCovered(labelOf(file), label)) return false
  replaceInPieces(file, membersOf(session.transcript, label, redactorFor(store.config)))
  return true
}

/** The source of a backup. */
interface Label {
  size: number
  mtimeMs: number
  redaction: string
}

/** A transcript that became shorter was damaged or replaced: the earlier backup is worth more. */
function isCovered(before: Label | null, now: Label): boolean {
  if (before === null) return false
  if (before.size > now.size) return true
  return before.size === now.size && before.mtimeMs === now.mtimeMs && before.redaction === now.redaction
}

/** A sequence of gzip members is a gzip file, and only one piece is in memory at a time. */
function* membersOf(transcript: string, label: Label, redact: Redactor): Generator<Buffer> {
  // Loaded here: most users have no backup.
  const { gzipSync } = process.getBuiltinModule('node:zlib')
  yield labelMember(label)
  for (let offset = 0; ; ) {
    const piece = readFrom(transcript, offset)
    const end = endOfLines(piece.bytes, piece.isLast)
    if (end > 0) yield gzipSync(redactLines(piece.bytes.subarray(0, end), redact))
    if (piece.isLast || end === 0) return
    offset += end
  }
}

/** A last line without a line break is incomplete, unless it is valid JSON. */
function endOfLines(bytes: Buffer, isLast: boolean): number {
  const end = bytes.lastIndexOf(NEWLINE) + 1
  const rest = isLast ? bytes.toString('utf8', end).trim() : ''
  return parseObject(rest) === null ? end : bytes.length
}

function redactLines(bytes: Buffer, redact: Redactor): Buffer {
  const lines: Buffer[] = []
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, from)
    const to = newline < 0 ? bytes.length : newline + 1
    lines.push(redactLine(bytes.subarray(from, to), redact))
    from = to
  }
  return Buffer.concat(lines)
}

/** A line without a secret stays byte for byte. If redaction would damage the JSON, the line is wrapped so that it stays readable. */
function redactLine(bytes: Buffer, redact: Redactor): Buffer {
  const { text, count } = scrubJson(bytes.toString('utf8').replace(/\n$/, ''), redact)
  const whole = redact(text)
  if (count + whole.count === 0) return bytes
  return Buffer.from(`${whole.count === 0 ? text : JSON.stringify({ type: 'redacted', line: whole.text })}\n`)
}

const LABEL_BYTES = 200

function labelMember({ size, mtimeMs, redaction }: Label): Buffer {
  return Buffer.concat([LABEL_HEADER, Buffer.from(`source ${size} ${mtimeMs} ${redaction}\0`, 'latin1'), EMPTY_BLOCK])
}

function labelOf(file: string): Label | null {
  const head = statOf(file)?.kind === 'file' ? readPart(file, 0, LABEL_BYTES) : null
  const match = /^source (\d+) ([\d.]+) (\w+)\0/.exec(head?.toString('latin1', LABEL_HEADER.length) ?? '')
  return match === null ? null : { size: Number(match[1]), mtimeMs: Number(match[2]), redaction: match[3] ?? '' }
}
