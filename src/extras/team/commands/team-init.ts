/** `team init`: creates the tables, adds and removes members. */
import type { ExitCode } from '../../../kernel/memory/commands/command.ts'
import type { Context } from '../../../kernel/memory/commands/context.ts'
import { bold, good, harmless } from '../../../kernel/memory/commands/output.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { isWho } from '../../../kernel/trust/share-files.ts'
import { shownAddress, urlFor } from '../address.ts'
import type { Server } from '../disk/server.ts'
import { withServer } from '../disk/work.ts'
import { teamWorldOf, withPassword } from './team-world.ts'

/** Longer than an exchange may take: an index on millions of rows takes minutes. */
const ADMIN_LIMIT_MS = 10 * 60_000
export const NAMES = 'small letters, digits, dots and hyphens'

export interface InitOptions {
  of?: string[]
  add?: string[]
  remove?: string[]
}

export function runInit(
  context: Context,
  given: string,
  { of: projects = [], add = [], remove = [] }: InitOptions,
): ExitCode {
  const { out, isDryRun } = context
  const server = shownAddress(given)
  const wrong = [...add, ...remove].find((who) => !isWho(who))
  if (wrong !== undefined) throw new KeeperError('usage', `"${harmless(wrong)}" cannot be a name: ${NAMES}.`)
  if (add.length > 0 && projects.length === 0)
    throw new KeeperError('usage', 'Name the project that they become members of: --of github.com/acme/shop')
  if (isDryRun) {
    out.json({ server, projects, add, remove, dryRun: true })
    out.say(
      `Would create or update the tables on ${server}. Added: ${add.join(', ') || 'nobody'}. Removed: ${remove.join(', ') || 'nobody'}.`,
    )
    return 0
  }
  const members = add.map((who) => ({ who, projects, password: randomText(18) }))
  const install = async (one: Server): Promise<string[]> => {
    await one.install()
    if (remove.length > 0) await one.removeMembers(remove, projects)
    return members.length === 0 ? [] : one.addMembers(members)
  }
  const tell = (created: readonly string[]): number => {
    const invited = members.filter(({ who }) => created.includes(who))
    const invitations = invited.map(({ who, password }) => ({ who, url: urlFor(given, who, ''), password }))
    out.json({ server, invitations, added: add, removed: remove })
    out.say(
      `${good('done')} The tables of the team are on ${bold(server)}.`,
      ...add
        .filter((who) => !created.includes(who))
        .map((who) => `${who} has a role there and is a member of ${projects.join(', ')}.`),
      ...invitations.flatMap(({ who, url: address, password }) => [
        `For ${bold(who)}: memory-keeper team join "${address}"`,
        `  and the password that it asks for, shown only now: ${password}`,
      ]),
      ...remove.map((who) => `${who} is not a member any more. To lock the role: ALTER ROLE "${who}" NOLOGIN;`),
    )
    return 0
  }
  return withPassword(context.world, given, null)
    .then((url) => withServer(url, teamWorldOf(context.world), ADMIN_LIMIT_MS, install))
    .then(tell)
}

export function randomText(bytes: number): string {
  return process.getBuiltinModule('node:crypto').randomBytes(bytes).toString('base64url')
}
