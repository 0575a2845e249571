/** The command that serves the page: a row of the table of commands. */
import { type Command, inProject } from '../memory/commands/command.ts'
import { runDashboard } from './dashboard.ts'

export const DASHBOARD_COMMANDS: readonly Command[] = [
  {
    usage: 'dashboard',
    about: 'a page to look at and correct what is remembered, on this machine only, until Ctrl+C',
    options: [
      { flags: '--port <n>', about: 'this port; any free one without it' },
      { flags: '--open', about: 'open it in the browser' },
      { flags: '--idle <minutes>', about: 'end when nobody has looked at it for so long, 30 by default' },
    ],
    isLive: true,
    needsTerminal: true,
    example: 'memory-keeper dashboard --open',
    run: inProject(runDashboard),
  },
]
