/** The names of commands: what `--help` lists, what earlier names do, and the screen without a name. */

import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { addConcept, formatConcepts, NO_CONCEPTS } from '../../../src/core/knowledge/concept.ts'
import { formatItems } from '../../../src/core/knowledge/facts-file.ts'
import { COMMANDS } from '../../../src/doors/cli/commands.ts'
import { ALIASES, GROUPS, inTodaysNames, isRare } from '../../../src/doors/cli/names.ts'
import { nameOf } from '../../../src/kernel/memory/commands/command.ts'
import { fact, factsWith } from '../../support/fact.ts'
import { atTerminal, type Ran, runCommand } from '../../support/process.ts'
import {
  append,
  linesFor,
  makeProject,
  sessionId,
  type TestProject,
  treeOf,
  turns,
  write,
} from '../../support/project.ts'
import { stop } from '../../support/world.ts'

const SESSION = sessionId(1)

function remembering(): TestProject {
  const project = makeProject()
  append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 0, 3))
  stop(project)
  write(path.join(project.memory, 'facts.json'), formatItems(factsWith(fact())))
  return project
}

/** Without what differs between two projects. */
function plain(project: TestProject, { out, err, code }: Ran): string {
  return `${out}${err}${code}`
    .replaceAll(project.base, 'BASE')
    .replace(/"took_ms":\d+/, '')
    .replace(/Memory Keeper \d+\.\d+\.\d+/, 'Memory Keeper V')
}

/** What each earlier name is tried with, one after the other in one project. */
const TRIED: Readonly<Record<string, string[]>> = {
  'refine-all': [],
  'search-memory': ['question', '--json'],
  'generate-l3': [],
  'migrate-legacy': [],
  'migrate-timezone': [],
  'dedupe-l1': [],
  'memory-list': [],
  'memory-get': ['project'],
  'memory-set': ['project', 'A shop for', 'bicycles.'],
  'add-decision': ['We deploy on Tuesdays only.', '--reason', 'Support is there.'],
  'add-pattern': ['Every query goes through src/db/query.ts.'],
  'add-issue': ['The import is slow.'],
  'facts show': ['d001'],
  'facts edit': ['d001', '--reason', 'The bank asked for it.'],
  'facts resolve': ['i005', 'In batches.'],
  'facts reject': ['d002'],
  'facts restore': ['d002'],
  'facts reopen': ['i005'],
  'facts supersede': ['d001', '--by', 'd002'],
  'notes show': ['n-00000001-0-9'],
  'notes edit': ['n-00000001-0-9', '--text', 'A word.'],
  'notes remove': ['n-00000001-0-9'],
  'concepts show': ['c001'],
  'concepts rename': ['c001', 'Line', 'reader'],
  reflect: [],
  'update-concepts': ['sessions/any.l2.json'],
  'rules candidates': [],
  promote: ['d002', '--kind', 'rules'],
  demote: ['r001', '--why', 'We moved on.'],
  'rules decline': ['r001'],
  'pause project': [],
  pause: [],
  resume: [],
  'load-memory': ['--json'],
  'inject-rules': [],
  'memory-rotation': [],
  'refine-raw': [],
  'auto-compress': [],
  'compress-tiers': [],
  'extract-delta extract': [],
  'extract-delta': [],
  templates: [],
  'templates on': [],
  'templates off': [],
}

