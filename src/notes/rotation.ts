/** Rotation: a full memory.md becomes an archive; the newest notes stay behind as carryover. */
import { fingerprintOfNote, type Note, type NoteBlock, parseMemory } from '../memory/note.ts'
import type { Config } from '../platform/config.ts'
import { estimateTokens } from '../text/tokens.ts'

export interface RotationLimits {
  /** Above this many tokens memory.md is full. */
  fullTokens: number
  carryoverTokens: number
}

export interface Rotation {
  archive: string
  memory: string
  /** The tokens of the archive. */
  tokens: number
}

/** The newest note may take this share of a memory that has just rotated. */
const NEWEST_SHARE = 0.9

export function rotationLimits(
  config: Pick<Config, 'rotationThresholdTokens' | 'rotationSafetyMargin' | 'carryoverTokens'>,
): RotationLimits {
  const share = 1 - config.rotationSafetyMargin
  return {
    fullTokens: Math.floor(config.rotationThresholdTokens * share),
    carryoverTokens: Math.floor(config.carryoverTokens * share),
  }
}

/** Null: there is room left. Every note ends up in exactly one of the two files. */
export function planRotation(memory: string, limits: RotationLimits): Rotation | null {
  if (estimateTokens(memory) <= limits.fullTokens) return null
  const { preamble, notes } = splitMemory(memory)
  const kept = notes.length - carriedOver(notes, limits)
  if (kept === 0) return null
  const archive = join(notes.slice(0, kept))
  return { archive, memory: preamble + join(notes.slice(kept)), tokens: estimateTokens(archive) }
}

/** memory.md without a person's text that an archive already contains word for word: completes a killed rotation. Notes: `withoutDoubles`. */
export function withoutArchived(memory: string, archive: string): string {
  const raws = new Set(parseMemory(archive).map(({ raw }) => raw.trim()))
  const { preamble, notes } = splitMemory(memory)
  return preamble + join(notes.filter(({ raw }) => !raws.has(raw.trim())))
}

/** One file with notes: an archive or memory.md. */
export interface NoteFile {
  file: string
  text: string
}

/**
 * The files that change when every note id exists once, and no range of a session is noted twice. `files`: oldest first. Of two notes
 * with one id the one that a person or a model wrote stays, else the older one. A note as code wrote it, or one with the same words,
 * also goes if other notes of its session cover all its entries: an earlier version does not know settled sessions and notes them again.
 */
export function withoutDoubles(files: readonly NoteFile[]): NoteFile[] {
  const placed = files.flatMap(({ file, text }) => parseMemory(text).map((block) => ({ file, block })))
  const kept = new Set<NoteBlock>()
  const ids = new Set<string>()
  const covered = new Map<string, Note[]>()
  const ranked = placed
    .flatMap(({ block }, at) => (block.note === null ? [] : [{ block, note: block.note, at }]))
    .toSorted((a, b) => standing(b.note) - standing(a.note) || a.at - b.at)
  for (const { block, note } of ranked) {
    const others = note.session === null ? [] : (covered.get(note.session) ?? [])
    if (ids.has(note.id) || isCovered(note, others)) continue
    ids.add(note.id)
    kept.add(block)
    if (note.session !== null) covered.set(note.session, [...others, note])
  }
  return files.flatMap(({ file, text }) => {
    const rest = placed.filter((one) => one.file === file && (one.block.note === null || kept.has(one.block)))
    const next = join(rest.map(({ block }) => block))
    return next === text ? [] : [{ file, text: next }]
  })
}

/** How many notes are doubles: of an id, or of entries that other notes cover. */
export function countDoubles(files: readonly NoteFile[]): number {
  const notes = (all: readonly NoteFile[]): number =>
    all.reduce((sum, { text }) => sum + parseMemory(text).filter(({ note }) => note !== null).length, 0)
  const changed = withoutDoubles(files)
  const names = new Set(changed.map(({ file }) => file))
  return notes(files.filter(({ file }) => names.has(file))) - notes(changed)
}

/** Higher: more would be lost with it. A note of code without a fingerprint (before 0.6) may have been edited. */
function standing(note: Note): number {
  if (isAsWritten(note)) return 0
  return note.author === 'extractive' && note.fingerprint === undefined ? 1 : note.unaudited === true ? 2 : 3
}

function isAsWritten({ author, fingerprint, text }: Note): boolean {
  return author === 'extractive' && fingerprint === fingerprintOfNote(text)
}

function isCovered(note: Note, others: readonly Note[]): boolean {
  const words = fingerprintOfNote(note.text)
  const mayGo = isAsWritten(note) || others.some(({ text }) => fingerprintOfNote(text) === words)
  if (!mayGo || note.to <= note.from) return false
  let at = note.from
  for (const { from, to } of others.toSorted((a, b) => a.from - b.from)) if (from <= at && to > at) at = to
  return at >= note.to
}

/** How many of the newest notes stay: as many as fit, and at least the newest one if it leaves room. */
function carriedOver(notes: readonly NoteBlock[], { fullTokens, carryoverTokens }: RotationLimits): number {
  if (carryoverTokens === 0) return 0
  // Whatever the setting: half of the room must become free, or the next note rotates again.
  const most = Math.min(carryoverTokens, fullTokens / 2)
  let count = 0
  let tokens = 0
  for (const { raw } of notes.toReversed()) {
    tokens += estimateTokens(raw)
    // The newest note stays if there is room for it at all: a memory without notes is useless.
    if (tokens > (count === 0 ? fullTokens * NEWEST_SHARE : most)) break
    count++
  }
  return Math.min(count, notes.length - 1)
}

/** A longer text above the notes does not count as a heading: it moves into the archive once, instead of staying forever. */
const MAX_HEADING_TOKENS = 300

/** The text above the first note is the file's own heading, not a note. */
function splitMemory(memory: string): { preamble: string; notes: NoteBlock[] } {
  const blocks = parseMemory(memory)
  const [first, ...rest] = blocks
  const isHeading = first !== undefined && !first.raw.startsWith('## ')
  return isHeading && estimateTokens(first.raw) <= MAX_HEADING_TOKENS
    ? { preamble: first.raw, notes: rest }
    : { preamble: '', notes: blocks }
}

function join(blocks: readonly NoteBlock[]): string {
  return blocks.map(({ raw }) => raw).join('')
}
