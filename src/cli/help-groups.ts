/** The order of commands in `--help`: by what somebody wants, not by when they were written. */

const GROUPS: readonly (readonly [heading: string, names: readonly string[]])[] = [
  [
    'Look:',
    [
      'status',
      'stats',
      'dashboard',
      'search',
      'context',
      'show',
      'timeline',
      'sessions',
      'briefing',
      'recall',
      'delta',
    ],
  ],
  [
    'Keep and correct:',
    [
      'remember',
      'note',
      'notes',
      'facts',
      'concepts',
      'rules',
      'page',
      'lesson',
      'reflect',
      'promote',
      'demote',
      'pin',
      'unpin',
      'undo',
      'forget',
    ],
  ],
  [
    'Take in and hand on:',
    ['import', 'export', 'import-bundle', 'share', 'trust', 'untrust', 'restore', 'migrate', 'migrate-timezone'],
  ],
  [
    'Set up and look after:',
    [
      'init',
      'config',
      'doctor',
      'verify',
      'compress',
      'summary',
      'reindex',
      'scrub',
      'dedupe',
      'statusline',
      'completion',
      'uninstall',
      'demo',
    ],
  ],
]

/** What scripts and skills call, and names of earlier versions. */
export const OTHER_COMMANDS = 'For scripts, and earlier names:'

/** Where a command stands, by the first word of its usage. */
export function helpPlace(usage: string): { heading: string; order: number } {
  const [name = ''] = usage.split(' ')
  const group = GROUPS.findIndex(([, names]) => names.includes(name))
  const [heading = OTHER_COMMANDS, names = []] = GROUPS[group] ?? []
  return { heading, order: group < 0 ? GROUPS.length * 100 : group * 100 + names.indexOf(name) }
}
