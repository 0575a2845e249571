import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cut } from '../../../src/kernel/text/shorten.ts'
import { commandOf, errorWorth, isOurTool, outputWorth, plainOutput } from '../../../src/kernel/transcript/tool-line.ts'

const HOME = '/home/ada/engine'
const TODOS = ['completed a', 'in_progress b'].map((todo) => ({ status: todo.slice(0, -2), content: todo.slice(-1) }))

describe('the argument that matters', () => {
  it.each([
    ['Bash', { command: 'cd /x && npm test', description: 'Run tests' }, 'cd /x && npm test'],
    ['PowerShell', { command: 'Get-ChildItem' }, 'Get-ChildItem'],
    ['Read', { file_path: `${HOME}/src/a.ts`, limit: 5 }, 'src/a.ts'],
    ['Edit', { file_path: '/etc/hosts', old_string: 'a', new_string: 'b' }, '/etc/hosts'],
    ['Write', { content: 'x', file_path: `${HOME}/b.md` }, 'b.md'],
    ['NotebookEdit', { notebook_path: `${HOME}/n.ipynb` }, 'n.ipynb'],
    ['LS', { path: HOME }, '.'],
    ['Read', { file_path: '/home/ada/engine-two/a.ts' }, '/home/ada/engine-two/a.ts'],
    ['Grep', { pattern: 'foo', path: `${HOME}/src`, glob: '*.ts' }, 'foo src *.ts'],
    ['Glob', { pattern: '**/*.md' }, '**/*.md'],
    ['Agent', { subagent_type: 'Explore', description: 'it', prompt: 'Look in src' }, '[Explore] it Look in src'],
    ['Task', { description: 'find it', prompt: '' }, 'find it'],
    ['Skill', { skill: 'pdf', args: 'a.pdf' }, 'pdf a.pdf'],
    ['WebFetch', { url: 'https://example.org', prompt: 'sum up' }, 'https://example.org'],
    ['WebSearch', { query: 'vitest 4' }, 'vitest 4'],
    ['TodoWrite', { todos: TODOS }, '1/2 done; now: b'],
    ['AskUserQuestion', { questions: [{ question: 'Which?' }, { question: 'When?' }] }, 'Which? | When?'],
    ['ExitPlanMode', { plan: '1. do it' }, '1. do it'],
    ['SendMessage', { to: 'bob', message: 'hi' }, 'bob hi'],
    ['TaskUpdate', { taskId: '3', status: 'completed' }, '3 completed'],
    ['BashOutput', { bash_id: 'b7' }, 'b7'],
    ['mcp__db__query', { sql: 'select 1', limit: 3 }, '{"sql":"select 1","limit":3}'],
    ['mcp__db__ping', {}, ''],
    ['SomethingNew', { depth: 3 }, '{"depth":3}'],
  ])('%s %j', (name, input, command) => {
    expect(commandOf(name, input, HOME)).toBe(command)
  })

  it('keeps a shell command word for word, however long', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 200 }), (piece, times) => {
        const command = piece.repeat(times)
        expect(commandOf('Bash', { command }, HOME)).toBe(command)
      }),
    )
  })

  it('tells Windows paths relative to a Windows base', () => {
    expect(commandOf('Read', { file_path: 'C:\\proj\\src\\a.ts' }, 'C:\\proj')).toBe('src\\a.ts')
    expect(commandOf('Read', { file_path: 'C:\\project\\a.ts' }, 'C:\\proj')).toBe('C:\\project\\a.ts')
  })

  it('bounds every other argument and bears any input', () => {
    const name = fc.constantFrom('Read', 'Agent', 'Grep', 'TodoWrite', 'AskUserQuestion', 'Skill', 'New', 'mcp__a__b')
    fc.assert(
      fc.property(name, fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), (tool, input) => {
        expect(typeof commandOf(tool, input, HOME)).toBe('string')
      }),
    )
    expect(commandOf('New', { query: 'y'.repeat(5000) }, HOME).length).toBe(200)
    expect(commandOf('mcp__a__b', { query: 'y'.repeat(5000) }, HOME).length).toBe(200)
    expect(commandOf('ExitPlanMode', { plan: 'y'.repeat(5000) }, HOME).length).toBe(5000)
    for (const broken of [null, 5, 'x', [null], [5]]) {
      expect(typeof commandOf('AskUserQuestion', { questions: broken }, HOME)).toBe('string')
      expect(typeof commandOf('TodoWrite', { todos: broken }, HOME)).toBe('string')
    }
  })
})

