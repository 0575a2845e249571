/** Files that a person saved in another encoding: what can be read is read, and no byte of the rest is ever lost. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { changeByHand } from '../../../../src/core/edit/disk/by-hand.ts'
import { performForget } from '../../../../src/core/forget/disk/forget.ts'
import { scrubFiles, secretsInFiles } from '../../../../src/core/forget/disk/scrub.ts'
import { allFindings } from '../../../../src/core/health/disk/health.ts'
import { readMemory } from '../../../../src/core/notes/disk/memory.ts'
import { addOwnNote } from '../../../../src/core/notes/disk/notes.ts'
import { readPage } from '../../../../src/core/pages/disk/pages.ts'
import { ownRules } from '../../../../src/core/pages/disk/rules.ts'
import { takeNotices } from '../../../../src/doors/hooks/notices.ts'
import type { Store } from '../../../../src/kernel/memory/disk/store.ts'
import { notesIn } from '../../../../src/kernel/memory/note.ts'
import { redactorFor } from '../../../../src/kernel/redact/redact.ts'
import { locked } from '../../../support/notes.ts'
import { runCommand } from '../../../support/process.ts'
import { fastDir, NOW, quietProject, setAtHome, storeOf, type TestProject } from '../../../support/project.ts'

const WORDS = 'Grüße: die Tiefe steht in Metern.'
/** The same line of Korean in the code page of Korean Windows. */
const CP949 = Buffer.from([0xc7, 0xd7, 0xb1, 0xb8, 0x20, 0xbc, 0xf6, 0xbd, 0xc9])

type Encoding = 'utf-8 with a mark' | 'utf-16le' | 'utf-16be' | 'utf-16le without a mark'

const READABLE: Readonly<Record<Encoding, (text: string) => Buffer>> = {
  'utf-8 with a mark': (text) => Buffer.from(`\ufeff${text}`),
  'utf-16le': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'utf-16be': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  'utf-16le without a mark': (text) => Buffer.from(text, 'utf16le'),
}

const UNREADABLE: Readonly<Record<string, (text: string) => Buffer>> = {
  'latin-1': (text) => Buffer.from(text, 'latin1'),
  cp949: (text) => {
    const [before = '', after = ''] = text.split(WORDS)
    return Buffer.concat([Buffer.from(before), CP949, Buffer.from(after)])
  },
}

function furnished(): { project: TestProject; store: Store } {
  const project = quietProject({}, fastDir())
  const store = storeOf(project)
  locked(store, () => addOwnNote(store, 'The first note.', NOW))
  return { project, store }
}

function noteInto(project: TestProject, text: string): void {
  const store = storeOf(project)
  locked(store, () => addOwnNote(store, text, NOW))
}

const inMemory = ({ memory }: TestProject, name: string): string => path.join(memory, name)
const asideOf = (dir: string, name: string): string[] =>
  fs.readdirSync(dir).filter((one) => one.startsWith(`${name}.broken-`))

function append(project: TestProject, encode: (text: string) => Buffer): Buffer {
  const file = inMemory(project, 'memory.md')
  const bytes = encode(`${fs.readFileSync(file, 'utf8')}## Mine\n\n${WORDS}\n\n`)
  fs.writeFileSync(file, bytes)
  return bytes
}

describe.each(Object.entries(READABLE))('saved in %s', (_, encode) => {
  it('memory.md keeps its words and its notes', () => {
    const { project } = furnished()
    append(project, encode)
    noteInto(project, 'The second note.')

    const memory = fs.readFileSync(inMemory(project, 'memory.md'), 'utf8')
    expect(memory).toContain(WORDS)
    expect(notesIn(memory).map(({ text }) => text)).toEqual([
      expect.stringContaining('The first note.'),
      'The second note.',
    ])
    expect(asideOf(project.memory, 'memory.md')).toEqual([])
  })

  it('rules, pages and settings count', () => {
    const { project, store } = furnished()
    fs.writeFileSync(inMemory(project, 'rules.md'), encode(`- ${WORDS}\n`))
    fs.writeFileSync(inMemory(project, 'project.md'), encode(`# Project\n\n${WORDS}\n`))
    fs.writeFileSync(inMemory(project, 'config.json'), encode('{"saveInterval": 77}'))

    expect(ownRules(store)).toEqual([WORDS])
    expect(readPage(store, 'project')?.text).toBe(`# Project\n\n${WORDS}\n`)
    expect(storeOf(project).config.saveInterval).toBe(77)
    changeByHand(store, { do: 'add-rule', text: 'Measure twice.' }, { by: 'user', now: NOW })
    expect(ownRules(storeOf(project))).toEqual([WORDS, 'Measure twice.'])
  })
})

