/** What of 0.5 and 0.6 is still to be taken over: asked at every start and before every command, so it must be cheap. */
import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { keptCopy } from '../../../kernel/memory/disk/vault-copy.ts'
import type { State } from '../../../kernel/memory/state.ts'
import { readOwnText, readPart } from '../../../kernel/platform/disk/files.ts'
import { FACTS_FILE, RULES_FILE } from '../../../kernel/platform/layout.ts'

/** Whether the rules.md of 0.6 was not read, or a kill left it half done. */
export function isToRead({ dir }: Pick<Store, 'dir'>, { earlierRules }: Pick<State, 'earlierRules'>): boolean {
  // A new or lost state does not tell whether the file is of 0.6: what 0.6 wrote above the rules does.
  if (earlierRules === 'new') return isEarlierFile(readOwnText(path.join(dir, RULES_FILE)) ?? '')
  return earlierRules === null || earlierRules === 'drop' || earlierRules === 'switch'
}

/** What 0.5 and 0.6 wrote above the rules, which is not true any more. */
export const EARLIER_COMMENTS: readonly string[] = [
  '<!-- Told to Claude with every prompt, one rule per list item. Edit them here, or with: memory-keeper rules add, remove.\n' +
    '     Without this file the built-in rules are told; with no rule in it, none. -->',
  '<!-- Injected with every prompt, one rule per list item. Edit them here, or with: memory-keeper rules add, remove.\n' +
    '     Without this file the built-in rules apply; with no rule in it, none. -->',
]

/** Whether 0.5 or 0.6 made the file, in which it stood in the place of the built-in rules. */
function isEarlierFile(text: string): boolean {
  return EARLIER_COMMENTS.some((comment) => text.includes(comment))
}

/** Only the record of reflection may come before the version. */
const HEAD_BYTES = 65_536
const IS_OF_05 = /"_meta"\s*:\s*\{[^{}]*"version"\s*:\s*4\b/

/** The facts.json that 0.5 wrote last: in the memory, and its copies in the vault, from which lost facts are read. */
export function factsOf05({ dir, places: { inProject, vault } }: Pick<Store, 'dir' | 'places'>): string[] {
  const copies = dir === inProject ? [path.join(vault, FACTS_FILE), keptCopy(vault, FACTS_FILE)] : []
  return [path.join(dir, FACTS_FILE), ...copies].filter((file) =>
    IS_OF_05.test(readPart(file, 0, HEAD_BYTES)?.toString() ?? ''),
  )
}
