/** `uninstall`: shows what goes and what stays, and with --yes takes out what we added; with --purge the memory too. */

import { type Context, programIn, projectOption } from '../../memory/commands/context.ts'
import { bold, bytes, count, dim, table, warning } from '../../memory/commands/output.ts'
import { isOurHookLine } from '../disk/health-host.ts'
import { PLUGIN_NAME, readHost } from '../disk/host.ts'
import {
  bytesAt,
  performUninstall,
  planUninstall,
  type Removal,
  type UninstallOptions,
  type UninstallPlan,
} from '../disk/uninstall.ts'

interface Given {
  purge?: boolean
  all?: boolean
  yes?: boolean
}

export function runUninstall(context: Context, given: Given): number {
  const { store, out, world, isDryRun } = context
  const isWanted = given.yes === true && !isDryRun
  const options = { isPurge: given.purge === true, isAll: given.all === true, now: world.now() }
  const plan = planUninstall(store, options)
  const plugins = pluginsOf(context)
  const shown = renderPlan(plan, options, isWanted)
  const done = isWanted ? performUninstall(plan) : null
  out.json({
    removed: plan.removals,
    sections: plan.sections,
    kept: plan.kept,
    live: plan.live,
    failed: done?.failed ?? [],
    plugins,
    done: done !== null,
    dryRun: isDryRun,
  })
  out.say(
    ...shown,
    ...(done === null ? [] : renderFailed(done.failed, done.sections)),
    ...renderNext(context, given, done !== null, plugins),
  )
  if (done === null) return isDryRun || plan.removals.length + plan.sections.length === 0 ? 0 : 1
  return done.failed.length + done.sections.length > 0 ? 1 : 0
}

function commandOf(context: Context, { purge, all }: Given): string {
  const options = `${purge ? ' --purge' : ''}${all ? ' --all' : ''}${projectOption(context)}`
  return `${programIn(context.world)} uninstall${options}`
}

function pluginsOf({ store }: Context): string[] {
  const ours = readHost(store.places).installed.filter(({ name }) => name === PLUGIN_NAME)
  return [...new Set(ours.map(({ id }) => id))]
}

function renderPlan(
  { removals, sections, kept, live }: UninstallPlan,
  options: UninstallOptions,
  isDone: boolean,
): string[] {
  const goes = [
    ...sections.map((file) => [`  ${file}`, dim('only our section between its markers')]),
    ...removals.map(({ path: file, what }) => [`  ${file}`, dim(`${what}, ${bytes(bytesAt(file))}`)]),
  ]
  return [
    ...(live.length === 0
      ? []
      : [
          warning(
            `${count(live.length, 'session')} of Claude Code ${live.length === 1 ? 'goes' : 'go'} on here (${live.join(', ')}): with the next turn files are made anew. End it, or uninstall the plugin first.`,
          ),
        ]),
    ...(goes.length === 0
      ? ['Nothing of ours is there to remove.']
      : [bold(isDone ? 'Removed:' : 'Goes:'), ...table(goes)]),
    ...(kept.length === 0
      ? goes.length === 0 || !options.isPurge
        ? []
        : ['', 'Nothing of ours stays.']
      : ['', bold('Stays:'), ...table(kept.map(({ path: file, what }) => [`  ${file}`, dim(what)]))]),
  ]
}

function renderFailed(failed: readonly Removal[], sections: readonly string[]): string[] {
  return [
    ...(failed.length === 0
      ? []
      : ['', warning('Could not be removed:'), ...failed.map(({ path: file }) => `  ${file}`)]),
    ...(sections.length === 0
      ? []
      : ['', warning('Remove what stands between our markers yourself:'), ...sections.map((file) => `  ${file}`)]),
  ]
}

function renderNext(context: Context, given: Given, isDone: boolean, plugins: readonly string[]): string[] {
  const settings = readHost(context.store.places).settings.statusLine
  const isLine = settings !== null && isOurHookLine(settings)
  const rows = [
    ...(isDone ? [] : [[`  ${commandOf(context, given)} --yes`, dim('does it')]]),
    ...(isDone || given.purge
      ? []
      : [[`  ${commandOf(context, { ...given, purge: true })}`, dim('shows what goes with the memory too')]]),
    ...(plugins.length === 0 ? ['memory-keeper@memory-keeper'] : plugins).map((id) => [
      `  claude plugin uninstall ${id}`,
      dim('the plugin itself: Claude Code removes it'),
    ]),
    ...(isLine ? [['  statusLine in your settings.json', dim('take it out: it names our program')]] : []),
  ]
  return ['', isDone ? 'Left for you:' : 'Nothing was removed yet. Next:', ...table(rows)]
}