describe.each(Object.entries(UNREADABLE))('saved in %s', (_, encode) => {
  it('memory.md is kept byte for byte before the next note, once, and the next start says so', () => {
    const { project } = furnished()
    const bytes = append(project, encode)
    noteInto(project, 'The second note.')
    noteInto(project, 'The third note.')

    const [aside = '', ...more] = asideOf(project.memory, 'memory.md')
    expect(fs.readFileSync(inMemory(project, aside)).equals(bytes)).toBe(true)
    expect(more).toEqual([])
    expect(notesIn(readMemory(storeOf(project)))).toHaveLength(3)
    const told = takeNotices(storeOf(project), { restored: null, isAttended: true, now: NOW }).join('\n')
    expect(told).toContain(aside)
    expect(takeNotices(storeOf(project), { restored: null, isAttended: true, now: NOW })).toEqual([])
  })

  it('rules.md is not changed at all', () => {
    const { project, store } = furnished()
    const bytes = encode(`- ${WORDS}\n`)
    fs.writeFileSync(inMemory(project, 'rules.md'), bytes)
    const add = () => changeByHand(store, { do: 'add-rule', text: 'Measure twice.' }, { by: 'user', now: NOW })
    expect(add).toThrow(expect.objectContaining({ code: 'not-text' }))
    expect(fs.readFileSync(inMemory(project, 'rules.md')).equals(bytes)).toBe(true)
  })

  it('pages and settings are kept byte for byte before they change', () => {
    const { project } = furnished()
    const files = {
      'project.md': encode(`# Project\n\n${WORDS}\n`),
      'config.json': encode(`{"saveInterval": 77, "timezone": "UTC", "note": "${WORDS}"}`),
    }
    for (const [name, bytes] of Object.entries(files)) fs.writeFileSync(inMemory(project, name), bytes)
    const hand = { by: 'user', now: NOW } as const
    changeByHand(storeOf(project), { do: 'set-page', name: 'project', text: 'More.', how: 'append' }, hand)
    expect(runCommand(project, ['config', 'set', 'saveInterval', '78']).code).toBe(0)

    for (const [name, bytes] of Object.entries(files))
      expect([name, asideOf(project.memory, name).map((one) => fs.readFileSync(inMemory(project, one)))]).toEqual([
        name,
        [bytes],
      ])
  })

  it('doctor names the file before anything is written', () => {
    const { project } = furnished()
    append(project, encode)
    const found = allFindings(storeOf(project), { now: NOW, nodeVersion: '22.0.0' })
    expect(found.find(({ name }) => name === 'readable')).toMatchObject({
      verdict: 'problem',
      finding: expect.stringContaining('memory.md'),
    })
  })
})

it('a file that was set aside loses forgotten lines, and no other byte', () => {
  const { project } = furnished()
  const file = inMemory(project, 'memory.md')
  const line = Buffer.from('The nightjar sings.\n')
  const rest = Buffer.concat([Buffer.from('## Mine\n\n'), CP949, Buffer.from('\n')])
  fs.writeFileSync(file, Buffer.concat([fs.readFileSync(file), rest, line]))
  const { left } = performForget(storeOf(project), { what: { is: 'query', query: 'nightjar' } }, NOW)

  const all = fs.readdirSync(project.memory).map((name) => inMemory(project, name))
  const texts = all.filter((one) => fs.statSync(one).isFile()).map((one) => fs.readFileSync(one))
  expect(texts.some((bytes) => bytes.includes('nightjar'))).toBe(false)
  expect(texts.some((bytes) => bytes.includes(CP949))).toBe(true)
  expect(left.join()).toContain('memory.md.broken-')
})

it('scrub takes a secret out of a file that was set aside, and keeps every other byte', () => {
  const { project, store } = furnished()
  setAtHome(project, {})
  const file = inMemory(project, 'memory.md')
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
  fs.appendFileSync(file, Buffer.concat([CP949, Buffer.from(`\ntoken ${secret}\n`)]))
  const redact = redactorFor(store.config)
  const files = secretsInFiles(store, redact).map((one) => one.file)
  locked(store, () => scrubFiles(store, files, redact))

  const bytes = fs.readFileSync(file)
  expect(bytes.includes(secret)).toBe(false)
  expect(bytes.includes(CP949)).toBe(true)
  expect(asideOf(project.memory, 'memory.md')).toEqual([])
})
