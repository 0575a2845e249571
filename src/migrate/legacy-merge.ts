/** Notes of a migration: memory.md and archives, each note in exactly one of them, none above the size that rotates. */

import { changeRecords, type NoteRecord, notesIn, parseMemory } from '../memory/note.ts'
import type { RotatedFile } from '../memory/state.ts'
import { planRotation, type RotationLimits } from '../notes/rotation.ts'
import { formatSummary, standInSummary } from '../notes/summary.ts'
import type { Effect } from '../platform/effect.ts'
import { isArchiveFile, MEMORY_FILE, summaryFileOf } from '../platform/layout.ts'
import { formatStamp } from '../platform/time.ts'
import { estimateTokens } from '../text/tokens.ts'
import { cutLongBlocks } from './legacy-note.ts'
import type { Converted, Target } from './legacy-target.ts'

export interface PlannedMemory {
  effects: Effect[]
  /** For the state: every archive that is new or that the earlier state knew. */
  rotated: RotatedFile[]
  /** How many are new. */
  archives: number
}

interface Archive {
  file: string
  text: string
  rotatedAt: string
  /** What a model wrote about it, and whether the earlier version said so. */
  summary: string | null
  isSummarised: boolean
}

/**
 * Archives with their summaries first, then memory.md; where it must be split, as a whole before its pieces: rotation's own
 * repair finishes what a kill left.
 */
export function planMemory(converted: readonly Converted[], target: Target): PlannedMemory {
  const archives = archivesOf(converted, target)
  const memory = memoryOf(converted, target, archives)
  const textOf = (file: string): string | null => archives.find((one) => one.file === file)?.text ?? target.textOf(file)
  const names = [...target.archives, ...archives.map(({ file }) => file)]
  const before = target.textOf(MEMORY_FILE) ?? ''
  if (memory === null) return planned(target, archives, [])
  const split = splitMemory(memory, target.limits, target.now, { names, textOf })
  const pieces = split.archives.map(
    (one): Archive => ({ ...one, rotatedAt: target.now, summary: null, isSummarised: false }),
  )
  const whole: Effect[] =
    split.whole === before || pieces.length === 0 ? [] : [{ do: 'write', path: MEMORY_FILE, text: split.whole }]
  const short: Effect[] = split.memory === before ? [] : [{ do: 'write', path: MEMORY_FILE, text: split.memory }]
  return planned(target, archives, pieces, whole, short)
}

function planned(
  target: Target,
  archives: readonly Archive[],
  pieces: readonly Archive[],
  whole: readonly Effect[] = [],
  short: readonly Effect[] = [],
): PlannedMemory {
  const all = [...archives, ...pieces]
  const effects = [
    ...archives.toReversed().flatMap((one) => writing(one, target)),
    ...whole,
    ...pieces.flatMap((one) => writing(one, target)),
    ...short,
  ]
  const fresh = all.filter(({ file }) => !target.archives.includes(file)).length
  return { effects, rotated: all.map(rotatedFile), archives: fresh }
}

/** Those of the earlier version, the oversized ones in pieces. */
function archivesOf(converted: readonly Converted[], target: Target): Archive[] {
  const known = new Map(
    converted.flatMap(({ made }) => (made.is === 'state' ? made.state.rotatedFiles : [])).map((one) => [one.file, one]),
  )
  const summaries = new Map(converted.flatMap(({ made }) => (made.is === 'summary' ? [[made.file, made.text]] : [])))
  const taken = new Map<string, string>()
  const textOf = (file: string): string | null => taken.get(file) ?? target.textOf(file)
  return converted.flatMap(({ made }): Archive[] => {
    if (made.is !== 'archive') return []
    const rotated = known.get(made.file)
    const name = target.isInPlace ? made.file : freeName(made.file, made.text, textOf)
    return splitArchive(name, made.text, target.limits.fullTokens, textOf).map(({ file, text }, i) => {
      taken.set(file, text)
      const summary = i === 0 ? (summaries.get(summaryFileOf(made.file)) ?? null) : null
      const isSummarised = i === 0 && rotated?.summaryGenerated === true
      return { file, text, rotatedAt: rotated?.rotatedAt || target.now, summary, isSummarised }
    })
  })
}

/** Null: the earlier version had no memory.md. */
function memoryOf(converted: readonly Converted[], target: Target, archives: readonly Archive[]): string | null {
  const theirs = converted.flatMap(({ made }) => (made.is === 'notes' ? [made.text] : []))
  if (theirs.length === 0) return null
  if (target.isInPlace) return theirs.join('')
  const archived = [...target.archives.map((file) => target.textOf(file) ?? ''), ...archives.map(({ text }) => text)]
  const ours = target.textOf(MEMORY_FILE)
  const merged = mergeNotes(ours ?? target.memoryHead, theirs.join(''), archived, target)
  return merged === target.memoryHead ? ours : merged
}

/** Nobody but the user, here, makes a note the user's own. */
function notByUser(record: NoteRecord): NoteRecord {
  return record.author === 'user' ? { ...record, author: 'agent' } : record
}

/**
 * What is not there yet, before what is: it is older; only what this version wrote meanwhile is newer. What stands above the
 * first note is kept as a section.
 */
