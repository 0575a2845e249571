/** What commands need to ask the team's server: the client, and the user's password. */
import type { CliWorld } from '../../../kernel/memory/commands/context.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { shownAddress, urlFor } from '../address.ts'
import { connectionOf } from '../disk/home.ts'
import { CLIENT_FILE, type TeamClient, type TeamWorld } from '../disk/work.ts'

export function teamWorldOf({ env, around, platform, now, loadProgram }: CliWorld): TeamWorld {
  if (loadProgram === undefined)
    throw new KeeperError('no-client', 'The PostgreSQL client is only in the built program.')
  return { env, home: around.home, platform, now, loadTeam: () => loadProgram(CLIENT_FILE) as TeamClient }
}

/**
 * Adds a password to the address if PostgreSQL's own programs would find none: the one typed at the terminal, else the one in `kept`.
 * The command line never has it: shells, process lists and transcripts keep command lines.
 */
export function withPassword(world: CliWorld, url: string, kept: string | null): Promise<string> {
  const { address, password } = connectionOf(url, teamWorldOf(world))
  if (address.password !== null)
    throw new KeeperError(
      'usage',
      'Give the address without the password, which would stay in the history of your shell. You are asked for it, unless PGPASSWORD or ~/.pgpass has it.',
    )
  if (password !== '') return Promise.resolve(url)
  const { isStdinTerminal, askSecret } = world
  const question = `Password of ${shownAddress(url)} (empty: none is needed): `
  const answer = isStdinTerminal && askSecret !== undefined ? askSecret(question) : Promise.resolve(kept ?? '')
  return answer.then((secret) => (secret === '' ? url : urlFor(url, address.user, secret)))
}
