/** The documents tell the truth: every command, setting and file is described, and what is generated is fresh. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../src/doors/cli/commands.ts'
import * as layout from '../src/kernel/platform/layout.ts'
import { renderCommands, renderSettings } from './support/reference.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const read = (name: string): string => readFileSync(path.join(ROOT, name), 'utf8')

describe('documents', () => {
  it.each([
    ['docs/CLI.md', renderCommands],
    ['docs/CONFIG.md', renderSettings],
  ])('%s is what the code says', (name, render) => {
    if (process.env.UPDATE_DOCS === '1') writeFileSync(path.join(ROOT, name), render())
    expect(read(name)).toBe(render())
  })

  const told = COMMANDS.filter(({ isHidden }) => !isHidden)

  it.each(told.map((command) => command.usage.split(' ')[0] ?? ''))('README names the command %s', (name) => {
    expect(read('README.md')).toMatch(new RegExp(`\\b${name}\\b`))
  })

  it.each(readdirSync(path.join(ROOT, 'plugin', 'skills')))('README names the skill %s', (name) => {
    expect(read('README.md')).toMatch(new RegExp(`[\`:]${name}\\b`))
  })

  it.each(
    Object.entries(layout).filter(([name, value]) => /_(?:FILE|DIR|LOCK)$/.test(name) && typeof value === 'string'),
  )('FILES.md describes %s', (_, name) => {
    expect(read('docs/FILES.md')).toContain(name as string)
  })

  it('names no path of a machine and no host of a registry', () => {
    const docs = readdirSync(path.join(ROOT, 'docs')).filter((name) => name.endsWith('.md'))
    const documents = [
      'README.md',
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      'CHANGELOG.md',
      'bench/README.md',
      ...docs.map((name) => `docs/${name}`),
    ]
    for (const name of documents) expect(read(name), name).not.toMatch(/\/work\/|\/root\/|registry\.npmjs|deb\.debian/)
  })
})