describe('how much output is worth', () => {
  it.each(['Bash', 'Agent', 'Task', 'WebFetch', 'WebSearch', 'mcp__db__query', 'BashOutput', 'SomethingNew'])(
    '%s keeps it',
    (name) => {
      expect(outputWorth(name, 'npm test', 300)).toBe(300)
      expect(errorWorth(name, 300)).toBe(300)
    },
  )

  it.each('Read Write Edit MultiEdit NotebookEdit Glob Grep LS TodoWrite Skill ToolSearch'.split(' '))(
    '%s keeps none, and of an error one sentence',
    (name) => {
      expect(outputWorth(name, 'a.ts', 300)).toBe(0)
      expect(errorWorth(name, 300)).toBe(120)
      expect(errorWorth(name, 50)).toBe(50)
    },
  )

  it.each([
    ...['cat a.ts', 'ls -la', 'cd src && grep -rn foo . | head -20', 'git log --oneline -5; git status'],
    ...['git -C /x diff', 'LC_ALL=C sort a | uniq -c', 'gh pr view 12', "echo '--'; rg foo"],
  ])('only glances at %s', (command) => {
    expect(outputWorth('Bash', command, 300)).toBe(80)
    expect(outputWorth('Bash', command, 50)).toBe(50)
  })

  it.each(['npm test', 'cat a.ts && npm test', 'git commit -m x', 'echo done', 'lsof -i', 'catalog', 'ls | xargs rm'])(
    'keeps what %s says',
    (command) => {
      expect(outputWorth('Bash', command, 300)).toBe(300)
    },
  )

  it.each([
    ['mcp__plugin_memory-keeper_memory__search', ''],
    ['Bash', 'memory-keeper search foo'],
    ['Bash', 'cd /x && memory-keeper status'],
    ['Bash', '/opt/plugin/bin/memory-keeper verify'],
    ['Bash', '"/opt/my plugins/bin/memory-keeper" verify'],
    ['Bash', 'TZ=UTC memory-keeper status | head'],
    ['Bash', 'npx memory-keeper status'],
    ['PowerShell', 'C:\\plugin\\bin\\memory-keeper.cmd status'],
  ])('keeps nothing of our own: %s %s', (name, command) => {
    expect(isOurTool(name, command)).toBe(true)
    expect(outputWorth(name, command, 300)).toBe(0)
  })

  it.each([
    ['Bash', 'cd /src/memory-keeper && npm test'],
    ['Bash', 'git clone https://example.org/memory-keeper && npm test'],
    ['Bash', 'memory-keeper-two run'],
    ['mcp__memory__search', 'memory-keeper'],
  ])('does not take for our own what only bears the name: %s %s', (name, command) => {
    expect(isOurTool(name, command)).toBe(false)
  })
})

describe('output as a person reads it', () => {
  it.each([
    ['Async agent launched successfully. (This tool result is internal metadata)\nagentId: a1 (internal)', ''],
    ['Spawned successfully. (This tool result is internal metadata)\nname: review', ''],
    ['Command running in background with ID: b1. Output is being written to: /tmp/b1.output.', ''],
    ['Output too large (58.6KB). Full output saved to: /x/y.txt\n\nPreview (first 2KB):\nreal output', 'real output'],
    ['The agent was Spawned successfully. (fine)', 'The agent was Spawned successfully. (fine)'],
  ])('is not what the host says of itself: %s', (text, plain) => {
    expect(plainOutput(text)).toBe(plain)
  })

  it('has no colours, reminders, wrappers and empty lines', () => {
    expect(plainOutput('\u001b[31mred\u001b[0m \u001b[?25lx')).toBe('red x')
    expect(plainOutput('a<system-reminder>be brief</system-reminder>b')).toBe('ab')
    expect(plainOutput('a <system-reminder>cut o')).toBe('a')
    expect(plainOutput('<tool_use_error>File not found</tool_use_error>')).toBe('File not found')
    expect(plainOutput('(Bash completed with no output)')).toBe('')
    expect(plainOutput('a   \r\n\r\n\n   b\t\tc')).toBe('a\nb c')
  })

  it('keeps every word of a text without markup', () => {
    fc.assert(
      fc.property(fc.lorem({ mode: 'sentences' }), (text) => {
        expect(plainOutput(text).split(/\s+/)).toEqual(text.trim().split(/\s+/))
      }),
    )
  })
})

describe('cut', () => {
  it('gives a beginning of at most so many units and splits no character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), (text, max) => {
        const head = cut(text, max)
        expect(text.startsWith(head)).toBe(true)
        expect(head.length).toBeLessThanOrEqual(max)
        expect(head.length).toBeGreaterThanOrEqual(Math.min(text.length, max - 1))
        expect(Buffer.from(head).toString('utf8')).toBe(head)
      }),
    )
    expect(cut('a😀b', 2)).toBe('a')
    expect(cut('a😀b', 3)).toBe('a😀')
  })
})

// bench/hostile.ts measures how the time grows.
it.each(['\n', 'f(', '(a=', '("', ';  ', 'a=b '])('a large command of %j is judged, and is not ours', (part) => {
  expect(isOurTool('Bash', part.repeat(50_000))).toBe(false)
})

it('commandOf gives nothing or the beginning of an argument nested without end', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)

  // V8 before Node 26 gives up on parsing it.
  const canParse = Number(process.versions.node.split('.')[0]) >= 26
  expect(commandOf('mcp__x__y', deep, HOME)).toBe(canParse ? '{"a":'.repeat(40) : '')
})

// bench/hostile.ts measures how the time grows: of a square, each of these would take minutes.
it.each([
  ['carriage returns', '<a>', '\r'],
  ['line separators', '<a>', '\u2028'],
  ['host sentences', '', '\rOutput too large ('],
])('an output full of %s is read to its end', (_, begin, unit) => {
  expect(plainOutput(`${begin}${unit.repeat(2_000_000 / unit.length)}x`)).toMatch(/x$/)
})
