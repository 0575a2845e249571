/** Builds plugin/dist; with --check builds in memory and fails when the committed files differ. */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { buildPage } from './build-page.mjs'

const root = join(import.meta.dirname, '..')
const check = process.argv.includes('--check')
const version = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version

/** Our own `import x from 'node:x'` becomes the builtin itself: esbuild's interop would copy each of its members at every start of a hook. */
const plainBuiltins = {
  name: 'plain-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, importer }) =>
      importer.startsWith(join(root, 'src')) ? { path, namespace: 'builtin' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `export default process.getBuiltinModule('${path}')`,
    }))
  },
}

const result = await build({
  absWorkingDir: root,
  entryPoints: [
    'src/bin/hook.ts',
    'src/bin/start.ts',
    'src/bin/recall.ts',
    'src/bin/keeper.ts',
    'src/bin/cli.ts',
    'src/bin/main.ts',
    'src/bin/statusline.ts',
    'src/bin/dashboard.ts',
    'src/bin/mcp.ts',
    'src/bin/mcp-tools.ts',
  ],
  outdir: 'plugin/dist',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  minify: true,
  legalComments: 'none',
  define: { __VERSION__: JSON.stringify(version) },
  plugins: [plainBuiltins],
  write: !check,
})

const page = await buildPage({ root, version })
if (!check) writeFileSync(page.path, page.contents)

if (check) {
  const stale = [...result.outputFiles, page].filter((file) => !sameAsOnDisk(file)).map((file) => basename(file.path))
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
