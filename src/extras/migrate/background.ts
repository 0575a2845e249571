/** What `migrate` does by itself: files of 0.5 and 0.6 are taken over once, and old sessions get what 0.5 did not store. */
import type { Extra } from '../../core/extra.ts'
import { COMMAND_WAIT_MS } from '../../kernel/memory/disk/store.ts'
import { takeOverFacts } from './disk/facts-05.ts'
import { fillAuthors } from './disk/fill-authors.ts'
import { fillSettled } from './disk/fill-settled.ts'
import { joinSessionsAtHome } from './disk/home-06.ts'
import { takeOverRenders } from './disk/renders-06.ts'
import { takeOverRules } from './disk/rules-05.ts'
import { readEarlierRules } from './disk/rules-06.ts'
import { EARLIER_FILES } from './files.ts'
import { migrateAtStart } from './start.ts'

export const migrateInBackground: Extra = {
  ...migrateAtStart,
  fileKinds: EARLIER_FILES,
  steps: [
    { name: 'facts of 0.5', when: 'first', run: takeOverFacts },
    { name: 'rules', when: 'first', run: takeOverRules },
    { name: 'rules', when: 'first', run: readEarlierRules },
    { name: 'sessions at home', when: 'first', run: joinSessionsAtHome },
    {
      name: 'authors',
      when: 'captured',
      run: (store, { isLate }) =>
        fillAuthors(store, (work) => store.whileLocked(COMMAND_WAIT_MS, work)?.value === true, isLate),
    },
    { name: 'lines by hand', when: 'captured', run: (store, { now }) => takeOverRenders(store, now()) },
    { name: 'ends', when: 'settled', run: (store, { isLate }) => fillSettled(store, isLate) },
  ],
}
