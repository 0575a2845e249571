/** Only plain files are read, and only up to a limit: whatever else stands in their place is refused and noted. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  copyFile,
  disk,
  openToRead,
  readBelow,
  readOwnText,
  readPart,
  readPrivate,
  readText,
  refused,
} from '../../../../src/kernel/platform/disk/files.ts'
import { withLock } from '../../../../src/kernel/platform/disk/lock.ts'
import { logRefused } from '../../../../src/kernel/platform/disk/log.ts'
import { now, tempDir, write } from '../../../support/project.ts'
import { hideFiles } from '../../../support/unreadable.ts'

const LIMIT = 1000

beforeEach(() => {
  refused.files.clear()
  refused.note = null
})

function place(): { dir: string; file: string } {
  const dir = tempDir()
  return { dir, file: path.join(dir, 'file') }
}

const ODD: Record<string, (file: string) => void> = {
  'a pipe': (file) => void execFileSync('mkfifo', [file]),
  'a directory': (file) => fs.mkdirSync(file),
  'a link to a device': (file) => fs.symlinkSync('/dev/zero', file),
  'a link to itself': (file) => fs.symlinkSync(path.basename(file), file),
}

describe.skipIf(process.platform === 'win32')('in the place of a file', () => {
  it.each(Object.keys(ODD))('%s is not read, and noted', (odd) => {
    const { dir, file } = place()
    ODD[odd]?.(file)

    expect(readOwnText(file)).toBeNull()
    expect(readPart(file, 0, LIMIT)).toBeNull()
    expect(readBelow(dir, 'file', LIMIT)).toBeNull()
    expect(readPrivate(file)).toBeNull()
    expect(openToRead(file)).toBeNull()
    // Where links are followed, neither.
    expect(readText(file)).toBeNull()
    expect(copyFile(file, path.join(dir, 'copy'))).toBe(false)
    expect(fs.existsSync(path.join(dir, 'copy'))).toBe(false)
    expect([...refused.files]).toEqual([file])
  })

  it('a link to a plain file is followed only where the place is the user’s own', () => {
    const { dir, file } = place()
    write(path.join(dir, 'target'), 'text')
    fs.symlinkSync('target', file)

    expect(readText(file)).toBe('text')
    expect(readOwnText(file)).toBeNull()
    expect(readPart(file, 0, LIMIT)).toBeNull()
    expect(readBelow(dir, 'file', LIMIT)).toBeNull()
    expect(openToRead(file)).toBeNull()
  })

  it.skipIf(!fs.existsSync('/proc/self/environ'))('a link into /proc gives nothing', () => {
    const { file } = place()
    fs.symlinkSync('/proc/self/environ', file)

    expect(readText(file)).toBe('')
    expect(readOwnText(file)).toBeNull()
  })

  it.each(['a pipe', 'a link to a device'])('%s is replaced when a line is appended', (odd) => {
    const { file } = place()
    ODD[odd]?.(file)
    disk.append(file, 'one\n')
    disk.append(file, 'two\n')

    expect(fs.readFileSync(file, 'utf8')).toBe('one\ntwo\n')
    expect(fs.lstatSync(file).isFile()).toBe(true)
  })

  it.each(['a pipe', 'a link to a device', 'a link to itself'])('of a lock, %s locks nobody out', (odd) => {
    const { file } = place()
    ODD[odd]?.(file)

    expect(withLock(file, 2_000, () => 'done')).toEqual({ value: 'done' })
    expect(fs.existsSync(file)).toBe(false)
  })
})

describe('a file beyond its limit', () => {
  it('is an error where it would be written anew, and counts as missing where nobody writes it', () => {
    const { dir, file } = place()
    write(file, 'x'.repeat(LIMIT + 1))

    expect(() => readOwnText(file, LIMIT)).toThrow(expect.objectContaining({ code: 'EFBIG', path: file }))
    expect(() => readText(file, LIMIT)).toThrow(file)
    expect(readOwnText(file, LIMIT + 1)).toHaveLength(LIMIT + 1)
    expect(readBelow(dir, 'file', LIMIT)).toBeNull()
    expect(readPart(file, 0, 10, LIMIT)).toBeNull()
    expect(openToRead(file, LIMIT)).toBeNull()
    expect([...refused.files]).toEqual([file])
    expect(readPart(file, 0, 10)?.toString()).toBe('x'.repeat(10))
  })

  it('is not copied', () => {
    const { dir, file } = place()
    fs.writeFileSync(file, '')
    fs.truncateSync(file, 600 * 1024 * 1024)

    expect(copyFile(file, path.join(dir, 'copy'))).toBe(false)
    expect(fs.readdirSync(dir)).toEqual(['file'])
  })
})

describe('a file below a directory', () => {
  it('is read through plain directories, also where the directory itself is reached by a link', () => {
    const { dir } = place()
    write(path.join(dir, 'refs', 'heads', 'main'), 'abc\n')
    fs.symlinkSync('refs', path.join(dir, 'way'))

    expect(readBelow(dir, 'refs/heads/main', LIMIT)).toBe('abc\n')
    for (const none of ['refs/heads/none', 'none/heads/main', 'refs/heads/main/deeper'])
      expect(readBelow(dir, none, LIMIT)).toBeNull()
    expect(readBelow(path.join(dir, 'way'), 'heads/main', LIMIT)).toBe('abc\n')
  })

  it.each(['refs', 'refs/heads'])('is not read through a link: %s', (link) => {
    const { dir } = place()
    write(path.join(dir, 'elsewhere', 'heads', 'main'), 'secret\n')
    write(path.join(dir, 'elsewhere', 'main'), 'secret\n')
    fs.mkdirSync(path.dirname(path.join(dir, link)), { recursive: true })
    fs.symlinkSync(path.join(dir, 'elsewhere'), path.join(dir, link))

    expect(readBelow(dir, 'refs/heads/main', LIMIT)).toBeNull()
    expect([...refused.files]).toEqual([path.join(dir, link)])
  })
})

describe('what is refused', () => {
  it('is one line in the log, once, also when it was refused before there was a log', () => {
    const { dir } = place()
    const [early, late] = [path.join(dir, 'early'), path.join(dir, 'late\nnot read: passwd')]
    fs.mkdirSync(early)
    fs.mkdirSync(late)
    readOwnText(early)
    logRefused(dir, now)
    readOwnText(early)
    readOwnText(late)
    readOwnText(late)

    const lines = fs
      .readFileSync(path.join(dir, 'logs', 'memory-keeper.log'), 'utf8')
      .trim()
      .split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[0]).toContain(`not read: ${early}`)
    expect(lines[1]).toContain('late\ufffdnot read')
  })
})

describe('what stands in the place of a file of ours and cannot be read', () => {
  const aside = (dir: string): string[] => fs.readdirSync(dir).filter((name) => name.startsWith('file.broken-'))

  it('is set aside when the file is written, with all that is in it', () => {
    for (const change of [
      (file: string) => disk.replace(file, 'ours'),
      (file: string) => disk.append(file, 'ours'),
      (file: string) => disk.appendAt(file, 0, 'ours'),
    ]) {
      const { dir, file } = place()
      write(path.join(file, 'inside'), 'of somebody')
      change(file)

      expect(fs.readFileSync(file, 'utf8')).toBe('ours')
      expect(aside(dir).map((name) => fs.readFileSync(path.join(dir, name, 'inside'), 'utf8'))).toEqual(['of somebody'])
    }
  })

  it('is set aside when the file is removed, and an empty directory goes', () => {
    const { dir, file } = place()
    write(path.join(file, 'inside'), '')
    disk.remove(file)
    fs.mkdirSync(file)
    disk.remove(file)

    expect(fs.existsSync(file)).toBe(false)
    expect(aside(dir)).toHaveLength(1)
  })

  it('as a directory locks nobody out', () => {
    const { file } = place()
    write(path.join(file, 'inside'), '')

    expect(withLock(file, 2_000, () => 'done')).toEqual({ value: 'done' })
  })

  it.skipIf(process.platform === 'win32')(
    'because nobody may read it counts as missing, and is not written over',
    () => {
      const { dir, file } = place()
      write(file, 'of somebody')
      hideFiles([file])

      expect(readOwnText(file)).toBeNull()
      expect(readPart(file, 0, LIMIT)).toBeNull()
      expect([...refused.files]).toEqual([file])
      disk.replace(file, 'ours')
      vi.restoreAllMocks()
      expect(fs.readFileSync(file, 'utf8')).toBe('ours')
      expect(aside(dir).map((name) => fs.readFileSync(path.join(dir, name), 'utf8'))).toEqual(['of somebody'])
      expect([...refused.files]).toEqual([])
    },
  )

  it('for a moment, and can be read now, is written like any other', () => {
    const { dir, file } = place()
    write(file, 'before')
    hideFiles([file])
    readOwnText(file)
    vi.restoreAllMocks()
    expect(readOwnText(file)).toBe('before')
    disk.replace(file, 'after')

    expect(aside(dir)).toEqual([])
  })
})
