/** What a start and the finisher do for `migrate`: the rules of 0.5 and 0.6 are read once, and sessions that 0.6 left at home are joined. */
import type { Extra } from '../../core/extra.ts'
import { joinSessionsAtHome } from './disk/home-06.ts'
import { takeOverRules } from './disk/rules-05.ts'
import { readEarlierRules } from './disk/rules-06.ts'
import { EARLIER_FILES } from './files.ts'
import { migrateAtStart } from './start.ts'

export const migrateInBackground: Extra = {
  ...migrateAtStart,
  fileKinds: EARLIER_FILES,
  steps: [
    { name: 'rules', when: 'first', run: takeOverRules },
    { name: 'rules', when: 'first', run: readEarlierRules },
    { name: 'sessions at home', when: 'first', run: joinSessionsAtHome },
  ],
}
