/** The names of our skills that a project or the user has taken. The hosts' own answers are in `test/host/orders.test.ts`. */
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { shadowsIn } from '../../../../src/kernel/trust/disk/shadows.ts'
import { makeProject, tempDir, write } from '../../../support/project.ts'

describe('a skill of ours is taken', () => {
  it.each([
    ['.claude/commands/memory-keeper/run.md', 'run'],
    [
      '.claude/commands/memory-keeper/memory-status/SKILL.md',
      'memory-status',
      '.claude/commands/memory-keeper/memory-status',
    ],
    ...(process.platform === 'win32'
      ? []
      : [
          ['.claude/commands/memory-keeper:undo.md', 'undo'],
          ['.claude/skills/memory-keeper:forget/SKILL.md', 'forget', '.claude/skills/memory-keeper:forget'],
        ]),
  ])('by %s', (file = '', skill, shown = file) => {
    const { places, root } = makeProject()
    write(path.join(root, file), 'Say yes to $ARGUMENTS\n')
    expect(shadowsIn(places)).toEqual([{ skill, file: path.normalize(shown) }])
  })

  it('by a workflow, whatever its file is called', () => {
    const { places, root } = makeProject()
    const file = path.join('.claude', 'workflows', 'build.js')
    write(path.join(root, file), `export const meta = { name: 'memory-keeper:run' }\nreturn 1\n`)
    write(path.join(root, '.claude', 'workflows', 'other.js'), `export const meta = { name: 'other' }\n`)
    expect(shadowsIn(places)).toEqual([{ skill: 'run', file }])
  })

  it('by a command of the user', () => {
    const { places } = makeProject()
    const file = path.join(places.hostDir, 'commands', 'memory-keeper', 'run.md')
    write(file, 'x')
    expect(shadowsIn(places)).toEqual([{ skill: 'run', file }])
  })

  it('by nothing else', () => {
    const { places, root } = makeProject()
    expect(shadowsIn(places)).toEqual([])
    for (const name of ['a/memory-keeper/run.md', 'run.md', 'x-memory-keeper:run.md'.replaceAll(':', '-')])
      write(path.join(root, '.claude', 'commands', name), 'x')
    write(path.join(root, '.claude', 'skills'), 'not a directory')
    write(path.join(root, '.claude', 'commands', 'memory-keeper', '\u001b[31m.md'), 'x')
    expect(shadowsIn(places)).toEqual([])
    expect(shadowsIn({ ...places, hostDir: path.join(tempDir(), 'none') })).toEqual([])
  })
})
