/** Builds plugin/dist; with --check builds in memory and fails when the committed files differ. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
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

/** The PostgreSQL client without logical replication and large objects, which nothing of ours asks for. */
const smallClient = {
  name: 'small-client',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules[\\/]postgres[\\/]src[\\/](?:subscribe|large)\.js$/ }, () => ({
      contents: 'export default () => () => Promise.reject(new Error())',
    }))
  },
}

/** Commander can start a program for a command, which ours never does: loading `node:child_process` for it would cost every command 3 ms. */
const withoutChildren = {
  name: 'without-children',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ path, importer }) =>
      /[\\/]commander[\\/]/.test(importer) ? { path, namespace: 'none' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'none' }, () => ({ contents: 'module.exports = {}' }))
  },
}

/** Loaded by others: compiled once and kept (src/kernel/platform/disk/compiled.ts). */
const PROGRAMS = [
  'src/doors/bin/hook-main.ts',
  'src/doors/bin/start.ts',
  'src/doors/bin/recall.ts',
  'src/doors/bin/statusline.ts',
  'src/doors/bin/mcp-sdk.ts',
  { in: 'src/extras/team/client.ts', out: 'team' },
]
/** Most of their code is the same: it is in `shared.cjs`, which each of them loads. */
const TWINS = ['src/doors/bin/keeper-main.ts', 'src/doors/bin/main.ts']
/** They know which build of the programs they start. */
const STARTERS = ['src/doors/bin/hook.ts', 'src/doors/bin/keeper.ts', 'src/doors/bin/cli.ts', 'src/doors/bin/mcp.ts']

const programs = [...(await bundle(PROGRAMS, {})), ...(await bundleTwins())]
const built = createHash('sha256')
for (const { contents } of programs) built.update(contents)
const starters = await bundle(STARTERS, {
  __BUILT__: JSON.stringify(built.digest('hex').slice(0, 12)),
  __GREETING__: JSON.stringify(await recordGreeting(programs.find(({ path }) => basename(path) === 'mcp-sdk.cjs'))),
})

/** The library's own answers to the greetings of both protocols: the server gives them before it loads the library (src/doors/mcp/front.ts). */
async function recordGreeting({ contents }) {
  const dir = mkdtempSync(join(tmpdir(), 'mk-build-'))
  const file = join(dir, 'mcp-sdk.cjs')
  writeFileSync(file, contents)
  const { serve } = createRequire(file)(file)
  rmSync(dir, { recursive: true })
  const modernVersion = '2026-07-28'
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': modernVersion,
    'io.modelcontextprotocol/clientInfo': { name: 'build', version },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const modern = await answersOf(serve, [
    ['server/discover', { _meta }],
    ['tools/list', { _meta }],
  ])
  const client = { capabilities: {}, clientInfo: { name: 'build', version } }
  const initialize = (protocolVersion) => ['initialize', { ...client, protocolVersion }]
  const legacyVersions = []
  for (const one of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
    const greeted = await answersOf(serve, [initialize(one)])
    if (greeted.initialize.protocolVersion === one) legacyVersions.push(one)
  }
  const legacy = await answersOf(serve, [initialize('2025-11-25'), ['ping', {}], ['tools/list', {}]])
  const { tools } = legacy['tools/list']
  if (JSON.stringify(tools) !== JSON.stringify(modern['tools/list'].tools))
    throw new Error('the protocols list other tools')
  for (const answers of [modern, legacy]) delete answers['tools/list'].tools
  return { modernVersion, modern, legacyVersions, legacy, tools }
}

/** One connection: each request is sent when the one before has its answer. */
async function answersOf(serve, requests) {
  let answered
  const noTools = () => {
    throw new Error('the greeting uses no tool')
  }
  const transport = { start: async () => {}, close: async () => {}, send: async (message) => answered(message) }
  serve(version, noTools, transport)
  const results = {}
  for (const [method, params] of requests) {
    const message = await new Promise((resolve) => {
      answered = resolve
      transport.onmessage({ jsonrpc: '2.0', id: method, method, params })
    })
    if (message.result === undefined) throw new Error(`${method}: ${JSON.stringify(message)}`)
    results[method] = message.result
  }
  return results
}

/** esbuild splits ES modules only; as CommonJS modules the files are compiled once as well. Nothing that they exchange changes later. */
async function bundleTwins() {
  const files = await bundle(TWINS, {}, { format: 'esm', splitting: true, chunkNames: 'shared' })
  const asObject = (names) => names.replace(/([\w$]+) as ([\w$]+)/g, '$2:$1')
  return files.map(({ path, text }) => {
    const code = text
      .replace(/^import\{([^}]*)\}from("\.\/shared\.cjs");/, (_, names, from) => {
        return `var{${names.replace(/ as /g, ':')}}=require(${from});`
      })
      .replace(/export\{([^}]*)\};\s*$/, (_, names) => `module.exports={${asObject(names)}};\n`)
    return { path, contents: Buffer.from(`"use strict";${code}`) }
  })
}

async function bundle(files, more, how) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: files.map((file) => (typeof file === 'string' ? { in: file, out: basename(file, '.ts') } : file)),
    outdir: 'plugin/dist',
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    minify: true,
    legalComments: 'none',
    define: { __VERSION__: JSON.stringify(version), ...more },
    plugins: [plainBuiltins, withoutValidator, withoutChildren, smallClient],
    write: false,
    ...how,
  })
  return outputFiles.map(({ path, text }) => ({ path, text: asciiOf(text), contents: Buffer.from(asciiOf(text)) }))
}

/** A program with other letters in its regular expressions takes two bytes for every letter, and longer to read. */
function asciiOf(text) {
  if (/\\[^\0-\x7f]/.test(text)) throw new Error('a backslash before a letter that is not ASCII')
  return text.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
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
