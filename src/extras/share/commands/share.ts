/** `share`: a part of this memory for the team, in the project. */
import path from 'node:path'
import { readSharing } from '../../../core/others/disk/shared.ts'
import { type Command, inProject } from '../../../kernel/memory/commands/command.ts'
import type { Context } from '../../../kernel/memory/commands/context.ts'
import { bold } from '../../../kernel/memory/commands/output.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { GITIGNORE_FILE, SHARED_DIR } from '../../../kernel/platform/layout.ts'
import { endShare, performShare, planShare } from '../disk/share.ts'

interface ShareOptions {
  as?: string
  off?: boolean
}

function runShare(context: Context, { as, off }: ShareOptions): number {
  if (off === true) return stopSharing(context)
  const { store, out, world, isDryRun } = context
  const plan = planShare(store, as, world)
  const { who, dir, removes, isEmpty, isIgnoreOwn } = plan
  if (isEmpty && readSharing(store.places).as === null)
    throw new KeeperError('nothing', 'There is nothing to share yet: no note, no fact, no concept.')
  if (!isDryRun) performShare(store, plan)
  const changed = [...Object.keys(plan.writes), ...removes]
  out.json({ who, dir, changed, dryRun: isDryRun })
  const memory = path.relative(store.places.project.root, store.places.inProject).split(path.sep).join('/')
  out.say(
    changed.length === 0
      ? `Nothing new to share: ${dir} is as it should be.`
      : `${isDryRun ? 'Would share' : 'Shared'} your notes, facts and concepts as ${bold(who)}: no session, no settings, secrets redacted again.`,
    ...changed.map((file) => `  ${file}${removes.includes(file) ? ' (removed)' : ''}`),
    ...(isIgnoreOwn ? [`You changed ${memory}/${GITIGNORE_FILE}: it must not leave out ${SHARED_DIR}/.`] : []),
    ...(isDryRun
      ? []
      : [`To give it to others: git add ${memory}/${GITIGNORE_FILE} ${memory}/${SHARED_DIR} && git commit`]),
  )
  return 0
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

export const SHARE_COMMANDS: readonly Command[] = [
  {
    usage: 'share',
    about: 'put your notes and facts into the project for others; ready to be committed',
    options: [
      { flags: '--as <name>', about: "the name they are found under; without this git's user.name" },
      { flags: '--off', about: 'share nothing any more' },
    ],
    writes: true,
    example: 'memory-keeper share --as alice',
    run: inProject(runShare),
  },
]
