import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pathsBelow, replaceLocalDirs } from '../../../src/kernel/platform/local-path.ts'

const ON_WINDOWS = [
  { dir: 'C:\\Users\\Jane Doe', as: '~' },
  { dir: 'C:\\Users\\Jane Doe\\shop', as: '.', asParent: '' },
]
const ON_POSIX = [
  { dir: '/home/me', as: '~' },
  { dir: '/home/me/shop', as: '.', asParent: '' },
]
const windows = (text: string): string => replaceLocalDirs(text, ON_WINDOWS, 'win32')
const linux = (text: string): string => replaceLocalDirs(text, ON_POSIX, 'linux')

describe('a path of this machine in a text', () => {
  it.each([
    ['C:\\Users\\Jane Doe\\logs', '~\\logs'],
    ['C:/Users/Jane Doe/logs', '~/logs'],
    ['c:\\users\\JANE DOE\\logs', '~\\logs'],
    ['/c/Users/Jane Doe/logs', '~/logs'],
    ['/mnt/c/Users/Jane Doe/logs', '~/logs'],
    ['/cygdrive/c/Users/Jane Doe/logs', '~/logs'],
    ['file:///C:/Users/Jane%20Doe/logs', '~/logs'],
    ['file:///c%3A/Users/Jane%20Doe/logs', '~/logs'],
    ['{"p":"C:\\\\Users\\\\Jane Doe\\\\logs"}', '{"p":"~\\\\logs"}'],
    ['\\\\?\\C:\\Users\\Jane Doe\\logs', '~\\logs'],
    ['\\Users\\Jane Doe\\logs', '~\\logs'],
    ['it is in C:\\Users\\Jane Doe.', 'it is in ~.'],
    ['C:\\Users\\Jane Doe\\shop\\src\\a.ts', 'src\\a.ts'],
    ['C:/Users/Jane Doe/shop/src/a.ts:3', 'src/a.ts:3'],
    ['cd "C:\\Users\\Jane Doe\\shop" && npm test', 'cd "." && npm test'],
  ])('of Windows is found in %s', (text, told) => {
    expect(windows(text)).toBe(told)
  })

  it.each([
    'C:\\Users\\Jane Doe2\\logs',
    'C:\\Users\\Jane Doe-old',
    'D:\\data',
    'src/Users/Jane Doe/logs',
    'Users and Jane Doe',
  ])('is not seen in %s', (text) => {
    expect(windows(text)).toBe(text)
  })

  it.each([
    ['/home/me/shop/src/a.ts', 'src/a.ts'],
    ['file:///home/me/logs', '~/logs'],
    ['로그는 /home/me에 있다', '로그는 ~에 있다'],
    ['/home/Me/logs', '/home/Me/logs'],
    ['/home/me.old/x', '/home/me.old/x'],
    ['/srv/home/me/x', '/srv/home/me/x'],
    ['PATH=/home/me/bin:/home/me/shop/bin', 'PATH=~/bin:bin'],
  ])('of Linux: %s', (text, told) => {
    expect(linux(text)).toBe(told)
  })

  it('ignores case on macOS, and how a letter is composed', () => {
    const mac = [{ dir: '/Users/Ren\u00e9', as: '~' }]
    expect(replaceLocalDirs('/users/RENE\u0301/x', mac, 'darwin')).toBe('~/x')
  })

  it('is found below a directory in any spelling', () => {
    expect(pathsBelow(['C:\\Users\\Jane Doe\\shop'], 'linux')('c:/users/jane doe/shop/src\\a.ts')).toBe('src/a.ts')
    expect(pathsBelow(['/home/me/shop'], 'linux')('/home/me/shop')).toBe('')
    expect(pathsBelow(['/home/me/shop'], 'linux')('/home/me/shopping')).toBeNull()
    expect(pathsBelow(['/home/me/shop'], 'linux')('src/a.ts')).toBeNull()
    expect(pathsBelow(['/home/me', '/home/me/shop'], 'linux')('/home/me/shop/a.ts')).toBe('a.ts')
  })

  const word = fc.stringMatching(/^[a-z가-힣 ]{0,12}$/)
  const spelled = fc
    .tuple(fc.constantFrom('C:', 'c:', '/c', '/mnt/c', 'file:///C:'), fc.constantFrom('/', '\\', '\\\\'), fc.boolean())
    .map(([drive, slash, isUpper]) => {
      const names = ['Users', 'Jane Doe', 'logs'].map((name) => (isUpper ? name.toUpperCase() : name))
      return [drive, ...names].join(slash)
    })

  it('leaves no name of the user, whatever its spelling and the text around it, and changes nothing else', () => {
    fc.assert(
      fc.property(word, spelled, word, (before, path, after) => {
        const told = windows(`${before} ${path} ${after}`)
        expect(told.toLowerCase()).not.toContain('jane')
        expect(told.startsWith(`${before} ~`)).toBe(true)
        expect(told.endsWith(` ${after}`)).toBe(true)
        expect(windows(told)).toBe(told)
      }),
    )
  })

  it('changes no text without it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!text.toLowerCase().includes('jane'))
        expect(windows(text)).toBe(text)
      }),
    )
  })
})
