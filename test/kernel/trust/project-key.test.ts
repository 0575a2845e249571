/** By what all machines know a project. */
import { describe, expect, it } from 'vitest'
import { keyOfAddress, keyOfName, originIn } from '../../../src/kernel/trust/project-key.ts'

describe('the key of a project', () => {
  it.each([
    'git@github.com:Team/App.git',
    'github.com:team/app',
    'ssh://git@github.com/team/app.git',
    'ssh://git@github.com:22/team/app',
    'https://github.com/team/app/',
    'https://me:token@GitHub.com/team/app.git',
    'git://github.com/team/app.git',
  ])('is the same for %s', (address) => {
    expect(keyOfAddress(address)).toBe('github.com/team/app')
  })

  it.each([
    '',
    '/srv/git/app.git',
    '../app',
    'C:\\git\\app',
    'c:/git/app',
    'file:///srv/app.git',
    'https://github.com/',
    'a b:c',
  ])('is none for %j', (address) => {
    expect(keyOfAddress(address)).toBeNull()
  })

  it('is a name that no address can have', () => {
    expect(keyOfName(' Garden ')).toBe('name:garden')
    for (const bad of ['', 'a/b', 'a\\b', 'a\nb']) expect(keyOfName(bad)).toBeNull()
  })
})

describe('the origin in a config', () => {
  it('is the address of that remote and of no other', () => {
    const config =
      '[core]\n\tbare = false\n[remote "upstream"]\n\turl = x:y\n[remote "origin"]\n\turl = "git@h:a/b.git" ; c\n'

    expect(originIn(config)).toBe('git@h:a/b.git')
    expect(originIn('[remote "upstream"]\n\turl = x:y\n[branch "origin"]\n\turl = z\n')).toBeNull()
  })
})
