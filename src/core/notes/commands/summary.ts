/** `summary`: lists the archives and their summaries; shows one, saves one after a check, or rebuilds it by code. */

import path from 'node:path'
import { type Command, inProject } from '../../../kernel/memory/commands/command.ts'
import { type Context, change } from '../../../kernel/memory/commands/context.ts'
import { bad, bold, count, dim, harmless, table, warning } from '../../../kernel/memory/commands/output.ts'
import { type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import type { RotatedFile, State } from '../../../kernel/memory/state.ts'
import { withSummary } from '../../../kernel/memory/work.ts'
import { readText } from '../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { isArchiveFile, summaryFileOf } from '../../../kernel/platform/layout.ts'
import { NO_TIME } from '../../../kernel/platform/time.ts'
import { archiveNamed, listArchives, readSummary, repairMemory, standInOf } from '../disk/memory.ts'
import { type SavedSummary, saveSummary } from '../disk/summaries.ts'
import { rotationLimits } from '../rotation.ts'
import { formatSummary } from '../summary.ts'

export interface SummaryOptions {
  file?: string
  extractive?: boolean
}

function runSummary(context: Context, given: string | undefined, options: SummaryOptions): number {
  if (given === undefined) {
    if (options.file === undefined && options.extractive !== true) return listSummaries(context)
    throw new KeeperError('usage', 'Name the archive: memory-keeper summary ARCHIVE. Without one it lists them.')
  }
  const archive = knownArchive(context.store, given)
  if (options.extractive === true) return makeAnew(context, archive)
  const json = givenJson(context, options)
  return json === null ? showSummary(context, archive) : save(context, archive, json)
}

function listSummaries({ store, out, clock }: Context): number {
  const rotated = store.readState().rotatedFiles
  const archives = listArchives(store).map((file) => ({ file, indexed: rotated.find((each) => each.file === file) }))
  out.json({
    archives: archives.map(({ file, indexed }) => ({
      file,
      tokens: indexed?.tokenCount ?? null,
      rotatedAt: indexed?.rotatedAt ?? null,
      summary: readSummary(store, summaryFileOf(file)) === null ? null : summaryFileOf(file),
      by: byOf(indexed),
    })),
  })
  if (archives.length === 0) {
    const limit = rotationLimits(store.config).fullTokens.toLocaleString('en-US')
    out.say(`No archives yet. memory.md becomes one when it is full, at about ${limit} tokens.`)
  }
  out.say(
    ...table(
      archives.map(({ file, indexed }) => [
        bold(file),
        indexed === undefined ? 'not indexed yet' : `${count(indexed.tokenCount, 'token')}`,
        clock.minute(indexed?.rotatedAt ?? ''),
        readSummary(store, summaryFileOf(file)) === null
          ? warning('no readable summary')
          : dim(`summary by ${byOf(indexed)}`),
      ]),
    ),
  )
  return 0
}

function byOf(rotated: RotatedFile | undefined): 'a model' | 'code' {
  return rotated?.summaryGenerated === true ? 'a model' : 'code'
}

function showSummary({ store, out }: Context, archive: string): number {
  const summary = readSummary(store, summaryFileOf(archive))
  if (summary === null) {
    throw new KeeperError(
      'no-summary',
      `${summaryFileOf(archive)} is missing or cannot be read. To make it: memory-keeper summary ${archive} --extractive`,
    )
  }
  const rotated = store.readState().rotatedFiles.find(({ file }) => file === archive)
  const at = summary.generatedAt === NO_TIME ? 'undated' : harmless(summary.generatedAt)
  out.json({ archive, by: byOf(rotated), summary })
  const list = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', bold(title), ...lines.map((line) => `  ${harmless(line)}`)]
  out.say(
    `${bold(archive)} ${dim(`summary by ${byOf(rotated)}, ${at}`)}`,
    harmless(summary.overallSummary),
    ...list(
      'Themes',
      summary.themes.map(({ name, summary: about }) => `${name}: ${about}`),
    ),
    ...list(
      'Decisions',
      summary.keyDecisions.map(({ decision, reason }) => (reason === '' ? decision : `${decision} (${reason})`)),
    ),
    ...list(
      'Issues',
      summary.issues.map(({ issue, status }) => `${status}: ${issue}`),
    ),
  )
  return 0
}

function save(context: Context, archive: string, json: string): number {
  const now = context.world.now()
  const saved = change(context, (store): SavedSummary => {
    repairMemory(store, now)
    return saveSummary(store, archive, json, now)
  })
  const { out, isDryRun } = context
  if (saved.is === 'refused') {
    out.json({ error: { code: 'refused', message: saved.reason }, dryRun: isDryRun })
    out.warn(`${bad('memory-keeper:')} ${harmless(saved.reason)}`)
    out.warn('Nothing was saved. Correct the summary and save it again.')
    return 1
  }
  out.json({ file: saved.file, dryRun: isDryRun })
  out.say(saved.file, dim(isDryRun ? 'would be saved: it passes' : 'saved'))
  return 0
}

/** Writes the summary by code. It overwrites a model's summary, since the user asks for that. */
function makeAnew(context: Context, archive: string): number {
  const now = context.world.now()
  const summary = change(context, (store) => {
    const state: State = repairMemory(store, now)
    const made = standInOf(store, archive, now)
    store.perform([
      { do: 'write', path: summaryFileOf(archive), text: formatSummary(made) },
      stateEffect(withSummary(state, archive, false)),
    ])
    return made
  })
  const { out, isDryRun } = context
  out.json({ file: summaryFileOf(archive), summary, dryRun: isDryRun })
  out.say(summaryFileOf(archive), isDryRun ? warning('would be rebuilt by code') : dim('rebuilt by code'))
  return 0
}

function knownArchive(store: Store, given: string): string {
  const name = archiveNamed(given)
  if (isArchiveFile(name) && listArchives(store).includes(name)) return name
  throw new KeeperError(
    'not-found',
    `There is no archive ${harmless(given)} in ${store.dir}. memory-keeper summary lists them.`,
  )
}

/** Null: no JSON was given, so that the summary is shown. */
function givenJson({ world }: Context, { file }: SummaryOptions): string | null {
  if (file === undefined) {
    const text = world.isStdinTerminal ? '' : world.readStdin()
    return text.trim() === '' ? null : text
  }
  const named = path.resolve(world.cwd, file)
  const text = readText(named)
  if (text !== null) return text
  throw new KeeperError('no-file', `${named} is not there or not a file. Give the summary's JSON with --file.`)
}

export const SUMMARY_COMMANDS: readonly Command[] = [
  {
    usage: 'summary [archive]',
    about: 'list the archives, show the summary of one, or save the one given as JSON on stdin, checked against it',
    options: [
      { flags: '--file <file>', about: 'a file with the JSON' },
      { flags: '--extractive', about: 'rebuild it by code' },
    ],
    writes: true,
    example: 'memory-keeper summary memory_20260113_120000.md',
    run: inProject((context, options, [archive]) => runSummary(context, archive, options)),
  },
]
