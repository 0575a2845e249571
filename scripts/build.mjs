/** Builds plugin/dist; with --check builds in memory and fails when the committed files differ. */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const check = process.argv.includes('--check')
const version = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version

const result = await build({
  absWorkingDir: root,
  entryPoints: ['src/bin/hook.ts', 'src/bin/cli.ts', 'src/bin/mcp.ts'],
  outdir: 'plugin/dist',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  minify: true,
  legalComments: 'none',
  define: { __VERSION__: JSON.stringify(version) },
  write: !check,
})

if (check) {
  const stale = result.outputFiles.filter((file) => !sameAsOnDisk(file)).map((file) => basename(file.path))
  if (stale.length > 0) {
    console.error(`plugin/dist is stale: ${stale.join(', ')}. Run: npm run build`)
    process.exit(1)
  }
  console.log('plugin/dist is fresh')
}

function sameAsOnDisk(file) {
  try {
    return readFileSync(file.path).equals(Buffer.from(file.contents))
  } catch (error) {
    if (error.code === 'ENOENT') return false
    throw error
  }
}
