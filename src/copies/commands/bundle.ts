/** `export` and `import-bundle`: a whole memory in one file, and back. */

import path from 'node:path'
import { type Command, inProject } from '../../memory/commands/command.ts'
import { type Context, projectOption, underLock } from '../../memory/commands/context.ts'
import { bytes, count, dim, harmless, warning } from '../../memory/commands/output.ts'
import { COMMAND_WAIT_MS } from '../../memory/disk/store.ts'
import { disk, statOf } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { BUNDLE_KEY_FILE } from '../../platform/layout.ts'
import type { BundleForm } from '../bundle.ts'
import { exportBundle, openBundle } from '../disk/bundle.ts'
import { type BundlePlan, performBundle, planBundle } from '../disk/bundle-import.ts'
import { behindBar } from './trust-show.ts'

interface ExportOptions {
  format?: string
  out?: string
  force?: boolean
}

function runExport(context: Context, options: ExportOptions): number {
  const { store, out, world, isDryRun } = context
  const form = formOf(options)
  const { text, files, redactions } = exportBundle(store, form)
  if (files.length === 0)
    throw new KeeperError('nothing', 'Nothing is remembered here yet, so there is nothing to export.')
  const to = options.out === undefined ? null : path.resolve(world.cwd, options.out)
  const told = { format: form, files: files.length, bytes: Buffer.byteLength(text), redactions, out: to }
  if (to === null && isDryRun) {
    out.json({ ...told, dryRun: true })
    out.say(`Would print ${count(files.length, 'file')} (${bytes(told.bytes)})`)
    return 0
  }
  if (to === null) {
    out.json({ ...told, bundle: text })
    if (!out.isJson) world.streams.out(text)
    return 0
  }
  if (isDryRun) {
    out.json({ ...told, dryRun: true })
    out.say(`Would write ${count(files.length, 'file')} to ${harmless(to)} (${bytes(told.bytes)})`)
    return 0
  }
  if (statOf(to) !== null && options.force !== true)
    throw new KeeperError('exists', `${to} exists. Name another file, or replace it: --force`)
  disk.replace(to, text)
  out.json(told)
  out.say(
    `${count(files.length, 'file')} in ${harmless(to)} (${bytes(told.bytes)})`,
    ...(redactions > 0
      ? [warning(`${count(redactions, 'secret')} redacted in it; memory-keeper scrub cleans the memory itself.`)]
      : []),
    dim(
      'It holds what you and Claude said, readable by you only. To take it in elsewhere: memory-keeper import-bundle FILE',
    ),
    dim(
      `It is signed with ${harmless(path.join(store.places.keeperDir, BUNDLE_KEY_FILE))}. On another machine of yours: copy that key to the same place first, or add --mine there.`,
    ),
  )
  return 0
}

/** What `--format` takes. */
const FORMS: readonly BundleForm[] = ['json', 'markdown']

function formOf({ format, out }: ExportOptions): BundleForm {
  const usual = out?.toLowerCase().endsWith('.md') ? 'markdown' : 'json'
  const form = FORMS.find((one) => one === (format ?? usual))
  if (form !== undefined) return form
  throw new KeeperError('usage', `--format takes ${FORMS.join(' or ')}; "${harmless(format ?? '')}" is neither.`)
}

interface ImportOptions {
  yes?: boolean
  mine?: boolean
}

function runImportBundle(context: Context, given: string, options: ImportOptions): number {
  const { store, out, world, isDryRun } = context
  const file = path.resolve(world.cwd, given)
  const wanted = options.yes === true && !isDryRun
  const opened = openBundle(store, file)
  const isVouched = !opened.isOwn && options.mine === true
  const bundle = { ...opened, isOwn: opened.isOwn || isVouched }
  const plan = planBundle(store, bundle, world.now())
  const isNothing = plan.effects.length + plan.sessions.length === 0
  const backup =
    wanted && !isNothing
      ? performBundle(store, bundle, world.now(), (work) => underLock(store, COMMAND_WAIT_MS, work))
      : null
  const { counts, pages, theirs, left } = plan
  out.json({
    own: bundle.isOwn,
    vouched: isVouched,
    counts,
    pages,
    theirs,
    left,
    known: plan.isKnown,
    done: wanted && !isNothing,
    backup,
    dryRun: isDryRun,
  })
  out.say(...whose(bundle.isOwn, isVouched), ...planLines(plan, isNothing))
  if (isNothing) return 0
  if (wanted) out.say('Taken in.', ...(backup === null ? [] : [dim(`What was there before: ${backup}`)]))
  else {
    const mine = options.mine === true ? ' --mine' : ''
    out.say(
      ...theirLines(plan),
      `Nothing was changed. To take it in: memory-keeper import-bundle ${harmless(given)}${mine}${harmless(projectOption(context))} --yes`,
      ...(bundle.isOwn ? [] : [dim('If you made it yourself on another machine: --mine')]),
    )
  }
  return wanted || isDryRun ? 0 : 1
}

