/** `export` and `import-bundle`: the copy of a memory in a file, and back. */

import path from 'node:path'
import { type Command, inProject } from '../../memory/commands/command.ts'
import { type Context, projectOption, underLock } from '../../memory/commands/context.ts'
import { bytes, count, dim, harmless, warning } from '../../memory/commands/output.ts'
import { COMMAND_WAIT_MS } from '../../memory/disk/store.ts'
import { disk, statOf } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { BUNDLE_KEY_FILE } from '../../platform/layout.ts'
import { type BundlePlan, exportBundle, openBundle, performBundle, planBundle } from '../disk/bundle.ts'

interface ExportOptions {
  out?: string
  force?: boolean
}

function runExport({ store, out, world, isDryRun }: Context, options: ExportOptions): number {
  const { text, files, redactions } = exportBundle(store)
  if (files.length === 0)
    throw new KeeperError('nothing', 'Nothing is remembered here yet, so there is nothing to export.')
  const to = options.out === undefined ? null : path.resolve(world.cwd, options.out)
  const summary = { files: files.length, bytes: Buffer.byteLength(text), redactions, out: to }
  const what = `${count(files.length, 'file')}${to === null ? '' : ` to ${harmless(to)}`} (${bytes(summary.bytes)})`
  if (isDryRun) {
    out.json({ ...summary, dryRun: true })
    out.say(`Would ${to === null ? 'print' : 'write'} ${what}`)
    return 0
  }
  if (to === null) {
    out.json({ ...summary, bundle: text })
    if (!out.isJson) world.streams.out(text)
    return 0
  }
  if (statOf(to) !== null && options.force !== true)
    throw new KeeperError('exists', `${to} exists. Name another file, or replace it: --force`)
  disk.replace(to, text)
  out.json(summary)
  out.say(
    `Wrote ${what}`,
    ...(redactions > 0
      ? [warning(`${count(redactions, 'secret')} redacted in it; memory-keeper scrub cleans the memory itself.`)]
      : []),
    dim(
      'It contains what you and Claude said, readable by you only. To add it elsewhere: memory-keeper import-bundle FILE',
    ),
    dim(
      `It is signed with ${harmless(path.join(store.places.keeperDir, BUNDLE_KEY_FILE))}. On another machine of yours: copy that key to the same place first, or add --mine there.`,
    ),
  )
  return 0
}

interface ImportOptions {
  yes?: boolean
  mine?: boolean
}

function runImportBundle(context: Context, given: string, options: ImportOptions): number {
  const { store, out, world, isDryRun } = context
  const bundle = openBundle(store, path.resolve(world.cwd, given), options.mine === true)
  const plan = planBundle(store, bundle, world.now())
  const isNothing = plan.effects.length === 0
  const isDone = options.yes === true && !isDryRun && !isNothing
  const backup = isDone ? underLock(store, COMMAND_WAIT_MS, () => performBundle(store, bundle, world.now())) : null
  const { left, isKnown } = plan
  const { sessions, files } = pathsOf(plan)
  const { isSigned } = bundle
  out.json({ signed: isSigned, sessions: sessions.length, files, left, known: isKnown, done: isDone, backup })
  out.say(
    isSigned
      ? 'Your own bundle: made here, and unchanged since.'
      : warning(
          'Not signed here: it counts as yours because you say so (--mine). Its words count as said by you, its rules and settings apply. Only for a file that you made yourself and that nobody else had in hand.',
        ),
    ...planLines(plan, isNothing),
  )
  if (isDone) out.say('Added.', ...(backup === null ? [] : [dim(`What was there before: ${backup}`)]))
  else if (!isNothing)
    out.say(
      `Nothing was changed. To add it: memory-keeper import-bundle ${harmless(given)}${options.mine === true ? ' --mine' : ''}${harmless(projectOption(context))} --yes`,
    )
  return isDone || isDryRun || isNothing ? 0 : 1
}

function pathsOf({ effects }: BundlePlan): { sessions: string[]; files: string[] } {
  const paths = [...new Set(effects.map((effect) => effect.path))]
  const isSession = (name: string): boolean => name.includes('.l1.jsonl')
  return { sessions: paths.filter(isSession), files: paths.filter((name) => !isSession(name)) }
}

function planLines(plan: BundlePlan, isNothing: boolean): string[] {
  const { left, isKnown } = plan
  if (isKnown) return ['It was added before: nothing comes twice, and what was deleted since stays deleted.']
  if (isNothing) return ['All of it is here already.']
  const { sessions, files } = pathsOf(plan)
  return [
    `It adds ${count(sessions.length, 'session')} and writes ${count(files.length, 'file')}. What is here already is not added again.`,
    ...files.map((name) => dim(`  ${harmless(name)}`)),
    ...left.map((name) => dim(`  ${harmless(name)}: could not be read`)),
  ]
}

export const BUNDLE_COMMANDS: readonly Command[] = [
  {
    usage: 'export',
    isVerbatim: true,
    about: 'the whole memory as one file: sessions, notes, summaries, facts, concepts, rules, pages, settings',
    options: [
      { flags: '--out <file>', about: 'write it there; without this it is printed' },
      { flags: '--force', about: 'replace a file that is there' },
    ],
    more: [
      'Secrets are redacted once more. It is signed with a key at home: only your own can be added again. On another machine: copy that key, or import-bundle --mine.',
    ],
    example: 'memory-keeper export --out memory.json',
    run: inProject((context, options) => runExport(context, options)),
  },
  {
    usage: 'import-bundle <file>',
    about: 'add an exported memory of yours to this one, with --yes; duplicates are skipped, nothing is replaced',
    options: [
      { flags: '--yes', about: 'do it' },
      { flags: '--mine', about: 'you made it on another machine, and nobody else had it in hand' },
    ],
    writes: true,
    example: 'memory-keeper import-bundle memory.json --yes',
    run: inProject((context, options, [file = '']) => runImportBundle(context, file, options)),
  },
]
