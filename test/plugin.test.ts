/** The plugin as the host loads it: manifests agree, every file they name is there, nothing else is. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { skillNames } from '../src/doors/cli/skill.ts'

const ROOT = path.join(import.meta.dirname, '..')
const PLUGIN = path.join(ROOT, 'plugin')

function readJson(...parts: string[]) {
  return JSON.parse(fs.readFileSync(path.join(ROOT, ...parts), 'utf8'))
}

interface Hook {
  if?: string
  type: string
  command: string
  args: string[]
  timeout: number
}

/** Older hosts drop the whole file for one event they do not know; a hook per tool call would cost every tool call. */
const ALLOWED = [
  'SessionStart',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'Stop',
  'PreCompact',
  'SubagentStop',
  'SessionEnd',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUseFailure',
]

const { hooks } = readJson('plugin', 'hooks', 'hooks.json') as {
  hooks: Record<string, { matcher?: string; hooks: Hook[] }[]>
}
const all = Object.entries(hooks).flatMap(([event, groups]) =>
  groups.flatMap((group) => group.hooks.map((hook) => ({ event, matcher: group.matcher, hook }))),
)

function inPlugin(file: string): string {
  return file.replace(/^\$\{CLAUDE_PLUGIN_ROOT\}/, PLUGIN)
}

describe('the manifests', () => {
  it('name one version', () => {
    const { version } = readJson('package.json')
    const market = readJson('.claude-plugin', 'marketplace.json')

    expect(version).toMatch(/^\d+\.\d+\.\d+$/)
    expect(readJson('plugin', '.claude-plugin', 'plugin.json').version).toBe(version)
    expect(market.plugins.map((plugin: { version: string }) => plugin.version)).toEqual([version])
    expect(readJson('package-lock.json').version).toBe(version)
  })

  it('name one plugin, which lies where the marketplace says', () => {
    const [plugin] = readJson('.claude-plugin', 'marketplace.json').plugins

    expect(plugin.name).toBe(readJson('plugin', '.claude-plugin', 'plugin.json').name)
    expect(path.join(ROOT, plugin.source)).toBe(PLUGIN)
  })
})

describe('the hooks', () => {
  it('are for events that every supported host knows, and none per tool call', () => {
    expect(Object.keys(hooks).filter((event) => !ALLOWED.includes(event))).toEqual([])
    expect(Object.keys(hooks).sort()).toEqual([...ALLOWED].sort())
  })

  it('start node directly, on a file that is there, with a time limit', () => {
    for (const { hook } of all) {
      expect(hook.type).toBe('command')
      expect(hook.command).toBe('node')
      expect(fs.existsSync(inPlugin(hook.args[0] ?? ''))).toBe(true)
      expect(hook.timeout).toBeGreaterThan(0)
      expect(hook.timeout).toBeLessThanOrEqual(30)
    }
  })

  it('on tools match our own server, a failed command, the start of an agent, and what our own agents read', () => {
    const onTools = all.filter(({ event }) => /Tool|Permission/.test(event))
    const { name } = readJson('plugin', '.claude-plugin', 'plugin.json')
    const [server] = Object.keys(readJson('plugin', '.mcp.json').mcpServers)
    const isOurs = (matcher: string): boolean =>
      new RegExp(`^(?:${matcher})$`).test(`mcp__plugin_${name}_${server}__get_memory`)
    const others = onTools.filter(({ matcher }) => !isOurs(matcher ?? ''))

    expect(onTools.length - others.length).toBe(2)
    // No process is started for any other file: the host looks at the condition first.
    expect(others.map(({ event, matcher, hook }) => [event, matcher, hook.if])).toEqual([
      ['PostToolUseFailure', 'Bash', undefined],
      ['PreToolUse', 'Agent|Task', undefined],
      ['PreToolUse', 'Read', 'Read(//**/delta_temp.txt)'],
      ['PreToolUse', 'Read', 'Read(//**/memory_*.md)'],
    ])
  })
})

describe('the plugin directory', () => {
  const files = fs
    .readdirSync(PLUGIN, { recursive: true, encoding: 'utf8' })
    .filter((name) => fs.statSync(path.join(PLUGIN, name)).isFile())

  it('needs no installation', () => {
    expect(files.filter((name) => /node_modules|package(?:-lock)?\.json|\.ts$|\.map$/.test(name))).toEqual([])
  })

  it('has the MCP server that .mcp.json names', () => {
    const { mcpServers } = readJson('plugin', '.mcp.json')
    for (const server of Object.values(mcpServers) as { command: string; args: string[] }[]) {
      const [file = '', ...flags] = server.args.toReversed()
      expect(server.command).toBe('node')
      expect(fs.existsSync(inPlugin(file))).toBe(true)
      // V8 refuses compiled code of other options, of Node's own modules too: the greeting would wait for it.
      expect(flags).toEqual([])
    }
  })

  it('has a command for people that may be run and starts the bundle', () => {
    const command = path.join(PLUGIN, 'bin', 'memory-keeper')

    expect(fs.statSync(command).mode & 0o111).toBe(0o111)
    expect(fs.readFileSync(command, 'utf8')).toContain('cli.cjs')
    expect(fs.readFileSync(`${command}.cmd`, 'utf8')).toContain('cli.cjs')
    const script = fs.readFileSync(`${command}.ps1`, 'utf8')
    expect(script).toContain('cli.cjs')
    // Without it, PowerShell 5 pipes ASCII: a Korean text would be question marks.
    expect(script).toMatch(/\$OutputEncoding = .*UTF8/)
    expect(script).toContain('exit $LASTEXITCODE')
  })
})

