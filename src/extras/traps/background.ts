/** The finisher's part of traps: it writes the rules for files. Forgetting makes them again. */
import type { Extra } from '../../core/extra.ts'
import type { DerivedKind } from '../../kernel/memory/disk/derived.ts'
import { mayHaveRules, placesOfRules, renewRules, settleRules, withdrawRules } from './disk/file-rules.ts'
import { trapsAtStart } from './start.ts'

/** No file of the memory is of this kind. */
const FILE_RULES: readonly DerivedKind[] = [
  {
    name: 'file-rules',
    title: 'rules for files in the project',
    match: () => false,
    isKept: false,
    renew: (store) => renewRules(store),
    again: 'memory-keeper forget',
  },
]

export const trapsInBackground: Extra = {
  ...trapsAtStart,
  fileKinds: FILE_RULES,
  outside: {
    what: 'rules for files',
    places: placesOfRules,
    withdraw: (store) => {
      if (!mayHaveRules(store)) withdrawRules(store)
    },
  },
  steps: [
    { name: 'file rules', when: 'settled', isForEmpty: true, run: (store, { now }) => settleRules(store, now()) },
  ],
}
