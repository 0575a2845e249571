import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isHomeOnly,
  isSettingName,
  parseSetting,
  readConfig,
  SETTINGS,
  type SettingName,
  type Value,
} from '../../../src/kernel/platform/config.ts'

const NAMES = Object.keys(SETTINGS) as SettingName[]
const DEFAULTS = Object.fromEntries(NAMES.map((name) => [name, SETTINGS[name].value]))
const FREE = NAMES.filter((name) => !isHomeOnly(name))
const HOME_ONLY: SettingName[] = [
  'summarizer',
  'storage',
  'redaction',
  'redactPatterns',
  'modelCallsPerDay',
  'modelTokensPerDay',
  'embedder',
  'embedderModel',
  'syncSessions',
]

type Kind = (typeof SETTINGS)['saveInterval']['kind']

function right(name: SettingName): fc.Arbitrary<Value> {
  const kind = SETTINGS[name].kind as Kind
  switch (kind.is) {
    case 'whole':
      return fc.integer({ min: kind.min, max: kind.max })
    case 'share':
      return fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0)
    case 'switch':
      return fc.boolean()
    case 'choice':
      return fc.constantFrom(...kind.of)
    case 'timezone':
      return fc.constantFrom('', 'UTC', ...Intl.supportedValuesOf('timeZone'))
    case 'texts':
      return fc.array(fc.string())
    case 'text':
      return fc.string({ maxLength: kind.max })
    case 'place':
      return fc.constantFrom('', 'https://models.example/v1', 'http://127.0.0.1:11434/v1')
  }
}

function wrong(name: SettingName): fc.Arbitrary<unknown> {
  const kind = SETTINGS[name].kind as Kind
  const odd = fc.constantFrom<unknown>(null, {}, [5], { a: 1 })
  switch (kind.is) {
    case 'whole':
      return fc.oneof(
        odd,
        fc.constantFrom<unknown>(kind.min - 1, kind.max + 1, kind.min + 0.5, String(kind.min), true, [], ''),
      )
    case 'share':
      return fc.oneof(odd, fc.constantFrom<unknown>(-0.01, 1.01, '0.5', false, []))
    case 'switch':
      return fc.oneof(odd, fc.constantFrom<unknown>(0, 1, 'true', 'on', []))
    case 'choice':
      return fc.oneof(odd, fc.constantFrom<unknown>('', 'AUTO', 'none', 1, true, [...kind.of]))
    case 'timezone':
      return fc.oneof(odd, fc.constantFrom<unknown>(1, true, [], ' ', 'Mars/Olympus', 'Europe/', '../etc', 'GMT+25'))
    case 'texts':
      return fc.oneof(odd, fc.constantFrom<unknown>('a', 1, ['a', 5]))
    case 'text':
      return fc.oneof(odd, fc.constantFrom<unknown>(1, true, 'x'.repeat(kind.max + 1)))
    case 'place':
      return fc.oneof(
        odd,
        fc.constantFrom<unknown>(
          1,
          true,
          '/opt/models/potion',
          'models/potion',
          'http://models.example/v1',
          'ftp://x/y',
        ),
      )
  }
}

const file = (settings: object): string => JSON.stringify(settings)
const of = <T>(
  make: (name: SettingName) => fc.Arbitrary<T>,
  names: readonly SettingName[],
): fc.Arbitrary<[SettingName, T]> => fc.constantFrom(...names).chain((name) => fc.tuple(fc.constant(name), make(name)))
/** `-0` becomes `0` in a file. */
const written = (value: Value): Value => JSON.parse(JSON.stringify(value)) as Value