function whose(isOwn: boolean, isVouched: boolean): string[] {
  if (isVouched)
    return [
      warning('Not signed here: it comes in as yours because you say so (--mine).'),
      dim(
        'Its words count as said by you; its rules, settings, standing instructions and pages hold as your own and are told to Claude. Only for a file that you made yourself and that nobody else had in hand.',
      ),
    ]
  return isOwn
    ? ['Your own bundle: made here, and unchanged since.']
    : [
        warning('Not signed by you: it comes in as the words of somebody else.'),
        dim(
          "Nothing of it counts as said by you, what holds for good there waits for your yes, rules, settings and summaries stay out. Its facts, notes and pages are marked wherever they are told: (from somebody else's bundle).",
        ),
      ]
}

/** A stranger's words, behind a bar: they would be told to Claude. */
function theirLines({ theirs }: BundlePlan): string[] {
  const more = theirs.length - MOST_SHOWN
  return [
    ...(theirs.length === 0 ? [] : ['What Claude would be told of, as theirs:']),
    ...theirs.slice(0, MOST_SHOWN).flatMap(({ what, text }) => [`  ${harmless(what)}`, ...behindBar(text.split('\n'))]),
    ...(more > 0 ? [dim(`  … ${count(more, 'more')} of this kind; --json lists them all`)] : []),
  ]
}

/** Of facts, notes and pages. */
const MOST_SHOWN = 40

function planLines({ counts, pages, left, isKnown }: BundlePlan, isNothing: boolean): string[] {
  if (isKnown) return ['It was taken in before: nothing comes twice, and what was deleted since stays deleted.']
  if (isNothing) return ['All of it is here already.']
  const { sessions, notes, facts, concepts, archives } = counts
  const parts = [
    count(sessions, 'new session'),
    count(notes, 'note'),
    count(facts, 'fact'),
    count(concepts, 'concept'),
    count(archives, 'archive'),
  ]
  return [
    `It holds ${parts.join(', ')}. What is here already is not taken in again.`,
    ...(pages.length === 0 ? [] : [`Pages: ${pages.map(harmless).join(', ')}`]),
    ...left.map(({ path: one, why }) => dim(`left out: ${harmless(one)} (${why})`)),
  ]
}

export const BUNDLE_COMMANDS: readonly Command[] = [
  {
    usage: 'export',
    isVerbatim: true,
    about: 'the whole memory as one file: sessions, notes, summaries, facts, concepts, rules, pages, settings',
    options: [
      { flags: '--format <format>', about: 'json (without this) or markdown', values: { of: FORMS } },
      { flags: '--out <file>', about: 'write it there; without this it is printed' },
      { flags: '--force', about: 'replace a file that is there' },
    ],
    more: [
      'Secrets are redacted once more. It is signed with a key at home: only your own comes in again as yours. On another machine: copy that key, or import-bundle --mine.',
    ],
    isLive: true,
    example: 'memory-keeper export --out memory.json',
    run: inProject((context, options) => runExport(context, options)),
  },
  {
    usage: 'import-bundle <file>',
    about: 'add an exported memory to this one, with --yes; duplicates are skipped, nothing is replaced',
    options: [
      { flags: '--yes', about: 'take it in' },
      {
        flags: '--mine',
        about: 'you made it on another machine: it comes in as yours',
      },
    ],
    more: [
      "What you have not signed comes in as somebody else's: marked wherever it is told, without rules, settings and summaries.",
    ],
    writes: true,
    example: 'memory-keeper import-bundle memory.json --yes',
    run: inProject((context, options, [file = '']) => runImportBundle(context, file, options)),
  },
]