describe('the skills and agents', () => {
  const read = (file: string): { head: Record<string, string>; body: string } => {
    const [, head = '', body = ''] =
      /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(fs.readFileSync(path.join(PLUGIN, file), 'utf8')) ?? []
    const fields = head.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    })
    return { head: Object.fromEntries(fields), body }
  }
  const skills = fs.readdirSync(path.join(PLUGIN, 'skills'))
  const agents = fs.readdirSync(path.join(PLUGIN, 'agents')).map((file) => file.replace(/\.md$/, ''))
  const instructions = fs.readFileSync(path.join(ROOT, 'src', 'core', 'notes', 'pending.ts'), 'utf8')

  const PEOPLES = [
    'forget',
    'memory-context',
    'memory-delta',
    'memory-facts',
    'memory-rotate',
    'memory-status',
    'remember',
    'run',
    'search-memory',
    'pause',
    'resume',
    'show',
    'undo',
    'dashboard',
  ]
  const CLAUDES = ['pending']
  const OURS = 'mcp__plugin_memory-keeper_memory__'

  const isForPeople = (skill: string): boolean => PEOPLES.includes(skill)
  const headOf = (skill: string): Record<string, string> => read(path.join('skills', skill, 'SKILL.md')).head
  const bodyOf = (skill: string): string => read(path.join('skills', skill, 'SKILL.md')).body

  it('are for people or for Claude, never for both', () => {
    expect(skills.toSorted()).toEqual([...PEOPLES, ...CLAUDES].toSorted())
    for (const skill of skills) {
      const { name, description = '', ...head } = headOf(skill)
      expect(name).toBe(skill)
      expect(head['disable-model-invocation']).toBe(isForPeople(skill) ? 'true' : undefined)
      expect(head['user-invocable']).toBe(isForPeople(skill) ? undefined : 'false')
      expect(description.length).toBeLessThan(260)
      // Or the host reads the line as something else.
      expect(description).not.toMatch(/: |^["'[{]/)
    }
  })

  it.each(CLAUDES)('%s runs an agent of ours, in a fork that is waited for', (skill) => {
    const head = headOf(skill)

    expect(head).toMatchObject({ context: 'fork', background: 'false' })
    expect(agents.map((agent) => `memory-keeper:${agent}`)).toContain(head.agent)
    // A skill with allowed-tools makes the host ask the user.
    expect(head['allowed-tools']).toBeUndefined()
    expect(bodyOf(skill)).toContain('$ARGUMENTS')
    expect(bodyOf(skill)).not.toMatch(/!`|^```!/m)
  })

  it.each(PEOPLES)('%s runs one command, without a question, and no shell reads its words', (skill) => {
    const [, command = '', rest = ''] = /^```!\n(.*)\n([\s\S]*?)```$/m.exec(bodyOf(skill)) ?? []

    expect(headOf(skill)['allowed-tools']).toBe('Bash(memory-keeper *)')
    expect(bodyOf(skill).match(/!`|^```!/gm)).toHaveLength(1)
    if (rest === '') expect(command).toBe(`memory-keeper skill ${skill} < /dev/null`)
    else {
      const end = /^memory-keeper skill (\S+) <<'(\w{20,})'$/.exec(command)
      expect(end?.[1]).toBe(skill)
      expect(rest).toBe(`$ARGUMENTS\n${end?.[2]}\n`)
    }
  })

  it('that people type are the ones our hook answers, and our command knows', () => {
    const [group] = hooks.UserPromptExpansion ?? []
    const answered = new RegExp(`^(?:${group?.matcher})$`)

    expect(skills.filter((skill) => answered.test(`memory-keeper:${skill}`)).toSorted()).toEqual(PEOPLES.toSorted())
    expect(skillNames().toSorted()).toEqual(PEOPLES.toSorted())
  })

  it('that Claude is asked to call are those that write', () => {
    const isAskedFor = (skill: string): boolean => instructions.includes(`'memory-keeper:${skill}'`)

    expect(skills.filter(isAskedFor)).toEqual(['pending'])
  })

  it.each(agents)('%s has Read, our own tools and nothing else, and Haiku', (agent) => {
    // Without Read the host refuses to run an agent whose server is not connected yet. All of ours by one name: each name is in every request.
    expect(read(path.join('agents', `${agent}.md`)).head).toMatchObject({
      ...{ name: agent, model: 'haiku' },
      tools: `Read, ${OURS}*`,
    })
  })
})
