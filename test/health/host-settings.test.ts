/** What the host's own files say about plugins and settings. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  joinSettings,
  parseInstalled,
  parseMarketplaces,
  parseSettings,
  settingName,
} from '../../src/health/host-settings.ts'

const INSTALLED = JSON.stringify({
  version: 2,
  plugins: {
    'memory-keeper@memory-keeper': [
      { scope: 'user', installPath: '/cache/a', version: '0.5.0' },
      { scope: 'project', projectPath: '/app', installPath: '/cache/b', version: '0.4.0' },
    ],
    'other@elsewhere': [{ scope: 'user', installPath: '/cache/c', version: 'unknown' }],
  },
})

describe("the host's list of plugins", () => {
  it('names each installation with its scope', () => {
    expect(parseInstalled(INSTALLED)).toEqual([
      {
        id: 'memory-keeper@memory-keeper',
        name: 'memory-keeper',
        scope: 'user',
        version: '0.5.0',
        path: '/cache/a',
        project: '',
      },
      {
        id: 'memory-keeper@memory-keeper',
        name: 'memory-keeper',
        scope: 'project',
        version: '0.4.0',
        path: '/cache/b',
        project: '/app',
      },
      { id: 'other@elsewhere', name: 'other', scope: 'user', version: 'unknown', path: '/cache/c', project: '' },
    ])
  })

  it('of another shape costs what it says, not the look', () => {
    expect(parseInstalled(null)).toEqual([])
    expect(parseInstalled('{"plugins": 7}')).toEqual([])
    expect(parseInstalled('{"plugins": {"a@b": {"scope": "user"}}}')).toMatchObject([{ id: 'a@b', scope: 'user' }])
    expect(parseMarketplaces('{"a": {"installLocation": "/x"}, "b": 3}')).toEqual(['/x'])
    expect(settingName('@scope/name@market')).toBe('@scope/name')
  })
})

describe("the host's settings", () => {
  it('join: the local ones count before the project, the project before the user', () => {
    const [user, project, local] = [
      { enabledPlugins: { 'a@m': true, 'b@m': true }, cleanupPeriodDays: 60, statusLine: { command: 'mine' } },
      { enabledPlugins: { 'b@m': false } },
      { enabledPlugins: { 'a@m': false }, cleanupPeriodDays: 14 },
    ].map((one) => parseSettings(JSON.stringify(one)))
    if (!user || !project || !local) throw new Error('not parsed')
    const all = joinSettings([user, project, local])

    expect([...all.plugins]).toEqual([
      ['a@m', false],
      ['b@m', false],
    ])
    expect(all).toMatchObject({ keptDays: 14, statusLine: 'mine' })
  })

  it('with a byte order mark are read, broken ones are known as such', () => {
    expect(parseSettings('\uFEFF{"cleanupPeriodDays": 5}')?.keptDays).toBe(5)
    expect(parseSettings('{"enabled')).toBeNull()
    expect(parseSettings('[]')).toBeNull()
  })

  it('may hold anything: reading never fails', () => {
    fc.assert(
      fc.property(fc.json(), fc.string(), (json, text) => {
        for (const given of [json, text, `{"plugins":${json},"enabledPlugins":${json},"statusLine":${json}}`]) {
          for (const one of parseInstalled(given)) expect(typeof one.version).toBe('string')
          const settings = parseSettings(given)
          if (settings !== null) expect(joinSettings([settings]).plugins.size).toBe(settings.plugins.size)
          expect(parseMarketplaces(given).every((dir) => dir !== '')).toBe(true)
        }
      }),
    )
  })
})
