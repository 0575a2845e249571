/** Every setting changes something that somebody sees, and nothing breaks at both ends of what it allows. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { SETTINGS, type SettingName, type Value } from '../../../src/kernel/platform/config.ts'
import { runCommand } from '../../support/process.ts'
import { makeProject, sessionId, setAtHome, type TestProject } from '../../support/project.ts'
import type { SettingRow } from '../../support/setting-row.ts'
import { HOOK_ROWS } from '../../support/setting-rows-hooks.ts'
import { MEMORY_ROWS } from '../../support/setting-rows-memory.ts'
import { REACH_ROWS } from '../../support/setting-rows-reach.ts'
import { begin } from '../../support/world.ts'

const ROWS: Partial<Record<SettingName, SettingRow>> = { ...HOOK_ROWS, ...MEMORY_ROWS, ...REACH_ROWS }
const NAMES = Object.keys(SETTINGS) as SettingName[]

/** What hooks and finisher did not say: a failure is logged, and they go on. */
function logOf({ keeper }: TestProject): string {
  const file = path.join(keeper, 'logs', 'memory-keeper.log')
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
}

/** The least and the most that is allowed. */
function endsOf(name: SettingName): Value[] {
  const { kind } = SETTINGS[name]
  if (kind.is === 'whole') return [kind.min, kind.max]
  return kind.is === 'share' ? [0, 1] : []
}

it('every setting has a row, and every row its setting', () => {
  expect(Object.keys(ROWS).toSorted()).toEqual(NAMES.toSorted())
})

describe.each(NAMES)('%s', (name) => {
  const { seen, shows } = ROWS[name] ?? { seen: () => ({ text: '', project: makeProject() }), shows: [] }

  it('shows which value it has', async () => {
    const { kind } = SETTINGS[name]
    expect(shows.length).toBeGreaterThan(1)
    if (kind.is === 'choice') expect(shows.map(([value]) => value).toSorted()).toEqual(kind.of.toSorted())
    for (const [value] of shows) {
      const { text, project } = await seen(value)
      for (const [other, shown] of shows)
        expect([value, other, shown.test(text), text]).toEqual([value, other, other === value, text])
      expect(logOf(project)).toBe('')
    }
  })

  it.runIf(endsOf(name).length > 0).each(endsOf(name))('works with %s', async (value) => {
    const { project } = await seen(value)

    expect(logOf(project)).toBe('')
    expect(runCommand(project, ['config', 'get', name])).toMatchObject({ code: 0, out: `${value}\n`, err: '' })
    expect(runCommand(project, ['status']).code).toBe(0)
  })
})

it('a setting that is gone is named once, with what applies in its place', () => {
  const project = makeProject()
  setAtHome(project, { summarizer: 'extractive', deltaMaxTokens: 5_000 })
  const told = [1, 2].map((n) => begin(project, sessionId(n)).notice)

  expect(told[0]).toContain(
    'Memory Keeper: deltaMaxTokens in the home config (~/.claude/memory-keeper/config.json) is not a setting any more; 190,000 tokens apply. Remove it.',
  )
  expect(told[1]).not.toContain('deltaMaxTokens')
})
