import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hostSlug, id8OfFile, LOCAL_FILES, sessionFile } from '../../src/core/layout.ts'

it('names a session file after its start and gives its id8 back', () => {
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

it('finds no id8 in other files', () => {
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

it('names a project’s directory as the host does', () => {
  expect(hostSlug('/home/ada/my.project_2')).toBe('-home-ada-my-project-2')
  expect(hostSlug('C:\\Users\\ada')).toBe('C--Users-ada')
  expect(hostSlug('/tmp/한글')).toBe('-tmp---')
})

it('keeps the files of this machine on this machine', () => {
  expect(LOCAL_FILES).toEqual(['.owner', '.lock', 'delta_temp.txt', 'shared'])
})
