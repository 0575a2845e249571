/** Each extra can be taken away: without its folder and its lines in the lists of the doors, the rest type-checks. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDir } from './support/project.ts'

const ROOT = path.join(import.meta.dirname, '..')
const LISTS = ['extras', 'extras-in-background', 'extras-at-start']
const EXTRAS = fs.readdirSync(path.join(ROOT, 'src', 'extras')).filter((name) => !/^agents$|\./.test(name))

/** Without the extra's imports, and without what they brought in the lists. */
function withoutExtra(list: string, extra: string): string {
  const brought: string[] = []
  const left = list.replace(new RegExp(`^import \\{ (\\w+) \\} from '[./]+/extras/${extra}/.*\\n`, 'gm'), (_, name) => {
    brought.push(name)
    return ''
  })
  return brought.reduce((text, name) => text.replace(new RegExp(`\\b${name}\\b,? ?`), ''), left)
}

function problemsWithout(extras: readonly string[]): string {
  const dir = tempDir()
  fs.cpSync(path.join(ROOT, 'src'), path.join(dir, 'src'), { recursive: true })
  fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(dir, 'node_modules'), 'junction')
  fs.copyFileSync(path.join(ROOT, 'tsconfig.json'), path.join(dir, 'tsconfig.json'))
  for (const extra of extras) {
    fs.rmSync(path.join(dir, 'src', 'extras', extra), { recursive: true })
    for (const name of LISTS) {
      const file = path.join(dir, 'src', 'doors', 'bin', `${name}.ts`)
      fs.writeFileSync(file, withoutExtra(fs.readFileSync(file, 'utf8'), extra))
    }
  }
  const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, '--noEmit', '-p', dir], { encoding: 'utf8' })
  return stdout + stderr
}

describe('an extra', () => {
  it('is found', () => {
    expect(EXTRAS.length).toBeGreaterThan(6)
  })

  it.each(EXTRAS)('%s can be taken away', (extra) => {
    expect(problemsWithout([extra])).toBe('')
  })

  it('can be taken away with all others', () => {
    expect(problemsWithout(EXTRAS)).toBe('')
  })
})
