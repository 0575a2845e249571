/** `doctor`: whether all is well, what to do when it is not, and with --fix does what is safe. */

import type { Context } from '../../memory/commands/context.ts'
import { bad, bold, count, dim, good, warning } from '../../memory/commands/output.ts'
import type { Check } from '../disk/check.ts'
import { checkHealth, tryCheck } from '../disk/health.ts'
import { type Mended, mendHealth } from '../disk/health-mend.ts'
import { probeServer } from '../disk/server-probe.ts'

export function runDoctor(context: Context, options: { fix?: boolean } = {}): number {
  const before = look(context)
  const { store, world, isDryRun } = context
  const mended = options.fix === true ? mendHealth(store, before, { now: world.now, isDryRun }) : []
  // What was mended is looked at again: a word is no proof.
  const checks = mended.length > 0 && !isDryRun ? look(context) : before
  const problems = checks.filter(({ verdict }) => verdict === 'problem').length
  const warnings = checks.filter(({ verdict }) => verdict === 'warning').length
  context.out.json({ checks, problems, warnings, ...(options.fix ? { mended, dryRun: isDryRun } : {}) })
  context.out.say(
    ...renderMended(mended, options.fix === true, isDryRun),
    ...checks.flatMap(renderCheck),
    ...renderEnd(checks, problems, warnings, options.fix === true),
  )
  return problems === 0 ? 0 : 1
}

/** All checks, and whether the server answers: it takes a process, so only here. */
function look({ store, world }: Context): Check[] {
  const { nodeVersion, version, programs = null, env } = world
  const checks = checkHealth(store, { now: world.now(), nodeVersion, version, programs })
  if (programs === null) return checks
  const [plugin, ...others] = checks
  const server = tryCheck('MCP server', () => probeServer(store, { programs, env }))
  return [...(plugin === undefined ? [] : [plugin]), server, ...others]
}

function renderCheck({ verdict, name, finding, fix }: Check): string[] {
  const sign = { ok: good('ok     '), warning: warning('warning'), problem: bad('problem') }
  const told = verdict === 'ok' ? `${name}: ${dim(finding)}` : `${bold(name)}: ${finding}`
  return [`${sign[verdict]}  ${told}`, ...(fix ? [`         → ${fix}`] : [])]
}

function renderMended(mended: readonly Mended[], isAsked: boolean, isDryRun: boolean): string[] {
  if (!isAsked) return []
  if (mended.length === 0) return ['Nothing to mend by itself.', '']
  return [isDryRun ? 'Would be mended:' : 'Mended:', ...mended.map(({ said }) => `  ${said}`), '']
}

function renderEnd(checks: readonly Check[], problems: number, warnings: number, isFix: boolean): string[] {
  if (problems + warnings === 0) return [good('all is well')]
  const told = `${count(problems, 'problem')}, ${count(warnings, 'warning')}`
  const open = checks.filter(({ verdict }) => verdict !== 'ok')
  const safe = open.filter(({ mend }) => mend !== undefined).length
  if (isFix) return [`${told} left: only you can do what stands behind the arrows.`]
  return [safe === 0 ? told : `${told}; memory-keeper doctor --fix mends ${safe} of them`]
}
