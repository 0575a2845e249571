/** Traps: what the user refused and what keeps going wrong, told where it happens. */
import type { Extra, Finding, FindingInput, StatusRow } from '../../core/extra.ts'
import type { Store } from '../../kernel/memory/disk/store.ts'
import { worktreesOf } from '../../kernel/platform/disk/locate.ts'
import { count, total } from '../../kernel/text/figures.ts'
import { trapsInBackground } from './background.ts'
import { mayHaveRules, ownCheckouts } from './disk/file-rules.ts'
import { lookAtRuleDir, ruleDirIn } from './disk/rule-dir.ts'
import { foreignDir } from './start.ts'

function lookAtRules({ store }: FindingInput): Finding[] {
  const mayStand = mayHaveRules(store)
  const inWorktrees = worktreesOf(store.places.project.root).flatMap((checkout) => foreignDir(store, checkout))
  const ofOurs = ownCheckouts(store).flatMap((checkout): Finding[] => {
    const dir = ruleDirIn(checkout)
    const { broken, others } = lookAtRuleDir(checkout)
    const warn = (finding: string, fix: string): Finding[] => [{ verdict: 'warning', finding, fix }]
    if (!mayStand)
      return warn(`${dir} is still there, though nothing is told at files now`, 'delete it, or start a session here')
    const changed = `${count(broken.length, 'rule')} in ${dir} ${broken.length === 1 ? 'is' : 'are'} not as written`
    return [
      ...(broken.length === 0
        ? []
        : warn(changed, `delete ${broken.join(', ')}; the end of a session makes them again`)),
      ...(others.length === 0
        ? []
        : warn(`${dir} contains files of others: ${others.join(', ')}`, 'move them: git ignores them there')),
    ]
  })
  const found = [...inWorktrees, ...ofOurs]
  return found.length > 0 ? found : [{ verdict: 'ok', finding: 'the rules for files are as they were written' }]
}

function statusRows(store: Store): StatusRow[] {
  const dirs = ownCheckouts(store)
  const rules = total(dirs, (checkout) => lookAtRuleDir(checkout).rules.length)
  const text = `${count(rules, 'rule')} in .claude/rules/memory-keeper${dirs.length === 1 ? '' : ` of ${count(dirs.length, 'checkout')}`}`
  return [
    {
      key: 'fileRules',
      value: { rules, dirs: dirs.map(ruleDirIn) },
      line: rules === 0 ? null : { label: 'told at files', text },
    },
  ]
}

export const traps: Extra = {
  ...trapsInBackground,
  findings: [...(trapsInBackground.findings ?? []), ['written rules for files', lookAtRules]],
  statusRows,
}