describe('the settings in use', () => {
  it('are the defaults without files', () => {
    expect(readConfig(null, null)).toEqual({ config: DEFAULTS, warnings: [] })
    expect(readConfig('{}', '{}')).toEqual({ config: DEFAULTS, warnings: [] })
  })

  it('have the defaults of the design', () => {
    expect(DEFAULTS).toMatchObject({
      saveInterval: 25,
      summarizer: 'auto',
      toolOutputChars: 300,
      storage: 'project',
      redaction: true,
      briefingChars: 6000,
      modelCallsPerDay: 50,
      modelTokensPerDay: 400_000,
    })
  })

  it('are every right value from home, without a word', () => {
    fc.assert(
      fc.property(of(right, NAMES), ([name, value]) => {
        const read = readConfig(file({ [name]: value }), null)
        expect(read).toEqual({ config: { ...DEFAULTS, [name]: written(value) }, warnings: [] })
      }),
      { numRuns: 300 },
    )
  })

  it('are every right value of the project over that of home', () => {
    const both = fc.constantFrom(...FREE).chain((name) => fc.tuple(fc.constant(name), right(name), right(name)))
    fc.assert(
      fc.property(both, ([name, home, project]) => {
        const read = readConfig(file({ [name]: home }), file({ [name]: project }))
        expect([read.config[name], read.warnings]).toEqual([written(project), []])
      }),
    )
  })

  it('never are a wrong value: it is warned about by name and the default used', () => {
    fc.assert(
      fc.property(of(wrong, NAMES), fc.boolean(), ([name, value], atHome) => {
        const text = file({ [name]: value, quietStop: name === 'quietStop' ? value : false })
        const { config, warnings } = atHome ? readConfig(text, null) : readConfig(null, text)
        expect(config).toEqual({ ...DEFAULTS, ...(name === 'quietStop' ? {} : { quietStop: false }) })
        expect(warnings).toHaveLength(1)
        expect(warnings[0]).toContain(`${name} in `)
      }),
      { numRuns: 300 },
    )
  })

  it('are told apart from unknown ones, whatever their name', () => {
    const unknown = fc.oneof(
      fc.string(),
      fc.constantFrom('toString', 'constructor', '__proto__', 'hasOwnProperty', 'saveinterval'),
    )
    fc.assert(
      fc.property(
        unknown.filter(
          (key) =>
            !isSettingName(key) &&
            !['version', 'summaryMaxLength', 'deltaMaxTokens'].includes(key) &&
            !key.startsWith('$'),
        ),
        (key) => {
          const { config, warnings } = readConfig(`{${JSON.stringify(key)}:1,"saveInterval":9}`, null)
          expect(config).toEqual({ ...DEFAULTS, saveInterval: 9 })
          expect(warnings).toHaveLength(1)
        },
      ),
    )
    expect(readConfig('{"$schema":"x","version":1}', null).warnings).toEqual([])
  })

  it('understand the name of an earlier version and a byte order mark', () => {
    expect(readConfig('\ufeff{"summaryMaxLength":700}', null)).toMatchObject({
      config: { summaryMaxTokens: 700 },
      warnings: [],
    })
  })

  it('that are gone are said to be gone, with what applies in their place', () => {
    const said = (where: string): string =>
      `deltaMaxTokens in ${where} is not a setting any more; 190,000 tokens apply. Remove it`
    expect(readConfig('{"deltaMaxTokens":5000}', '{"deltaMaxTokens":9000,"saveInterval":9}')).toEqual({
      config: { ...DEFAULTS, saveInterval: 9 },
      warnings: [said('the home config (~/.claude/memory-keeper/config.json)'), said("the project's config.json")],
    })
    expect(parseSetting('deltaMaxTokens', '5')).toEqual({
      error: 'deltaMaxTokens is not a setting any more; 190,000 tokens apply',
    })
  })

  it('survive a file that is not a JSON object, and no model is called until it is mended', () => {
    for (const broken of ['', '{', '[]', 'null', '"x"', '5']) {
      const config = { ...DEFAULTS, summarizer: 'extractive' }
      expect(readConfig(broken, null)).toMatchObject({ config, warnings: [expect.any(String)] })
      expect(readConfig('{"saveInterval":3,"summarizer":"headless"}', broken)).toMatchObject({
        config: { saveInterval: 3, summarizer: 'extractive' },
        warnings: [expect.any(String)],
      })
    }
    fc.assert(
      fc.property(fc.json(), fc.json(), (home, project) => {
        expect(Object.keys(readConfig(home, project).config)).toEqual(NAMES)
      }),
    )
  })
})

describe('what is set at home only', () => {
  it('is what touches secrets, money and the place of memory', () => {
    expect(NAMES.filter(isHomeOnly).sort()).toEqual([...HOME_ONLY].sort())
  })

  it('is never made looser by a project', () => {
    const values = fc.record(Object.fromEntries(HOME_ONLY.map((name) => [name, right(name)])))
    fc.assert(
      fc.property(values, values, (home, project) => {
        const { config } = readConfig(file(home), file(project))
        expect(config.storage).toBe(home.storage)
        expect(config.syncSessions).toBe(home.syncSessions === true && project.syncSessions === true)
        expect(config.redaction).toBe(home.redaction === true || project.redaction === true)
        expect(config.summarizer).toBe(project.summarizer === 'extractive' ? 'extractive' : home.summarizer)
        for (const cap of ['modelCallsPerDay', 'modelTokensPerDay'] as const)
          expect(config[cap]).toBe(Math.min(Number(home[cap]), Number(project[cap])))
        expect(new Set(config.redactPatterns as string[])).toEqual(
          new Set([...(home.redactPatterns as string[]), ...(project.redactPatterns as string[])]),
        )
      }),
    )
  })

  it.each([
    ['storage', 'project', 'home'],
    ['redaction', true, false],
    ['summarizer', 'extractive', 'headless'],
    ['modelCallsPerDay', 5, 500],
  ])('is warned about when a project asks for more: %s', (name, home, project) => {
    const { config, warnings } = readConfig(file({ [name]: home }), file({ [name]: project }))
    expect(config[name as SettingName]).toBe(home)
    expect(warnings).toEqual([expect.stringContaining(name)])
  })

  it.each([
    ['redaction', false, true],
    ['summarizer', 'headless', 'extractive'],
    ['modelTokensPerDay', 500, 0],
    ['redactPatterns', ['a'], ['b']],
    ['storage', 'home', 'home'],
  ])('is not warned about when a project asks for less, or for the same: %s', (name, home, project) => {
    expect(readConfig(file({ [name]: home }), file({ [name]: project })).warnings).toEqual([])
  })
})

describe('a setting as a person types it', () => {
  it.each<[SettingName, string, Value]>([
    ['saveInterval', '10', 10],
    ['quietStop', 'off', false],
    ['quietStop', 'YES', true],
    ['conceptSimilarity', '0.5', 0.5],
    ['enforcement', 'block', 'block'],
    ['redactPatterns', '["a","b"]', ['a', 'b']],
    ['redactPatterns', 'acme-\\d+', ['acme-\\d+']],
    ['redactPatterns', '', []],
    ['timezone', 'Asia/Seoul', 'Asia/Seoul'],
    ['timezone', '', ''],
  ])('%s %j', (name, text, value) => {
    expect(parseSetting(name, text)).toEqual({ value })
  })

  it.each([
    ['saveInterval', '0'],
    ['saveInterval', ''],
    ['saveInterval', '1.5'],
    ['saveInterval', 'many'],
    ['quietStop', 'maybe'],
    ['enforcement', 'hard'],
    ['redactPatterns', '[5]'],
    ['timezone', 'Nowhere/City'],
    ['nothing', '1'],
    ['toString', '1'],
  ])('is refused with a word about what is right: %s %j', (name, text) => {
    expect(parseSetting(name, text)).toEqual({ error: expect.stringContaining(name) })
  })
})
