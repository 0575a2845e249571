/**
 * Shows which functions an event or a command goes through: `npm run walk -- stop`. It builds the programs with a call at the beginning
 * of every function (in a temporary directory, never plugin/dist), and runs them as the host would, with a home and a project of their own.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { withTrace } from './parts/functions.mjs'
import { findSlice } from './parts/layout.mjs'
import { figuresOf, renderFigures, renderTree, rowsOf, treeOf, withoutSlices } from './parts/trace.mjs'

const root = join(import.meta.dirname, '..')
const ROWS = 70
/** Everything uses them: what they do is counted, and shown with --all. */
const HELPERS = ['text', 'platform', 'redact']
const WAIT_MS = 60_000

/** The session that the walked event belongs to, and an earlier one that is over. */
const NOW_ID = '0000002a-0000-4000-8000-000000000000'
const BEFORE_ID = '00000001-0000-4000-8000-000000000000'

/** Said in the earlier session. */
const EARLIER = [
  ['The dashboard needs a dark theme, please add one.', 'The dark theme is in place, with a switch in the header.'],
  [
    'How do we retry failed webhooks?',
    'We settled on exponential backoff with seven attempts for the Stripe webhook retries, since the sandbox throttles.',
  ],
  ['Rename the customer table to clients.', 'The table is called clients now, the migration is written.'],
  ['Bump the linter to its newest version.', 'The linter is at its newest version, two warnings are fixed.'],
  ['The invoice footer shows the wrong year.', 'The footer reads the year from the invoice date now.'],
  ['Speed up the product search.', 'Product search uses a trigram index now and takes 40 ms.'],
]

const EVENTS = {
  start: {
    says: 'a session starts: Claude gets its briefing',
    // What the finisher prepared does not hold any more.
    before: (world) => world.command('note', '--text', 'The parser keeps its tables in one file.'),
    run: (world) => world.hook('SessionStart', NOW_ID, { source: 'startup' }),
  },
  'start-prepared': {
    says: 'the same when nothing has changed since the finisher prepared it',
    run: (world) => world.hook('SessionStart', NOW_ID, { source: 'startup' }),
  },
  prompt: {
    says: 'a prompt is sent: what is remembered about it goes with it',
    words: 'Which backoff did we choose for the Stripe webhook retries?',
    run: (world, words) => world.hook('UserPromptSubmit', NOW_ID, { prompt: words }),
  },
  stop: {
    says: 'Claude has finished a turn: the turn is captured',
    before: (world) => world.hook('SessionStart', NOW_ID, { source: 'startup' }),
    run: (world) => {
      world.work(NOW_ID)
      return world.hook('Stop', NOW_ID, { stop_hook_active: false })
    },
  },
  end: {
    says: 'a session ends: the finisher writes its note, by code, and prepares the next start',
    before: (world) => {
      world.work(NOW_ID)
      return world.hook('Stop', NOW_ID, { stop_hook_active: false })
    },
    run: (world) => world.hook('SessionEnd', NOW_ID, { reason: 'other' }),
  },
  note: {
    says: 'memory-keeper note: a person writes a note',
    words: 'The parser keeps its tables in one file.',
    run: (world, words) => world.command('note', '--text', words),
  },
  search: {
    says: 'memory-keeper search: what was said is found again',
    words: 'empty lines',
    run: (world, words) => world.command('search', words),
  },
  forget: {
    says: 'memory-keeper forget: something is deleted from every file',
    words: 'empty lines',
    run: (world, words) => world.command('forget', '--query', words, '--yes'),
  },
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { files: { type: 'boolean' }, all: { type: 'boolean' }, rows: { type: 'string', default: String(ROWS) } },
})
const [name = '', ...given] = positionals
const event = EVENTS[name]
if (event === undefined) {
  const rows = Object.entries(EVENTS).map(
    ([one, { says, words }]) => `  ${`${one}${words ? ' [words]' : ''}`.padEnd(16)} ${says}`,
  )
  const about = `Shows the functions that an event goes through: npm run walk -- <event> [--rows ${ROWS}] [--all] [--files]`
  console.log([...(name === '' ? [] : [`No event is called ${name}.`]), about, ...rows].join('\n'))
  process.exit(name === '' ? 0 : 2)
}

const dir = realpathSync(mkdtempSync(join(tmpdir(), 'mk-walk-')))
try {
  await show()
} catch (error) {
  // A word that the sample sessions do not contain, most often: without words of your own the walk takes one that they do.
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}

