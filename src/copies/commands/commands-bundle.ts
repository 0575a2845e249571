/** The commands that carry a memory from one place to another. */

import { type Command, inProject } from '../../memory/commands/command.ts'
import { FORMS, runExport, runImportBundle } from './bundle.ts'

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
    about: 'take in an exported memory: shows what would come in; nothing comes twice, nothing here is replaced',
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
