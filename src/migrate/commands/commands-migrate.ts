/** The commands about memories of earlier versions. */

import { type Command, inProject, type Option } from '../../memory/commands/command.ts'
import { NEIGHBOURS } from '../../outgoing/disk/neighbours.ts'
import { runMigrate } from './migrate.ts'

const TIMEZONE: Option = {
  flags: '--timezone <zone>',
  about: "where local times were written, like Asia/Seoul; without it the setting timezone, else the system's",
}

/** What `import` takes to read other memories than the host's transcripts. */
export const NEIGHBOUR_OPTIONS: readonly Option[] = [
  {
    flags: '--from <what>',
    about: 'auto-memory, claude-mem or memory-bank, instead of transcripts',
    values: { of: NEIGHBOURS },
  },
  { flags: '--path <path>', about: 'where that is, if not where it usually lies' },
  { flags: '--neighbours', about: 'all of these that are there' },
]

export const MIGRATE_COMMANDS: readonly Command[] = [
  {
    usage: 'migrate',
    alias: 'migrate-legacy',
    about: 'take over the memory of an earlier version: v3, v4, v12, v13; backs up first, may run twice',
    options: [{ flags: '--from <dir>', about: 'the memory of an earlier version; it is only read' }, TIMEZONE],
    writes: true,
    example: 'memory-keeper migrate --dry-run',
    run: inProject((context, options) => runMigrate(context, options)),
  },
  {
    usage: 'migrate-timezone',
    about: 'only the dates of notes: local times become UTC, with the local time beside it',
    options: [TIMEZONE],
    writes: true,
    example: 'memory-keeper migrate-timezone --timezone Asia/Seoul --dry-run',
    run: inProject((context, options) => runMigrate(context, options, 'times')),
  },
]
