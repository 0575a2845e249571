/** `export` and `import-bundle`: a memory in a file. */
import path from 'node:path'
import { type Command, inProject } from '../../../kernel/memory/commands/command.ts'
import { type Context, projectOption, underLock } from '../../../kernel/memory/commands/context.ts'
import { bytes, count, dim, harmless, warning } from '../../../kernel/memory/commands/output.ts'
import { COMMAND_WAIT_MS, type Store } from '../../../kernel/memory/disk/store.ts'
import { disk, statOf } from '../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { BUNDLE_KEY_FILE } from '../../../kernel/platform/layout.ts'
import { exportBundle, openBundle, performBundle, planBundle } from '../disk/bundle.ts'

interface ExportOptions {
  out?: string
  force?: boolean
}

function runExport({ store, out, world, isDryRun }: Context, options: ExportOptions): number {
  const { text, files, redactions } = exportBundle(store)
  if (files === 0) throw new KeeperError('nothing', 'Nothing is remembered here yet, so there is nothing to export.')
  const to = options.out === undefined ? null : path.resolve(world.cwd, options.out)
  const summary = { files, bytes: Buffer.byteLength(text), redactions, out: to }
  const what = `${count(files, 'file')}${to === null ? '' : ` to ${harmless(to)}`} (${bytes(summary.bytes)})`
  if (to !== null && !isDryRun) {
    if (statOf(to) !== null && options.force !== true)
      throw new KeeperError('exists', `${to} exists. Name another file, or replace it: --force`)
    disk.replace(to, text)
  }
  out.json({ ...summary, ...(isDryRun ? { dryRun: true } : to === null ? { bundle: text } : {}) })
  if (isDryRun) out.say(`Would ${to === null ? 'print' : 'write'} ${what}`)
  else if (to !== null) out.say(`Wrote ${what}`, ...redactedLines(redactions), dim(elsewhere(store)))
  else if (!out.isJson) world.streams.out(text)
  return 0
}

function redactedLines(secrets: number): string[] {
  if (secrets === 0) return []
  return [warning(`${count(secrets, 'secret')} redacted in it; memory-keeper scrub cleans the memory itself.`)]
}

function elsewhere({ places }: Store): string {
  const key = harmless(path.join(places.homeDir, BUNDLE_KEY_FILE))
  return `It contains what you and Claude said. To add it elsewhere: memory-keeper import-bundle FILE; on another machine of yours with --mine, or after copying ${key}.`
}

interface ImportOptions {
  yes?: boolean
  mine?: boolean
}

function runImportBundle(context: Context, given: string, options: ImportOptions): number {
  const { store, out, world, isDryRun } = context
  const bundle = openBundle(store, path.resolve(world.cwd, given), options.mine === true)
  const { effects, left, isKnown } = planBundle(store, bundle)
  const isNothing = effects.length === 0
  const isDone = options.yes === true && !isDryRun && !isNothing
  const backup = isDone ? underLock(store, COMMAND_WAIT_MS, () => performBundle(store, bundle, world.now())) : null
  const paths = [...new Set(effects.map((effect) => effect.path))]
  const files = paths.filter((name) => !name.includes('.l1.jsonl'))
  const sessions = paths.length - files.length
  out.json({ signed: bundle.isSigned, sessions, files, left, known: isKnown, done: isDone, backup })
  out.say(
    bundle.isSigned
      ? 'Your own bundle: exported here, and unchanged since.'
      : warning(
          'Not signed here: it counts as yours because you say so (--mine). Its prompts count as your words, and its rules and settings apply. Use this only for a file that you exported yourself and that nobody else could change.',
        ),
  )
  if (isKnown) out.say('It was already added: nothing is added twice, and deleted items stay deleted.')
  else if (isNothing) out.say('All of it is here already.')
  else
    out.say(
      `It adds ${count(sessions, 'session')} and writes ${count(files.length, 'file')}. Existing items are not added again.`,
      ...files.map((name) => dim(`  ${harmless(name)}`)),
      ...left.map((name) => dim(`  ${harmless(name)}: could not be read`)),
      isDone
        ? `Added.${backup === null ? '' : ` What was there before: ${backup}`}`
        : `Nothing was changed. To add it: memory-keeper import-bundle ${harmless(given)}${options.mine === true ? ' --mine' : ''}${harmless(projectOption(context))} --yes`,
    )
  return 0
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
      'Paths of this machine become relative to the project or your home, except in the words of sessions and what is quoted from them.',
      'Secrets are redacted once more. It is signed with a key at home: only your own can be added again. On another machine: copy that key, or import-bundle --mine.',
    ],
    example: 'memory-keeper export --out memory.json',
    run: inProject((context, options) => runExport(context, options)),
  },
  {
    usage: 'import-bundle <file>',
    about: 'add an exported memory of yours to this one; duplicates are skipped, nothing is replaced',
    options: [
      { flags: '--yes', about: 'do it' },
      { flags: '--mine', about: 'you exported it on another machine, and nobody else could change it' },
    ],
    writes: true,
    example: 'memory-keeper import-bundle memory.json --yes',
    run: inProject((context, options, [file = '']) => runImportBundle(context, file, options)),
  },
]