async function show() {
  const programs = join(dir, 'plugin', 'dist')
  const support = join(dir, 'project.mjs')
  const asModule = { bundle: true, platform: 'node', format: 'esm', logLevel: 'error' }
  await Promise.all([
    buildTraced(programs),
    build({ ...asModule, entryPoints: [join(root, 'test', 'support', 'project.ts')], outfile: support }),
  ])
  const world = worldIn(await import(pathToFileURL(support).href), programs)
  await furnish(world)
  await event.before?.(world)
  const words = given.join(' ') || event.words
  const { said, traces } = await event.run(world, words)
  const figures = figuresOf(traces)
  if (options.files) return console.log(figures.files.join('\n'))
  console.log(`${name}: ${event.says}${event.words === undefined ? '' : ` ("${words}")`}`)
  console.log(
    [
      'A function stands once, below the one that called it first; its file stands where it changes. ×3: it was called three times.',
      `(+9): nine more below it, where less happens (--rows ${options.rows}) or in ${HELPERS.join(', ')} (--all).`,
    ].join('\n'),
  )
  for (const { program, args, functions } of traces) {
    const { kept, hidden } = withoutSlices(treeOf(functions), options.all ? [] : HELPERS)
    const more = hidden > 0 ? ` (+${hidden})` : ''
    console.log(`\n${[program, ...args.map((arg) => arg.replaceAll(dir, '…'))].join(' ')}${more}`)
    console.log(indent(renderTree(rowsOf(kept, Number(options.rows))).join('\n')))
  }
  if (said.trim() !== '') console.log(`\nIt printed:\n${indent(said.trim().slice(0, 400))}`)
  console.log(`\n${renderFigures(figures).join('\n')}`)
}

function indent(text) {
  return text.replace(/^/gm, '  ')
}

/** All programs but the server's own: nothing that is walked uses it. */
async function buildTraced(outdir) {
  const bin = join(root, findSlice(root, 'src', 'bin'))
  const traced = {
    name: 'traced',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const file = relative(root, path).replaceAll('\\', '/')
        if (!file.startsWith('src/')) return undefined
        const code = readFileSync(path, 'utf8')
        return {
          loader: 'ts',
          contents: withTrace(code, file, { keyOf: (one) => `${file}#${one.name}`, isProgram: path.startsWith(bin) }),
        }
      }),
  }
  const isProgram = (file) => file.endsWith('.ts') && !file.startsWith('mcp')
  await build({
    absWorkingDir: root,
    entryPoints: readdirSync(bin)
      .filter(isProgram)
      .map((file) => join(bin, file)),
    outdir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    logLevel: 'error',
    banner: { js: readFileSync(join(import.meta.dirname, 'parts', 'walk-recorder.cjs'), 'utf8') },
    define: { __VERSION__: '"walk"', __BUILT__: '"walk"', __GREETING__: '{}' },
    plugins: [traced],
  })
}

/** The sample project, its transcripts, and our programs as the host starts them. */
function worldIn(sample, programs) {
  const { append, dialog, linesNow, makeProject, setAtHome, story, turns } = sample
  const project = makeProject('app', dir)
  setAtHome(project, { summarizer: 'extractive' })
  let steps = 0
  const run = async (program, args, stdin = '') => {
    const traceDir = join(dir, `traces-${++steps}`)
    mkdirSync(traceDir)
    const env = {
      PATH: join(dir, 'no-programs'),
      HOME: project.home,
      USERPROFILE: project.home,
      LOCALAPPDATA: join(project.home, 'AppData', 'Local'),
      CLAUDE_PROJECT_DIR: project.root,
      CLAUDE_CODE_SESSION_ATTENDED: '1',
      NO_COLOR: '1',
      TZ: 'UTC',
      MEMORY_KEEPER_WALK: traceDir,
    }
    const done = spawnSync(process.execPath, [join(programs, program), ...args], {
      cwd: project.root,
      env,
      input: stdin,
      encoding: 'utf8',
    })
    if (done.status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${done.status}: ${done.stderr}`)
    return { said: done.stdout, traces: await tracesBelow(traceDir, done.pid) }
  }
  return {
    hook: (hook_event_name, session_id, more) => {
      const about = { session_id, transcript_path: project.transcriptOf(session_id), cwd: project.root }
      return run('hook.cjs', [], JSON.stringify({ hook_event_name, ...about, permission_mode: 'default', ...more }))
    },
    command: (...args) => run('cli.cjs', args),
    /** Somebody works in a session: a request, a changed file, a command, a decision, a dialog, some short turns, and these. */
    work: (session, exchanges = []) => {
      const lines = linesNow(session, project.root)
      const asked = dialog(lines, 130, 'Which parser do we keep?', 'The small one')
      const said = exchanges.map(
        ([ask, answer], n) => lines.prompt(200 + 2 * n, ask) + lines.answer(201 + 2 * n, answer),
      )
      append(project.transcriptOf(session), [story(lines), turns(lines, 10, 12), asked, ...said].join(''))
    },
  }
}

/** A session that is over, with its note. */
async function furnish(world) {
  world.work(BEFORE_ID, EARLIER)
  await world.hook('Stop', BEFORE_ID, { stop_hook_active: false })
  await world.hook('SessionEnd', BEFORE_ID, { reason: 'other' })
}

/** Of a process and of all that it started, which may still run. */
async function tracesBelow(traceDir, pid) {
  const file = join(traceDir, `${pid}.json`)
  const began = Date.now()
  while (!existsSync(file)) {
    if (Date.now() - began > WAIT_MS) throw new Error(`process ${pid} did not end in ${WAIT_MS / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const trace = JSON.parse(readFileSync(file, 'utf8'))
  const started = []
  for (const child of trace.started) started.push(...(await tracesBelow(traceDir, child)))
  return [trace, ...started]
}
