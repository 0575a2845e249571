/** What a start asks `traps`: whether Claude is told something at files, and whether somebody else's directory is in the way. */
import type { Extra, Finding, FindingInput } from '../../core/extra.ts'
import { count } from '../../kernel/text/figures.ts'
import { checkoutsOf } from './disk/checkouts.ts'
import { lookAtRuleDir, ruleDirIn, standingOf } from './disk/rule-dir.ts'

export const trapsAtStart: Extra = {
  name: 'traps',
  findings: [['rules for files', lookAtPlaces, 'start']],
}

function lookAtPlaces({ store }: FindingInput): Finding[] {
  const found = checkoutsOf(store).flatMap((checkout): Finding[] => {
    const dir = ruleDirIn(checkout)
    const standing = standingOf(store.places, checkout)
    if (standing === 'foreign' && store.config.fileMemory)
      return [
        {
          verdict: 'warning',
          finding: `${dir} was not made by Memory Keeper: it came with the repository, or somebody made it. It is not touched, and nothing is told at files of this checkout`,
          fix: 'give it another name, or: memory-keeper config set fileMemory false',
          about: `not ours: ${dir}`,
        },
      ]
    const rules = standing === 'ours' ? lookAtRuleDir(checkout).rules.length : 0
    if (rules === 0) return []
    return [
      {
        verdict: 'news',
        finding: `what you refused in a file is told to Claude with that file from now on: ${count(rules, 'file')} in ${dir}. To switch it off: memory-keeper config set fileMemory false`,
        about: 'rules for files',
      },
    ]
  })
  return found.length > 0 ? found : [{ verdict: 'ok', finding: 'no directory of others is in their place' }]
}