describe('an earlier name', () => {
  it('is tried here, each of them, and is none of a command of today', () => {
    expect(Object.keys(TRIED)).toEqual(Object.keys(ALIASES))
    const names = COMMANDS.map(nameOf)
    expect(Object.keys(ALIASES).filter((name) => names.includes(name))).toEqual([])
  })

  it.each(Object.entries(ALIASES))('%s is %s, with the same words behind it', (alias, today) => {
    const [words, args] = [alias.split(' '), TRIED[alias] ?? []]
    expect(inTodaysNames([...words, ...args], COMMANDS.map(nameOf))).toEqual([...today.split(' '), ...args])
  })

  it('is done, each of them', () => {
    const project = remembering()
    const [decision, issue] = [fact({ concept: 'c001' }), fact({ kind: 'issue', id: 'i005', text: 'The login fails.' })]
    const facts = factsWith(decision, fact({ id: 'd002', text: 'We pay in euros.' }), { ...issue, status: 'resolved' })
    write(path.join(project.memory, 'facts.json'), formatItems(facts))
    write(path.join(project.memory, 'concepts.json'), formatConcepts(addConcept(NO_CONCEPTS, 'Money').concepts))
    for (const line of ['final', 'page set project --text shop']) runCommand(project, line.split(' '))

    for (const [alias, args] of Object.entries(TRIED))
      expect(runCommand(project, [...alias.split(' '), ...args]), alias).toMatchObject({ code: 0, err: '' })
    expect(runCommand(project, ['memory-get', 'project']).out).toBe('A shop for bicycles.\n')
  })

  it.each(Object.entries(ALIASES))('%s has the help of %s', (alias, today) => {
    const project = makeProject()
    const help = runCommand(project, [...alias.split(' '), '--help'])

    expect(help.out).toContain(
      `Usage: memory-keeper ${nameOf(COMMANDS.find((one) => `${today} `.startsWith(`${nameOf(one)} `)) ?? { usage: '?' })}`,
    )
    expect(runCommand(project, ['help', ...alias.split(' ')])).toEqual(help)
  })

  it('may have the options of the program before it, and is a word like any other behind a name', () => {
    const names = COMMANDS.map(nameOf)
    expect(inTodaysNames(['--no-color', 'add-issue', 'Slow.'], names).join(' ')).toBe(
      '--no-color facts add issue Slow.',
    )
    expect(inTodaysNames(['search', 'promote'], names)).toEqual(['search', 'promote'])
    expect(inTodaysNames(['constructor'], names)).toEqual(['constructor'])
  })
})

describe('a script of the original', () => {
  const today = (line: string): string => inTodaysNames(line.split(' '), COMMANDS.map(nameOf)).join(' ')

  it.each([
    ['counter.js check', 'check'],
    ['counter check', 'check'],
    ['counter.js final --dry-run', 'final --dry-run'],
    ['counter.js reset', 'reset'],
    ['counter.js search-memory retry --json', 'search retry --json'],
    ['counter.js memory-set project x', 'page set project x'],
    ['counter.js generate-l3 memory_20260101_000000', 'summary memory_20260101_000000'],
    ['search.js retry cache', 'search retry cache'],
    ['load-memory.js', 'briefing'],
    ['inject-rules.js', 'rules list'],
    ['memory-rotation.js', 'compress'],
    ['refine-raw.js', 'import'],
    ['auto-compress.js', 'compress'],
    ['compress-tiers.js', 'compress'],
    ['update-concepts.js x.l2.json', 'compress x.l2.json'],
    ['migrate-timezone.js --timezone Asia/Seoul', 'migrate --timezone Asia/Seoul'],
    ['extract-delta.js extract', 'delta'],
    ['extract-delta.js', 'delta'],
    ['init.js', 'init'],
    ['help counter.js final', 'final --help'],
    ['search a.js', 'search a.js'],
    ['page get notes.js', 'page get notes.js'],
  ])('%s is %s', (line, meant) => {
    expect(today(line)).toBe(meant)
  })

  it.each([
    ['save-memory', 'final'],
    ['memory-save', 'final'],
    ['clear-memory', 'forget'],
    ['counter.js', 'status'],
    ['counter', 'status'],
    ['save-l2.js facts.json', 'facts add'],
    ['save-session.js', 'note'],
    ['extract-delta.js mark-updated', 'final'],
    ['extract-delta cleanup', 'final'],
    ['constants.js', 'config list'],
    ['constants', 'config list'],
    ['utils.js', '--help'],
    ['run-hook.cmd', 'doctor'],
    ['run-hook.cmd load-memory.js', 'doctor'],
  ])('%s names the command of today, and does nothing', (line, named) => {
    const project = remembering()
    const before = treeOf(project.base)
    const { out, err, code } = runCommand(project, line.split(' '))

    expect({ out, code }).toEqual({ out: '', code: 2 })
    expect(err).toContain(`memory-keeper ${named}`)
    expect(runCommand(project, ['help', ...line.split(' ')]).err).toBe(err)
    expect(runCommand(project, ['--no-color', ...line.split(' '), '--json']).out).toContain('"code":"usage"')
    expect(treeOf(project.base)).toEqual(before)
  })
})

