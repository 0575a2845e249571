/** The real path of a file on a disk that cannot answer the system's own call. */
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { realPath } from '../../../../src/kernel/platform/disk/plain-file.ts'

afterEach(() => vi.restoreAllMocks())

const failing = (code: string) => (): never => {
  throw Object.assign(new Error(code), { code })
}

it.each(['EISDIR', 'UNKNOWN', 'EINVAL'])('realPath asks node when the system answers %s', (code) => {
  vi.spyOn(fs.realpathSync, 'native').mockImplementation(failing(code))
  expect(realPath(import.meta.dirname)).toBe(import.meta.dirname)
})

it('realPath gives the absolute path when neither can tell', () => {
  const native = vi.fn(failing('EISDIR'))
  vi.spyOn(fs, 'realpathSync').mockImplementation(Object.assign(failing('UNKNOWN'), { native }) as never)
  Object.assign(fs.realpathSync, { native })
  expect(realPath('somewhere')).toBe(path.resolve('somewhere'))
})
