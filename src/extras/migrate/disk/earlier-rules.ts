/** Whether the rules.md of 0.6 is still to be read: asked at every start. */
import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import type { State } from '../../../kernel/memory/state.ts'
import { statOf } from '../../../kernel/platform/disk/files.ts'
import { RULES_FILE } from '../../../kernel/platform/layout.ts'

/** Whether it was not read, or a kill left it half done. */
export function isToRead(
  { ownership, dir }: Pick<Store, 'ownership' | 'dir'>,
  { earlierRules }: Pick<State, 'earlierRules'>,
): boolean {
  if (ownership === 'foreign') return false
  if (earlierRules === 'new') return statOf(path.join(dir, RULES_FILE))?.kind === 'file'
  return earlierRules === null || earlierRules === 'drop' || earlierRules === 'switch'
}
