/** Builds plugin/dist; with --check builds in memory and fails when the committed files differ. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

/** The MCP SDK brings a JSON Schema validator of 150 kB for forms (elicitation), which our server never asks for. Tool inputs are checked by zod. */
const withoutValidator = {
  name: 'without-validator',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, ({ path }) => ({ path, namespace: 'shim' }))
    onLoad({ filter: /.*/, namespace: 'shim' }, () => ({
      contents: [
        'export const process = globalThis.process',
        "export class DefaultJsonSchemaValidator { getValidator() { throw new Error('forms are not supported') } }",
      ].join('\n'),
    }))
  },
}

/** Read by others: compiled once and kept (src/platform/disk/compiled.ts), or run by themselves where nobody waits for them. */
const PROGRAMS = [
  'src/bin/hook-main.ts',
  'src/bin/start.ts',
  'src/bin/recall.ts',
  'src/bin/keeper.ts',
  'src/bin/main.ts',
  'src/bin/statusline.ts',
  'src/bin/mcp-main.ts',
]
/** They know which build of the programs they start. */
const STARTERS = ['src/bin/hook.ts', 'src/bin/cli.ts', 'src/bin/mcp.ts']

const programs = await bundle(PROGRAMS, {})
const built = createHash('sha256')
for (const { contents } of programs) built.update(contents)
const starters = await bundle(STARTERS, { __BUILT__: JSON.stringify(built.digest('hex').slice(0, 12)) })

async function bundle(entryPoints, more) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: 'plugin/dist',
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    minify: true,
    legalComments: 'none',
    define: { __VERSION__: JSON.stringify(version), ...more },
    plugins: [plainBuiltins, withoutValidator],
    write: false,
  })
  return outputFiles
}

const page = await buildPage({ root, version })
const all = [...programs, ...starters, page]
const dist = join(root, 'plugin', 'dist')
const names = new Set(all.map(({ path }) => basename(path)))
const leftOver = readdirSync(dist).filter((name) => !names.has(name))

if (!check) {
  for (const { path, contents } of all) writeFileSync(path, contents)
  for (const name of leftOver) rmSync(join(dist, name))
}

if (check) {
  const stale = [...all.filter((file) => !sameAsOnDisk(file)).map((file) => basename(file.path)), ...leftOver]
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
