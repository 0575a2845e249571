/** `share`: the user's own memory for others, through the repository, on purpose. Also the rows of `trust` and `untrust`. */

import path from 'node:path'
import { type Command, inProject } from '../../memory/commands/command.ts'
import type { Context } from '../../memory/commands/context.ts'
import { bold, count } from '../../memory/commands/output.ts'
import { KeeperError } from '../../platform/error.ts'
import { GITIGNORE_FILE, SHARED_DIR } from '../../platform/layout.ts'
import { IGNORE_BUT_SHARED } from '../../trust/share-files.ts'
import { endShare, isLeftOut, performShare, planShare } from '../disk/share.ts'
import { readSharing } from '../disk/shared.ts'
import { runTrust, runUntrust } from './trust.ts'

interface ShareOptions {
  as?: string
  off?: boolean
}

function runShare(context: Context, { as, off }: ShareOptions): number {
  if (off === true) return stopSharing(context)
  const { store, out, world, isDryRun } = context
  const plan = planShare(store, as, world)
  const { notes, facts, concepts } = plan.counts
  if (notes + facts + concepts === 0 && readSharing(store.places).as === null)
    throw new KeeperError(
      'nothing',
      'There is nothing to share yet: no note, no fact, no concept. Nothing was written.',
    )
  const files = [...Object.keys(plan.writes), ...plan.removes]
  if (!isDryRun) performShare(store, plan)
  const isIgnored = isLeftOut(store, plan, world)
  const { who, counts } = plan
  out.json({ who, dir: plan.dir, changed: files, counts, isIgnored, dryRun: isDryRun })
  const told = `${count(counts.notes, 'note')}, ${count(counts.facts, 'fact')} and ${count(counts.concepts, 'concept')}`
  out.say(
    files.length === 0
      ? `Nothing new to share: ${plan.dir} holds ${told}.`
      : `${isDryRun ? 'Would share' : 'Shared'} ${told} as ${bold(who)}: no session, no settings, secrets redacted again.`,
    ...files.map((file) => `  ${file}${plan.removes.includes(file) ? ' (removed)' : ''}`),
    ...(plan.isIgnoreOwn ? [ignoreAdvice(store.places.inProject)] : []),
    ...(isDryRun ? [] : [`To give it to others: ${commitCommand(context, isIgnored)}`]),
  )
  return 0
}

/** A .gitignore above it may leave out all of `.claude`. */
function commitCommand({ store: { places } }: Context, isIgnored: boolean): string {
  const dir = path.relative(places.project.root, places.inProject).split(path.sep).join('/')
  return `git add ${isIgnored ? '-f ' : ''}${dir}/${GITIGNORE_FILE} ${dir}/${SHARED_DIR} && git commit`
}

function ignoreAdvice(dir: string): string {
  const rules = IGNORE_BUT_SHARED.split('\n').filter((line) => line.startsWith('!'))
  return `You changed ${path.join(dir, GITIGNORE_FILE)}, so it stays as it is. It must not leave out the shared files: ${rules.join(' ')}`
}

function stopSharing({ store, out, isDryRun }: Context): number {
  const ended = endShare(store, isDryRun)
  if (ended === null)
    throw new KeeperError('not-shared', 'Nothing of this memory is shared. To share it: memory-keeper share')
  out.json({ who: ended.who, removed: ended.files, dryRun: isDryRun })
  out.say(
    `${isDryRun ? 'Would remove' : 'Removed'} what you shared as ${bold(ended.who)}. Commit that; what was committed before stays in git's history.`,
    ...ended.files.map((file) => `  ${file}`),
  )
  return 0
}

export const TRUST_COMMANDS: readonly Command[] = [
  {
    usage: 'trust',
    about: 'look at a memory that came with a repository or through git, or that teammates share, and use it',
    options: [
      { flags: '--yes', about: 'use it' },
      { flags: '--restore', about: 'put your own copies back where git had brought other files' },
    ],
    writes: true,
    example: 'memory-keeper trust --yes',
    run: inProject(runTrust),
  },
  {
    usage: 'untrust [who]',
    about: "stop reading the project's memory directory and what teammates share in it, or what one of them shares",
    writes: true,
    example: 'memory-keeper untrust',
    also: ['memory-keeper untrust alice'],
    run: inProject((context, _, [who]) => runUntrust(context, who)),
  },
  {
    usage: 'share',
    about: 'write your notes, facts and concepts into the project for others to read, ready to be committed',
    options: [
      { flags: '--as <name>', about: "the name they are found under; without this git's user.name" },
      { flags: '--off', about: 'share nothing any more' },
    ],
    writes: true,
    example: 'memory-keeper share --as alice',
    run: inProject(runShare),
  },
]
