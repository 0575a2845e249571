/** The changed files in a digest by structure. */

import { perObject } from '../../kernel/text/once.ts'
import type { Numbered } from '../../kernel/transcript/session.ts'
import { writesIn } from '../../kernel/transcript/shell.ts'
import { EDITS, isPlanFile, type Line, namesOf } from './structure-text.ts'

interface Changed {
  times: number
  n: number
  isMade: boolean
  isRemoved: boolean
}

/** Which files were changed, and how often. */
export const fileLines = perObject((entries: readonly Numbered[]): readonly Line[] => {
  const changed = new Map<string, Changed>()
  for (const { n, entry } of entries) {
    if (entry.role !== 'tool' || entry.ok !== true || isPlanFile(entry)) continue
    const writes = EDITS.has(entry.name)
      ? [{ path: entry.cmd, how: 'edited' }]
      : entry.name === 'Bash'
        ? writesIn(entry.cmd)
        : []
    for (const { path, how } of writes) {
      const before = changed.get(path)
      const isMade = before?.isMade ?? how === 'created'
      // A file that was created and deleted again was only a trial.
      if (isMade && how === 'removed') changed.delete(path)
      else changed.set(path, { times: (before?.times ?? 0) + 1, n, isMade, isRemoved: how === 'removed' })
    }
  }
  const newest = [...changed.values()].at(-1)
  if (newest === undefined) return []
  const kept = namesOf([...changed].filter(([, { isRemoved }]) => !isRemoved))
  const removed = namesOf([...changed].filter(([, { isRemoved }]) => isRemoved))
  const names = [...(kept === '' ? [] : [kept]), ...(removed === '' ? [] : [`removed ${removed}`])].join('; ')
  return [{ text: `Changed: ${names}`, n: newest.n }]
})
