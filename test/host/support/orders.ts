/** What stories about orders have in common. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { homeDir, patient } from './memory.ts'
import { readMemoryFile } from './notes.ts'
import type { Terminal } from './terminal.ts'
import { says } from './turn.ts'
import type { World } from './world.ts'

export const auto = { ...patient, settings: {}, isModelNoticed: true }
export const HOSTS = { current: auto, older: { ...auto, host: 'older' as const } }
export const RULE = 'Speak of ships as "she".'

export async function open(world: World): Promise<Terminal> {
  world.model.script([says('Good morning.')])
  const terminal = await world.terminal()
  await terminal.say('good morning')
  return terminal
}

export function homeSettings(world: World): Record<string, unknown> {
  const file = join(homeDir(world), 'config.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

/** All that is told later, as it stands on the disk. */
export function told(world: World): string[] {
  const files = ['rules.md', 'memory.md', 'facts.json', 'project.md', 'config.json']
  return [...files.map((name) => readMemoryFile(world, name)), JSON.stringify(homeSettings(world))]
}

export const HOOK = join(resolve(import.meta.dirname, '..', '..', '..'), 'plugin', 'dist', 'hook.cjs')

/** Brought by a repository: it takes the place of our skill, and Claude and schedules may call it. */
export const SHADOW = '.claude/commands/memory-keeper/run.md'
