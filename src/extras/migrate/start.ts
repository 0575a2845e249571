/** What `migrate` does at a start: rules of 0.5 and 0.6 are read once, and an earlier memory is named. */
import type { Extra } from '../../core/extra.ts'
import { waitsForMigration } from './disk/migrate-files.ts'
import { hasStandingRules, takeOverRules } from './disk/rules-05.ts'
import { isToRead, readEarlierRules } from './disk/rules-06.ts'

export const migrateAtStart: Extra = {
  name: 'migrate',
  steps: [
    { name: 'rules', when: 'first', isDue: hasStandingRules, run: takeOverRules },
    {
      name: 'rules',
      when: 'first',
      isDue: (store) => store.isPrepared() && isToRead(store, store.readState()),
      run: readEarlierRules,
    },
  ],
  notices: (store) => {
    const text = waitsForMigration(store)
    return text === null ? [] : [{ text, about: text }]
  },
}
