/** The built programs in the repository are those of its sources. */
import { expect, it } from 'vitest'
import { ROOT, runNode } from './support/process.ts'

it('plugin/dist is what the sources give', () => {
  const { code, err } = runNode(['scripts/build.mjs', '--check'], ROOT, { PATH: process.env.PATH ?? '' })

  expect({ code, err }).toEqual({ code: 0, err: '' })
})
