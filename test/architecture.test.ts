/** What may import what, who may touch disk and environment, and how large a file may be. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = path.join(import.meta.dirname, '..')
const SRC = path.join(ROOT, 'src')
const MAX_LINES = 400

interface Source {
  /** Relative to src, with slashes. */
  name: string
  /** kernel, core, extras or doors; a file of a ring's own (`core/files.ts`) has no slice. */
  ring: string
  slice: string
  text: string
  /** Without comments. */
  code: string
  /** Files of ours, relative to src. */
  own: string[]
  /** Packages and node modules. */
  foreign: string[]
}

const sources: Source[] = fs
  .readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => name.split(path.sep).join('/'))
  .map(readSource)

function readSource(name: string): Source {
  const text = fs.readFileSync(path.join(SRC, name), 'utf8')
  const code = text.replace(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const imports = [
    ...text.matchAll(/^(?:import|export)\b[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm),
  ].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
  const builtins = [...text.matchAll(/getBuiltinModule\('([^']+)'\)/g)].map((match) => match[1] ?? '')
  const own = imports
    .filter((target) => target.startsWith('.'))
    .map((target) => path.posix.join(path.posix.dirname(name), target))
  const foreign = [...imports.filter((target) => !target.startsWith('.')), ...builtins]
  return { name, ...placeOf(name), text, code, own, foreign }
}

/** Each ring may import the rings before it. */
const RINGS = ['kernel', 'core', 'extras', 'doors']
/** In the kernel and the core each slice may import itself and those before it. */
const SLICES: Record<string, string[]> = {
  kernel: ['text', 'platform', 'redact', 'transcript', 'trust', 'memory', 'sessions'],
  core: [
    ...['receipts', 'model', 'pages', 'grounding', 'knowledge', 'notes', 'others', 'files.ts', 'search', 'recall'],
    ...['briefing', 'forget', 'edit', 'vault', 'health', 'tools.ts'],
  ],
}
/** What plugs extras in: any slice of the core may import it. Of the core it imports only types, and the table of files, to which it adds rows. */
const SOCKET = 'core/extra.ts'
/** The list of extras: doors may import it, and nothing else imports an extra. */
const LISTS = ['extras', 'extras-in-background', 'extras-at-start', 'agents'].map((name) => `doors/bin/${name}.ts`)
/** Names of Claude Code's line format, those left out that other formats have as well. */
const HOST_FIELDS = [
  ...['parentUuid', 'isSidechain', 'isMeta', 'isCompactSummary', 'toolUseResult', 'gitBranch', 'promptSource'],
  ...['turnOrigin', 'wakeupSource', 'permissionDecision', 'userFeedback', 'planContent', 'isApiErrorMessage'],
  ...['queue-operation', 'queued_command', 'teammate_mailbox', 'local_command', 'tool_use_id', 'entrypoint'],
]
/** The index engine and the ranking: a library that knows documents, and nothing of what a memory is. */
const ENGINE = /^core\/search\/(?:disk\/index\/.*|(?:engine|rank|match|question|traits|date-mention)\.ts)$/
/** The doors; `bin` contains the programs and may import all of them. */
const DOORS = ['hooks', 'cli', 'mcp', 'bin']

/** The slice of a file, an extra's name, or a door. */
function placeOf(name: string): { ring: string; slice: string } {
  const [ring = '', slice = '', inner = ''] = name.split('/')
  return { ring, slice: ring === 'extras' && slice === 'agents' ? `agents/${inner}` : slice }
}

/** `disk/`: reads and writes files. `commands/`: rows for the command line, each with a function from the store to what is printed. */
function partOf(name: string): 'pure' | 'disk' | 'commands' {
  if (/\/disk\//.test(name)) return 'disk'
  return /\/commands\//.test(name) ? 'commands' : 'pure'
}

const inSlices = sources.filter(({ ring, slice }) => SLICES[ring]?.includes(slice) === true && !slice.endsWith('.ts'))
const pure = inSlices.filter((source) => partOf(source.name) === 'pure')

describe('the source', () => {
  it('is found', () => {
    expect(sources.length).toBeGreaterThan(40)
    expect(sources.flatMap((source) => source.own).length).toBeGreaterThan(100)
  })

  it('stands in four rings, of slices, extras and doors', () => {
    const isKnown = ({ name, ring, slice }: Source): boolean =>
      name === SOCKET ||
      SLICES[ring]?.includes(slice) === true ||
      (ring === 'extras' && !slice.endsWith('.ts')) ||
      (ring === 'doors' && DOORS.includes(slice))

    expect(sources.filter((source) => !isKnown(source)).map(({ name }) => name)).toEqual([])
  })

  it.each(RINGS)('%s has a README of at most 25 lines that names each part, and none that is gone', (ring) => {
    const text = fs.readFileSync(path.join(SRC, ring, 'README.md'), 'utf8')
    const rows = text.split('\n').filter((line) => line.startsWith('| `'))
    const named = rows.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`([\w/-]+)`/g)].map((match) => match[1]),
    )
    const there = new Set(
      sources.filter((one) => one.ring === ring && !/\.ts$/.test(one.slice)).map(({ slice }) => slice),
    )

    expect(named.toSorted()).toEqual([...there].toSorted())
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(25)
  })

  it('imports from outer rings to inner ones only', () => {
    const wrong = imports().filter(({ from, to }) => RINGS.indexOf(from.ring) < RINGS.indexOf(to.ring))

    expect(wrong.map(shown)).toEqual([])
  })

  it('has slices that import only slices before them', () => {
    const wrong = imports().filter(({ from, to }) => {
      const order = SLICES[from.ring]
      if (order === undefined || from.ring !== to.ring || from.name === SOCKET || to.name === SOCKET) return false
      return order.indexOf(to.slice) > order.indexOf(from.slice)
    })

    expect(wrong.map(shown)).toEqual([])
  })

  it('plugs extras in with a file that takes only types of the core, and the table of files', () => {
    const socket = fs.readFileSync(path.join(SRC, SOCKET), 'utf8')

    expect(socket).not.toMatch(/^import (?!type).*'\.\/(?!files\.ts)/m)
  })

  it('has extras that import no other extra, and that only the lists of the doors name', () => {
    const wrong = imports().filter(({ from, to }) => {
      if (to.ring !== 'extras') return false
      return from.ring === 'extras' ? from.slice !== to.slice : !LISTS.includes(from.name)
    })

    expect(wrong.map(shown)).toEqual([])
  })

  it('has a kernel and a core that know no agent: the host’s line format stands in its extra', () => {
    const inner = sources.filter(({ ring }) => ring === 'kernel' || ring === 'core')
    const importing = inner.filter(({ own }) => own.some((target) => target.startsWith('extras/agents/')))
    const fields = new RegExp(`\\b(?:${HOST_FIELDS.join('|')})\\b`)

    expect(importing.map(({ name }) => name)).toEqual([])
    expect(inner.filter(({ text }) => fields.test(text)).map(({ name }) => name)).toEqual([])
  })

  it('has doors that do not import each other', () => {
    const isAllowed = (from: Source, to: Source): boolean =>
      from.slice === to.slice || from.slice === 'bin' || LISTS.includes(to.name)
    const wrong = imports().filter(
      ({ from, to }) => from.ring === 'doors' && to.ring === 'doors' && !isAllowed(from, to),
    )

    expect(wrong.map(shown)).toEqual([])
  })

  it('has an index engine and a ranking that import nothing of a memory', () => {
    const engine = imports().filter(({ from }) => ENGINE.test(from.name))
    const wrong = engine.filter(({ to }) => !ENGINE.test(to.name) && !/^kernel\/(?:text|platform)\//.test(to.name))

    expect(engine.length).toBeGreaterThan(40)
    expect(wrong.map(shown)).toEqual([])
  })

  it('has pure files that import no disk files, and disk files that import no commands', () => {
    const reaches = { pure: ['pure'], disk: ['pure', 'disk'], commands: ['pure', 'disk', 'commands'] }
    const wrong = inSlices.flatMap((source) =>
      source.own
        .filter((target) => !reaches[partOf(source.name)].includes(partOf(target)))
        .map((target) => `${source.name} → ${target}`),
    )

    expect(wrong).toEqual([])
  })

  it('imports only files that are there, by their whole name', () => {
    const wrong = sources.flatMap((source) => source.own.filter((target) => !fs.existsSync(path.join(SRC, target))))

    expect(wrong).toEqual([])
  })

  it('has pure files without node modules and packages', () => {
    const wrong = pure.flatMap((source) => source.foreign.map((target) => `${source.name} → ${target}`))

    expect(wrong).toEqual([])
  })

  it('has pure files without clock, randomness and environment', () => {
    const wrong = pure.filter((source) =>
      /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.|\bperformance\./.test(source.code),
    )

    expect(wrong.map((source) => source.name)).toEqual([])
  })

  it('touches the disk in two files only (one opens and reads, one does all else), and standard input and output in one', () => {
    const wrong = sources.filter((source) => source.foreign.some((target) => /^(?:node:)?fs(?:\/|$)/.test(target)))

    expect(wrong.map((source) => source.name).sort()).toEqual([
      'kernel/platform/disk/files.ts',
      'kernel/platform/disk/plain-file.ts',
      'kernel/platform/disk/stdio.ts',
    ])
  })

  it('reads the environment in bin only', () => {
    const wrong = sources.filter(
      (source) => source.slice !== 'bin' && /\bprocess\.(?:env|argv|stdin|stdout|stderr|exit|cwd)\b/.test(source.code),
    )

    expect(wrong.map((source) => source.name)).toEqual([])
  })

  it('knows each package in one place only', () => {
    const users = (name: RegExp): string[] => [
      ...new Set(
        sources.filter((source) => source.foreign.some((target) => name.test(target))).map(({ slice }) => slice),
      ),
    ]

    expect(users(/^@modelcontextprotocol|^zod/)).toEqual(['mcp'])
    expect(users(/^commander/)).toEqual(['cli'])
    expect(users(/^picocolors/)).toEqual(['memory'])
    expect(users(/^postgres$/)).toEqual(['team'])
  })

  it('has no cycles', () => {
    const byName = new Map(sources.map((source) => [source.name, source]))
    const cycles: string[] = []
    const done = new Set<string>()
    const visit = (name: string, trail: string[]): void => {
      if (trail.includes(name)) cycles.push([...trail.slice(trail.indexOf(name)), name].join(' → '))
      else if (!done.has(name)) {
        for (const target of byName.get(name)?.own ?? []) visit(target, [...trail, name])
        done.add(name)
      }
    }
    for (const source of sources) visit(source.name, [])

    expect(cycles).toEqual([])
  })

  it(`has no file of more than ${MAX_LINES} lines`, () => {
    const long = sources.filter((source) => source.text.split('\n').length > MAX_LINES)

    expect(long.map((source) => source.name)).toEqual([])
  })

  it('says in the first line of every file what it is', () => {
    expect(sources.filter((source) => !source.text.startsWith('/**')).map((source) => source.name)).toEqual([])
  })
})

interface Import {
  from: Source
  to: Source
}

function imports(): Import[] {
  const byName = new Map(sources.map((source) => [source.name, source]))
  return sources.flatMap((from) => from.own.flatMap((target) => ({ from, to: byName.get(target) ?? from })))
}

function shown({ from, to }: Import): string {
  return `${from.name} → ${to.name}`
}

describe('the hook bundle', () => {
  const bundle = (name: string): string => fs.readFileSync(path.join(ROOT, 'plugin', 'dist', name), 'utf8')

  it('holds no package', () => {
    const marks = /ZodError|ZodType|CommanderError|modelcontextprotocol|jsonrpc|picocolors/

    for (const name of ['hook.cjs', 'hook-main.cjs', 'start.cjs', 'recall.cjs']) expect(bundle(name)).not.toMatch(marks)
    expect(bundle('main.cjs')).toMatch(/CommanderError|commander\./)
    expect(bundle('mcp-sdk.cjs')).toMatch(/jsonrpc/)
  })

  it('leaves the PostgreSQL client to a file of its own, which no hook and no prompt loads', () => {
    const client = /max_pipeline/
    const programs = [
      'hook.cjs',
      'hook-main.cjs',
      'start.cjs',
      'recall.cjs',
      'mcp.cjs',
      'mcp-sdk.cjs',
      'keeper.cjs',
      'main.cjs',
      'shared.cjs',
    ]

    expect(bundle('team.cjs')).toMatch(client)
    for (const name of programs) expect(bundle(name)).not.toMatch(client)
    for (const name of programs.slice(0, 6)) expect(bundle(name)).not.toContain('team.cjs')
  })

  it('needs nothing that node does not bring', () => {
    const programs = [
      'hook.cjs',
      'hook-main.cjs',
      'start.cjs',
      'recall.cjs',
      'cli.cjs',
      'main.cjs',
      'shared.cjs',
      'mcp.cjs',
    ]
    for (const name of programs) {
      const required = [...bundle(name).matchAll(/\brequire\("([^"]+)"\)/g)].map((match) => match[1] ?? '')
      expect(
        required.filter((target) => !/^(?:\.\/shared\.cjs|(?:node:)?[a-z_]+(?:\/[a-z_]+)?)$/.test(target)),
      ).toEqual([])
    }
  })
})
