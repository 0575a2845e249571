import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  fileSystemForm,
  hostDirMatcher,
  hostSlug,
  id8OfFile,
  LOCAL_FILES,
  sessionFile,
} from '../../../src/kernel/platform/layout.ts'

it('the name of a session file gives its start and its id8', () => {
  expect(sessionFile('2026-03-01T10:00:09.000Z', '9dd861b1')).toBe('20260301_100009_9dd861b1.l1.jsonl')
  fc.assert(
    fc.property(
      fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
      fc.stringMatching(/^[0-9a-z]{8}$/),
      (date, id8) => {
        expect(id8OfFile(sessionFile(date.toISOString(), id8))).toBe(id8)
      },
    ),
  )
})

it('the names of other files have no id8', () => {
  const others = [
    'memory.md',
    '20260301_100009_9dd861b1.md',
    '20260301_100009_9dd861b1.l1.jsonl.gz',
    'x20260301_100009_9dd861b1.l1.jsonl',
    '20260301_100009_9DD861B1.l1.jsonl',
    '',
  ]
  expect(others.map(id8OfFile)).toEqual(others.map(() => null))
})

it('hostSlug names a project’s directory as the host does', () => {
  expect(hostSlug('/home/ada/my.project_2')).toBe('-home-ada-my-project-2')
  expect(hostSlug('C:\\Users\\ada')).toBe('C--Users-ada')
  expect(hostSlug('/tmp/한글')).toBe('-tmp---')
})

it('hostSlug cuts a name above 200 characters and adds a hash of the path, as the host does', () => {
  // Both names were given by Claude Code 2.1.325.
  const long = `/tmp/mk-world-tLgsaq/${'x'.repeat(100)}/${'é한y'.repeat(30)}/deeper`
  const cut = `-tmp-mk-world-tLgsaq-${'x'.repeat(100)}-${'--y'.repeat(26)}`
  expect(cut).toHaveLength(200)
  expect(hostSlug(long)).toBe(`${cut}-4l4e29`)
  expect(hostSlug(`${long}/sub`)).toBe(`${cut}-586p2a`)
  expect(hostSlug(`/${'x'.repeat(199)}`)).toHaveLength(200)
})

it('hostDirMatcher matches the directories of a project and of what is below it, cut or not', () => {
  const isOne = hostDirMatcher(['/home/ada/app', '/srv/tree'], 'linux')
  const names = ['-home-ada-app', '-home-ada-app-src', '-srv-tree', '-srv-tree-a-b']
  expect(names.map(isOne)).toEqual([true, true, true, true])
  expect(['-home-ada-apple', '-home-ada', '-Home-Ada-App', '-srv'].map(isOne)).toEqual([false, false, false, false])

  fc.assert(
    fc.property(fc.integer({ min: 150, max: 260 }), fc.integer({ min: 1, max: 80 }), (length, below) => {
      const root = `/${'r'.repeat(length)}`
      const isBelow = hostDirMatcher([root], 'linux')
      expect([root, `${root}/${'d'.repeat(below)}`].map((dir) => isBelow(hostSlug(dir)))).toEqual([true, true])
    }),
  )
})

it('fileSystemForm compares names as the file system of each platform does', () => {
  const [composed, decomposed] = ['/Users/Ada/Caf\u00e9', '/users/ada/Cafe\u0301']
  const same = (platform: NodeJS.Platform): boolean =>
    fileSystemForm(composed, platform) === fileSystemForm(decomposed, platform)
  expect([same('darwin'), same('win32'), same('linux')]).toEqual([true, false, false])
  expect(fileSystemForm('C:\\Users\\Ada', 'win32')).toBe(fileSystemForm('c:\\users\\ada', 'win32'))
  expect(fileSystemForm('/A', 'linux')).not.toBe(fileSystemForm('/a', 'linux'))

  const finds = (dir: string, named: string, platform: NodeJS.Platform): boolean =>
    hostDirMatcher([dir], platform)(hostSlug(named))
  expect(finds(composed, decomposed, 'darwin')).toBe(true)
  expect(finds(decomposed, composed, 'darwin')).toBe(true)
  expect(finds(composed, decomposed, 'linux')).toBe(false)
  expect(finds('C:\\Work\\App', 'c:\\work\\app', 'win32')).toBe(true)
  expect(finds(`C:\\${'x'.repeat(250)}`, `c:\\${'x'.repeat(250)}\\src`, 'win32')).toBe(true)
})

it('LOCAL_FILES names the files that stay on this machine', () => {
  expect(LOCAL_FILES).toEqual(['.owner', '.lock', 'delta_temp.txt', 'shared', '.kept', '.meanwhile'])
})
