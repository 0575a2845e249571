/** What a start asks `traps`: whether Claude is told something at files, and whether somebody else's directory is in the way. */
import type { Extra, Finding, FindingInput } from '../../core/extra.ts'
import type { Store } from '../../kernel/memory/disk/store.ts'
import { count } from '../../kernel/text/figures.ts'
import { lookAtRuleDir, ruleDirIn, standingOfDir } from './disk/rule-dir.ts'

export const trapsAtStart: Extra = {
  name: 'traps',
  findings: [['rules for files', lookAtRoot, 'start']],
}

/** Only in the project's root: a start is prepared with every file that it looks at. */
function lookAtRoot({ store }: FindingInput): Finding[] {
  const { root } = store.places.project
  const found = [...foreignDir(store, root), ...firstRules(store, root)]
  return found.length > 0 ? found : [{ verdict: 'ok', finding: 'no directory of others is in their place' }]
}

export function foreignDir(store: Store, checkout: string): Finding[] {
  if (!store.config.fileMemory || standingOfDir(store.places, checkout) !== 'foreign') return []
  const dir = ruleDirIn(checkout)
  return [
    {
      verdict: 'warning',
      finding: `${dir} was not made by Memory Keeper: it came with the repository, or somebody made it. It is not touched, and nothing is told at files of this checkout`,
      fix: 'give it another name, or: memory-keeper config set fileMemory false',
      about: `not ours: ${dir}`,
    },
  ]
}

function firstRules(store: Store, checkout: string): Finding[] {
  const rules = standingOfDir(store.places, checkout) === 'ours' ? lookAtRuleDir(checkout).rules.length : 0
  if (rules === 0) return []
  const finding = `what you refused in a file is told to Claude with that file from now on: ${count(rules, 'rule')} in ${ruleDirIn(checkout)}. To switch it off: memory-keeper config set fileMemory false`
  return [{ verdict: 'news', finding, about: 'rules for files' }]
}
