/** The checks of the host: is the plugin there and switched on, once only, alone, and does its status line work. */
import path from 'node:path'
import { realPath, statOf } from '../../platform/disk/files.ts'
import { count } from '../../text/figures.ts'
import type { Check, HealthWorld } from './check.ts'
import { type Host, PLUGIN_NAME } from './host.ts'

const DAY_MS = 24 * 60 * 60_000
const LATELY_DAYS = 7

/** Other plugins that remember sessions, and what is done twice beside them. */
const OTHER_MEMORIES: Readonly<Record<string, string>> = {
  'claude-mem': 'it captures sessions and tells Claude of them at the start too, and calls a model for it',
  'episodic-memory': 'it keeps and searches conversations too',
  'claude-remember': 'it keeps notes of sessions and tells them at the start too',
  remember: 'it keeps notes of sessions and tells them at the start too',
  'memory-store': 'it keeps memories and tells them too',
  'claude-memory': 'it keeps memories and tells them too',
  mem0: 'it keeps memories and tells them too',
  supermemory: 'it keeps memories elsewhere and tells them too',
  'claude-supermemory': 'it keeps memories elsewhere and tells them too',
}

/** `lastHookAt`: when a hook of ours ran last in this project. */
export function checkPlugin(host: Host, lastHookAt: string | null, now: string): Check {
  const name = 'plugin'
  const ours = host.installed.filter((one) => one.name === PLUGIN_NAME)
  const enabled = ours.filter(({ id }) => host.settings.plugins.get(id) === true)
  const [first] = enabled
  if (host.broken.length > 0) {
    return {
      name,
      verdict: 'problem',
      finding: `${host.broken.join(', ')} is no valid JSON: Claude Code cannot read it`,
      fix: 'mend the file by hand; it is yours, nothing of ours writes it',
    }
  }
  if (first !== undefined) {
    return { name, verdict: 'ok', finding: `${first.id} ${first.version}, installed and switched on` }
  }
  const isUsed = lastHookAt !== null && Date.parse(now) - Date.parse(lastHookAt) < LATELY_DAYS * DAY_MS
  if (ours.length > 0) {
    return {
      name,
      verdict: isUsed ? 'warning' : 'problem',
      finding: `${ours[0]?.id} is installed but switched off here: nothing is captured while you work`,
      fix: `claude plugin enable ${ours[0]?.id}`,
    }
  }
  if (isUsed) return { name, verdict: 'ok', finding: 'not installed, but its hooks run: loaded with --plugin-dir' }
  return {
    name,
    verdict: 'warning',
    finding: 'not installed in Claude Code: nothing is captured while you work',
    fix: 'claude plugin marketplace add <where you have it>, then: claude plugin install memory-keeper@memory-keeper',
  }
}

/** The host loads one of several: which one, and of which version, is left to chance. */
export function checkDuplicates(host: Host, { programs, version }: HealthWorld): Check {
  const name = 'one installation'
  const ours = host.installed.filter((one) => one.name === PLUGIN_NAME)
  const ids = [...new Set(ours.map(({ id }) => id))].filter((id) => host.settings.plugins.get(id) === true)
  if (ids.length > 1) {
    return {
      name,
      verdict: 'warning',
      finding: `installed from ${count(ids.length, 'marketplace')}: ${ids.join(', ')}; Claude Code loads only one of them`,
      fix: `keep one: claude plugin uninstall ${ids.at(-1)}`,
    }
  }
  const versions = [...new Set(ours.map((one) => one.version))]
  if (versions.length > 1) {
    const scopes = ours.map((one) => `${one.version} (${one.scope})`).join(', ')
    return {
      name,
      verdict: 'warning',
      finding: `installed in several scopes with different versions: ${scopes}`,
      fix: `claude plugin uninstall ${ours[0]?.id} --scope ${ours.at(-1)?.scope}, or update both: claude plugin update ${ours[0]?.id}`,
    }
  }
  const homes = [...ours.map((one) => one.path), ...host.marketplaces].filter((dir) => dir !== '').map(realPath)
  const isElsewhere = programs !== null && homes.length > 0 && !homes.some((dir) => isBelow(realPath(programs), dir))
  if (ours.length > 0 && isElsewhere && versions[0] !== version) {
    return {
      name,
      verdict: 'warning',
      finding: `this command is version ${version} in ${programs}, Claude Code uses ${versions[0]} in ${ours[0]?.path}`,
      fix: `use one of them: claude plugin update ${ours[0]?.id}, or start claude without --plugin-dir`,
    }
  }
  return { name, verdict: 'ok', finding: ours.length === 0 ? 'none through a marketplace' : 'yes' }
}

function isBelow(file: string, dir: string): boolean {
  return file === dir || file.startsWith(dir + path.sep)
}

export function checkConflicts({ settings }: Host): Check {
  const name = 'other memories'
  const enabled = [...settings.plugins].filter(([, isOn]) => isOn).map(([id]) => id)
  const others = enabled.flatMap((id) => {
    const plugin = id.replace(/@[^@]*$/, '')
    const what = Object.hasOwn(OTHER_MEMORIES, plugin) ? OTHER_MEMORIES[plugin] : undefined
    return what === undefined ? [] : [{ id, what }]
  })
  const [first] = others
  if (first === undefined) return { name, verdict: 'ok', finding: 'no other plugin remembers sessions' }
  return {
    name,
    verdict: 'warning',
    finding: `switched on at the same time: ${others.map(({ id, what }) => `${id} (${what})`).join('; ')}. Both work, but you pay for both with every session`,
    fix: `if one is enough: claude plugin disable ${first.id}; memory-keeper import --neighbours takes over what is understood`,
  }
}

/** Whether the status line in the host's settings is ours. */
export function isOurHookLine(command: string): boolean {
  return /\bstatusline\.cjs\b/.test(command) || /\b(?:memory-keeper|cli\.cjs)\b.*\bstatusline\b/.test(command)
}

/** A line that names a program which is gone leaves the user without one, silently. */
export function checkStatusline({ settings }: Host): Check {
  const name = 'status line'
  const command = settings.statusLine
  if (command === null) return { name, verdict: 'ok', finding: 'not used; memory-keeper init shows how' }
  if (!isOurHookLine(command)) return { name, verdict: 'ok', finding: 'yours, not ours' }
  const program =
    /"([^"]+(?:\.cjs|memory-keeper))"|'([^']+(?:\.cjs|memory-keeper))'|(\S+(?:\.cjs|\/memory-keeper))(?=\s|$)/.exec(
      command,
    )
  const file = program?.[1] ?? program?.[2] ?? program?.[3] ?? ''
  if (file === '' || !path.isAbsolute(file) || statOf(file) !== null)
    return { name, verdict: 'ok', finding: 'shows this memory' }
  return {
    name,
    verdict: 'warning',
    finding: `names ${file}, which is gone`,
    fix: 'memory-keeper init prints the line for your settings.json as it is now',
  }
}