function mergeNotes(ours: string, theirs: string, archived: readonly string[], { isOwn }: Target): string {
  const known = new Set<string>()
  for (const text of [ours, ...archived])
    for (const { raw, note } of parseMemory(text)) known.add(note === null ? comparedWords(raw) : note.id)
  const fresh = parseMemory(theirs).flatMap(({ raw, note }) => {
    if (note !== null) return known.has(note.id) ? [] : [isOwn ? raw : changeRecords(raw, notByUser)]
    const section = raw.startsWith('## ') ? raw : sectionOf(raw)
    return section === null || known.has(comparedWords(section)) ? [] : [section]
  })
  if (fresh.length === 0) return ours
  const [head, ...rest] = parseMemory(ours)
  const isHead = head !== undefined && !head.raw.startsWith('## ')
  const older = isHead ? [head.raw, ...fresh, ...rest.map(({ raw }) => raw)] : [...fresh, ours]
  const parts = isOwn ? [ours, ...fresh] : older
  return parts.map((part) => (part === '' || part.endsWith('\n') ? part : `${part}\n`)).join('')
}

/** A title alone says nothing. */
function sectionOf(preamble: string): string | null {
  const words = preamble
    .replace(/^# .*$/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .trim()
  return words === '' ? null : `## From the memory of an earlier version\n\n${words}\n\n`
}

function comparedWords(raw: string): string {
  return raw.replace(/\s+/g, ' ').trim()
}

/** The summary first: an archive whose summary is there is not summed up again by whoever repairs. */
function writing({ file, text, summary }: Archive, { textOf, facts, now }: Target): Effect[] {
  const effects: Effect[] = []
  const about = summaryFileOf(file)
  if (textOf(about) === null) {
    const told = summary ?? formatSummary(standInSummary(file, now, notesIn(text), facts))
    effects.push({ do: 'write', path: about, text: told })
  }
  if (textOf(file) !== text) effects.push({ do: 'write', path: file, text })
  return effects
}

function rotatedFile({ file, text, rotatedAt, isSummarised }: Archive): RotatedFile {
  const summary = summaryFileOf(file)
  return { file, rotatedAt, tokenCount: estimateTokens(text), summary, summaryGenerated: isSummarised }
}

export interface ArchivesThere {
  names: readonly string[]
  /** What a file of this name holds; null: there is none. */
  textOf: (file: string) => string | null
}

export interface SplitMemory {
  /** All of it, with borders where rotation needs them: written first, so that a kill in between loses no border. */
  whole: string
  /** Oldest first. */
  archives: { file: string; text: string }[]
  memory: string
}

/** `now` names archives whose notes have no date. A piece that stands in an archive already keeps that one's name. */
export function splitMemory(text: string, limits: RotationLimits, now: string, known: ArchivesThere): SplitMemory {
  const whole = estimateTokens(text) > limits.fullTokens ? cutLongBlocks(text, limits.fullTokens) : text
  const rotation = planRotation(whole, limits)
  if (rotation === null) return { whole, archives: [], memory: whole }
  const taken = new Map<string, string>()
  const archives = chunksOf(rotation.archive, limits.fullTokens).map((chunk) => {
    const same = known.names.find((name) => known.textOf(name) === chunk)
    if (same !== undefined) return { file: same, text: chunk }
    const at = parseMemory(chunk).findLast(({ note }) => note !== null)?.note?.at ?? now
    const file = freeName(`memory_${formatStamp(at)}.md`, chunk, (name) => taken.get(name) ?? known.textOf(name))
    taken.set(file, chunk)
    return { file, text: chunk }
  })
  return { whole, archives, memory: rotation.memory }
}

/** An archive in pieces that each stay below the limit; the first keeps its name. */
export function splitArchive(
  file: string,
  text: string,
  maxTokens: number,
  textOf: (file: string) => string | null,
): { file: string; text: string }[] {
  const [first = '', ...rest] = chunksOf(cutLongBlocks(text, maxTokens), maxTokens)
  const taken = new Map<string, string>([[file, first]])
  const others = rest.map((chunk) => {
    const name = freeName(file, chunk, (one) => taken.get(one) ?? textOf(one))
    taken.set(name, chunk)
    return { file: name, text: chunk }
  })
  return [{ file, text: first }, ...others]
}

/** This name, or with a number behind it: one that is free, or holds the same text already. */
function freeName(file: string, text: string, textOf: (file: string) => string | null): string {
  const stem = file.replace(/\.md$/, '').replace(/^(memory_\d{8}_\d{6})_\d+$/, '$1')
  for (let n = 1; ; n++) {
    const name = n === 1 ? file : `${stem}_${n}.md`
    const there = textOf(name)
    if (isArchiveFile(name) && (there === null || there === text)) return name
  }
}

function chunksOf(text: string, maxTokens: number): string[] {
  const chunks: string[] = []
  let chunk = ''
  let tokens = 0
  for (const { raw } of parseMemory(text)) {
    const more = estimateTokens(raw)
    if (chunk !== '' && tokens + more > maxTokens) {
      chunks.push(chunk)
      chunk = ''
      tokens = 0
    }
    chunk += raw
    tokens += more
  }
  return chunk === '' ? chunks : [...chunks, chunk]
}