describe('the list of --help', () => {
  const { out } = runCommand(makeProject(), ['--help'])

  it('names rare commands in its last line only, and no earlier name', () => {
    const [list = '', after = ''] = out.split('For upkeep and scripts: ')
    const rare = after.replace(/\s+/g, ' ')
    for (const name of COMMANDS.filter(isRare).map(nameOf)) {
      expect(rare.trim().split(/, |\.$/)).toContain(name)
      expect(list).not.toMatch(new RegExp(`^  ${name}\\s`, 'm'))
    }
    // A word like templates may stand in what a command does.
    for (const name of Object.keys(ALIASES)) expect(list).not.toMatch(new RegExp(`^  ${name}\\s`, 'm'))
    for (const name of Object.keys(ALIASES)) expect(rare).not.toMatch(new RegExp(`\\b${name}\\b`))
  })

  it('has at most 45 rows, none of them broken, and every place is that of a command', () => {
    const names = COMMANDS.map(nameOf)
    expect(
      Object.values(GROUPS)
        .flat()
        .filter((name) => !names.includes(name)),
    ).toEqual([])
    const shown = atTerminal(makeProject(), ['--help'], { NO_COLOR: '1', COLUMNS: '80' }).out.trimEnd().split('\n')
    expect(shown.length).toBeLessThanOrEqual(45)
    for (const row of shown) {
      expect(row.length).toBeLessThanOrEqual(80)
      expect(row).not.toContain('…')
    }
  })
})

describe('a group alone', () => {
  it.each(['facts', 'notes', 'rules', 'config', 'page', 'concepts', 'recall'])('%s lists', (group) => {
    const project = remembering()
    const listed = runCommand(project, [group, 'list'])

    expect(listed.code).toBe(0)
    expect(runCommand(project, [group])).toEqual(listed)
    expect(runCommand(project, [group, '--json'])).toEqual(runCommand(project, [group, 'list', '--json']))
    expect(runCommand(project, [group, '--help']).out).toContain(`Usage: memory-keeper ${group}`)
  })
})

describe('--project before the command', () => {
  it.each([
    ['--project /x search a', 'search a --project /x'],
    ['--project=/x rules', 'rules list --project=/x'],
    ['--no-color --project /x memory-list', '--no-color page list --project /x'],
    ['--project /x search -- --json', 'search --project /x -- --json'],
    ['--project /x', 'status --short --project /x'],
  ])('%s is %s', (given, meant) => {
    expect(inTodaysNames(given.split(' '), COMMANDS.map(nameOf))).toEqual(meant.split(' '))
  })

  it('names the project', () => {
    const project = remembering()
    const elsewhere = makeProject('other', project.base)
    expect(runCommand(elsewhere, ['--project', project.root, 'sessions']).out).toContain('00000001')
  })
})

describe('memory-keeper alone', () => {
  it('says in a new project how to begin, and writes nothing', () => {
    const project = makeProject()
    const before = treeOf(project.base)
    const ran = runCommand(project, [])

    expect(plain(project, ran)).toBe(
      [
        'Memory Keeper V  BASE/app',
        '  remembered  nothing yet: sessions are captured as you work',
        '  waiting     nothing',
        '',
        '  memory-keeper init    create the memory directory, with templates for its pages',
        '  memory-keeper import  capture the sessions that are still on this machine',
        '  memory-keeper demo    the whole cycle on sample sessions',
        '  memory-keeper doctor  check the installation',
        '  memory-keeper --help  all commands',
        '0',
      ].join('\n'),
    )
    expect(treeOf(project.base)).toEqual(before)
  })

  it('says what is remembered, what waits and what to type next', () => {
    const project = remembering()
    expect(plain(project, runCommand(project, []))).toBe(
      [
        'Memory Keeper V  BASE/app',
        '  remembered    1 session, 0 notes, 1 fact, 8 rules',
        '  last session  2026-01-13 09:00  00000001  question 0',
        '  waiting       9 entries without a note yet; notes are written as you work',
        '',
        '  memory-keeper search "…"    find what is remembered',
        '  memory-keeper facts         decisions, patterns and issues',
        '  memory-keeper remember "…"  save something now',
        '  memory-keeper undo          undo the last change',
        '  memory-keeper status        all figures',
        '  memory-keeper --help        all commands',
        'Times are in UTC.',
        '0',
      ].join('\n'),
    )
    expect(runCommand(project, ['--no-color']).out).toBe(runCommand(project, []).out)
  })

  it('has at most 15 lines when much waits, and points to the rest', () => {
    const project = remembering()
    append(project.transcriptOf(sessionId(2)), turns(linesFor(sessionId(2), project.root), 0, 1))
    runCommand(project, ['lesson', 'add', 'Run the migrations before the tests.'])
    const { out } = runCommand(project, [])

    expect(out).toContain('1 proposed rule to accept or decline → memory-keeper rules')
    expect(out).toContain('1 transcript to catch up → memory-keeper import')
    expect(out.trimEnd().split('\n').length).toBeLessThanOrEqual(15)
  })
})
