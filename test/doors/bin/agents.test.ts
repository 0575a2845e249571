/**
 * Each program is a bundle, with a list of agents of its own: one that reads transcripts and registers no agent would capture nothing.
 * The programs are bundled from the sources here, as `scripts/build.mjs` does: what no code reaches is not in them.
 */
import fs from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const ROOT = path.join(import.meta.dirname, '..', '..', '..')
const CLAUDE = 'src/extras/agents/claude'

const script = fs.readFileSync(path.join(ROOT, 'scripts', 'build.mjs'), 'utf8')
const PROGRAMS = [...script.matchAll(/'(src\/(?:doors\/bin|extras)\/[\w/-]+\.ts)'/g)].map(([, file = '']) => file)

interface Program {
  text: string
  /** Whether code of this file is in it. */
  has: (file: string) => boolean
}

async function bundled(file: string): Promise<Program> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [file],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  const inputs = Object.values(metafile.outputs)[0]?.inputs ?? {}
  return { text: outputFiles[0]?.text ?? '', has: (name) => (inputs[name]?.bytesInOutput ?? 0) > 0 }
}

const programs = new Map(
  await Promise.all(PROGRAMS.map(async (file) => [path.basename(file, '.ts'), await bundled(file)] as const)),
)
const reads = ({ text }: Program): boolean => /\btheAgent\(\)/.test(text)

describe('the programs', () => {
  it('are known, and those that read transcripts are found', () => {
    expect(PROGRAMS.length).toBeGreaterThan(10)
    expect([...programs].filter(([, program]) => reads(program)).map(([name]) => name)).toEqual([
      'hook-main',
      'start',
      'keeper-main',
      'main',
    ])
  })

  it.each([...programs].filter(([, program]) => reads(program)))('register an agent: %s', (_, { text, has }) => {
    expect(text).toMatch(/^useExtras\(/m)
    expect(has(`${CLAUDE}/transcript.ts`)).toBe(true)
    // Left out of hooks, which verify nothing.
    expect(has(`${CLAUDE}/tally.ts`)).toBe(/\btheTally\(\)/.test(text))
  })

  it.each([...programs].filter(([, program]) => !reads(program)))(
    'carry no parser that they do not use: %s',
    (_, { has }) => {
      expect(has(`${CLAUDE}/transcript.ts`)).toBe(false)
    },
  )
})
