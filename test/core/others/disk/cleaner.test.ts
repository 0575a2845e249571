/** What is published names no path of this machine, however it is written. */
import { expect, it } from 'vitest'
import { cleaner } from '../../../../src/core/others/disk/shareable.ts'
import type { Store } from '../../../../src/kernel/memory/disk/store.ts'

const storeAt = (root: string, hostDir: string): Store =>
  ({ config: { redaction: true, redactPatterns: [] }, places: { project: { root }, hostDir } }) as unknown as Store

it.each([
  ['C:\\Users\\me\\shop\\src\\a.ts', 'src\\a.ts'],
  ['C:/Users/me/shop/src/a.ts', 'src/a.ts'],
  ['file:///C:/Users/me/shop/src/a.ts', 'src/a.ts'],
  ['"C:\\\\Users\\\\me\\\\shop\\\\src\\\\a.ts"', '"src\\\\a.ts"'],
  ['/mnt/c/Users/me/shop/src/a.ts', 'src/a.ts'],
  ['see C:/Users/me/notes.txt', 'see ~/notes.txt'],
])('share writes %j as %j', (text, published) => {
  expect(cleaner(storeAt('C:\\Users\\me\\shop', 'C:/Users/me/.claude'))(text)).toBe(published)
})

it('share leaves a path of another directory alone', () => {
  expect(cleaner(storeAt('/home/me/shop', '/home/me/.claude'))('/home/meyer/shop/a.ts')).toBe('/home/meyer/shop/a.ts')
})
