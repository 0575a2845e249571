/** The signed list of a machine's files. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  folderOf,
  formatMachineId,
  formatSignedList,
  parseMachineId,
  parseSignedList,
  type SignedList,
} from '../../../src/extras/sync/manifest.ts'

const FOLDER = folderOf('example.com/team/app')
const MANIFEST: SignedList = {
  machine: '0123456789abcdef01234567',
  name: 'laptop',
  seq: 3,
  at: '2026-01-13T12:00:00.000Z',
  key: 'abc=',
  projects: { [FOLDER]: 'example.com/team/app' },
  files: { [`${FOLDER}/rows.jsonl`]: 'a'.repeat(64), [`${FOLDER}/forgotten.jsonl`]: 'b'.repeat(64) },
}

describe('a manifest', () => {
  it('comes out as it went in, in the same bytes whatever the order of its files', () => {
    const turned = { ...MANIFEST, files: Object.fromEntries(Object.entries(MANIFEST.files).reverse()) }

    expect(parseSignedList(formatSignedList(MANIFEST))).toEqual(MANIFEST)
    expect(formatSignedList(turned)).toBe(formatSignedList(MANIFEST))
  })

  it.each([
    { files: { '../x': 'a'.repeat(64) } },
    { files: { [`${FOLDER}/../x`]: 'a'.repeat(64) } },
    { files: { [`${FOLDER}/rules.md`]: 'a'.repeat(64) } },
    { files: { [`${FOLDER}/sessions/x.l1.jsonl`]: 'a'.repeat(64) } },
    { files: { '00000000000000/rows.jsonl': 'a'.repeat(64) } },
    { files: { [`${FOLDER}/rows.jsonl`]: 'short' } },
    { projects: { [FOLDER]: 'example.com/another' } },
    { machine: 'me' },
    { name: '../up' },
    { seq: 0 },
    { seq: 1.5 },
    { version: 2 },
  ])('is none with %j', (more) => {
    const text = JSON.stringify({ ...JSON.parse(formatSignedList(MANIFEST)), ...more })

    expect(parseSignedList(text)).toBeNull()
  })

  it('is none in any other text', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => parseSignedList(text) === null))
  })
})

describe('the id of a machine', () => {
  it('is read as it is shown, and only as a whole', () => {
    const { machine } = MANIFEST

    expect(formatMachineId(machine)).toBe('0123-4567-89ab-cdef-0123-4567')
    expect(parseMachineId(` ${formatMachineId(machine).toUpperCase()} `)).toBe(machine)
    expect(parseMachineId(machine.slice(0, 20))).toBeNull()
  })
})
