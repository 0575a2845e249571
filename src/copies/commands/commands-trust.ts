/** The commands about whose memory is read, and who reads the user's. */
import { type Command, inProject } from '../../memory/commands/command.ts'
import { runShare } from './share.ts'
import { runTrust, runUntrust } from './trust.ts'

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
