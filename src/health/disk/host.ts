/** The host's own files about plugins and settings, read and never written. */
import path from 'node:path'
import { readBelow, readText } from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import {
  type HostSettings,
  type InstalledPlugin,
  joinSettings,
  parseInstalled,
  parseMarketplaces,
  parseSettings,
} from '../host-settings.ts'

export interface Host {
  /** Those that count for this project. */
  installed: InstalledPlugin[]
  /** Directories that plugins are read from in place. */
  marketplaces: string[]
  settings: HostSettings
  /** Settings that are there and no valid JSON. */
  broken: string[]
}

/** What the host calls this plugin. */
export const PLUGIN_NAME = 'memory-keeper'

const SETTINGS = 'settings.json'
/** From the weaker to the stronger. */
const PROJECT_SETTINGS = ['.claude/settings.json', '.claude/settings.local.json']
const MOST_BYTES = 4 * 1024 * 1024

export function readHost({ hostDir, project }: Places): Host {
  const plugins = path.join(hostDir, 'plugins')
  const read = [
    { file: path.join(hostDir, SETTINGS), text: readText(path.join(hostDir, SETTINGS)) },
    ...PROJECT_SETTINGS.map((name) => ({
      file: path.join(project.root, ...name.split('/')),
      text: readBelow(project.root, name, MOST_BYTES),
    })),
  ]
  const parsed = read.map(({ file, text }) => ({ file, text, settings: text === null ? null : parseSettings(text) }))
  return {
    installed: parseInstalled(readText(path.join(plugins, 'installed_plugins.json'))).filter(
      (one) => one.project === '' || one.project === project.root,
    ),
    marketplaces: parseMarketplaces(readText(path.join(plugins, 'known_marketplaces.json'))),
    settings: joinSettings(parsed.flatMap(({ settings }) => settings ?? [])),
    broken: parsed.filter(({ text, settings }) => text !== null && settings === null).map(({ file }) => file),
  }
}
