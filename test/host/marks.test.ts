/** The marks of authorship in the pinned host's own program: a new one must be looked at before it is met in a transcript. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { COMMAND_MODES, NOT_TYPED, ORIGIN_KINDS, SUBKINDS, TURN_ORIGINS } from '../support/origins.ts'
import { findHost } from './support/hosts.ts'

const program = readFileSync(findHost('current')).toString('latin1')

/** The program is minified: names change with every build, keys and values do not. */
function found(pattern: RegExp): string {
  return pattern.exec(program)?.[0] ?? ''
}

function quoted(text: string): string[] {
  return [...new Set([...text.matchAll(/"([a-z_-]+)"/g)].map((match) => match[1] ?? ''))].toSorted()
}

it('the parser knows every kind of origin that the host switches over', () => {
  const table = found(/\{(?:"?[a-z-]+"?:!0,){4,}"?[a-z-]+"?:!0\};function \w+\(\w+\)\{let \w+=\w+\?\.kind/)
  const kinds = [...table.matchAll(/[{,]"?([a-z-]+)"?:!0/g)].map((match) => match[1] ?? '')

  expect(kinds.toSorted()).toEqual([...ORIGIN_KINDS].toSorted())
})

it('the parser knows every subkind of a notification', () => {
  const schema = found(/"task-notification"\),subkind:\w+\(\[[^\]]*\]/)

  expect(quoted(schema.slice(schema.indexOf('[')))).toEqual([...SUBKINDS].toSorted())
})

it('the parser knows every mode of a queued command', () => {
  const guard = found(/return (\w)==="prompt"\|\|\1==="bash"&&\w===!0(?:\|\|\1==="[a-z-]+")+/)

  expect(quoted(guard)).toEqual([...COMMAND_MODES].toSorted())
})

it('the parser knows every origin of a turn', () => {
  const from = program.search(/\{if\(\w+!==void 0\)return"scheduled";/)
  const to = program.indexOf('return"unknown"}', from)
  const initiators = found(/case"scheduled-task":return"scheduled";[^}]*/)
  const returned = [...`${program.slice(from, to + 16)}${initiators}`.matchAll(/return\s*(?:\w+\?\?)?"([a-z_]+)"/g)]

  expect([...new Set(returned.map((match) => match[1]))].toSorted()).toEqual([...TURN_ORIGINS].toSorted())
})

it('the parser knows every mark of the host for what nobody typed', () => {
  const strict = found(/function \w+\((\w)\)\{return \1\.isMeta===!0(?:\|\|\1\.\w+===!0){3,}\}/)
  const marks = [...strict.matchAll(/\.(\w+)===!0/g)].map((match) => match[1] ?? '').filter((mark) => mark !== 'isMeta')

  expect(marks.length).toBeGreaterThan(3)
  expect(marks.filter((mark) => !(mark in NOT_TYPED))).toEqual([])
  for (const mark of Object.keys(NOT_TYPED)) expect(program).toContain(`${mark}`)
})
