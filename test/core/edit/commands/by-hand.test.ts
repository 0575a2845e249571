/** Commands of a change by hand: which change each line makes, where its text comes from, and what is printed. */

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { HAND_COMMANDS } from '../../../../src/core/edit/commands/by-hand.ts'
import { CONCEPT_COMMANDS, FACT_COMMANDS } from '../../../../src/core/edit/commands/facts.ts'
import { NOTES_COMMANDS, PAGE_COMMANDS } from '../../../../src/core/edit/commands/notes.ts'
import { RULES_COMMANDS } from '../../../../src/core/edit/commands/rules.ts'
import { VERB_COMMANDS } from '../../../../src/core/edit/commands/verbs.ts'
import { listUndo } from '../../../../src/core/edit/disk/undo.ts'
import { readFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { allPermanent } from '../../../../src/core/knowledge/items.ts'
import { parseRules } from '../../../../src/core/pages/rule.ts'
import { COMMANDS } from '../../../../src/doors/cli/commands.ts'
import { nameOf } from '../../../../src/kernel/memory/commands/command.ts'
import { known, NOTE, TOLD } from '../../../support/by-hand.ts'
import { listed } from '../../../support/fact.ts'
import { atTerminal } from '../../../support/process.ts'
import { append, makeProject, storeOf, type TestProject, treeOf, write } from '../../../support/project.ts'
import { errorOf, jsonOf, printed, typed } from '../../../support/typed.ts'

const INSIDE = { CLAUDECODE: '1' }
const read = (project: TestProject, name: string): string => fs.readFileSync(path.join(project.memory, name), 'utf8')
const last = (project: TestProject): string | undefined => listUndo(storeOf(project))[0]?.what

/** Each line, and what its change gives to programs. */
const LINES: readonly [string, object][] = [
  [
    'facts add pattern Prices are "kept here." --file a.ts --file b.ts --reason why --concept Money',
    {
      fact: { type: 'pattern', text: 'Prices are kept here.', files: ['a.ts', 'b.ts'], reason: 'why', concept: 'c001' },
    },
  ],
  ['facts add decision Prices are kept in cents. --anyway', { is: 'added', fact: { id: 'd007' } }],
  [
    'edit d001 --text "Use integers." --reason why --file x.ts --concept Speed',
    { fact: { text: 'Use integers.', reason: 'why', files: ['x.ts'], concept: 'c003' } },
  ],
  ['resolve i003 In batches now.', { fact: { status: 'resolved', resolution: 'In batches now.' } }],
  ['reject d001 --why idea', { fact: { state: 'rejected', judged: { why: 'idea', other: null, by: 'user' } } }],
  ['reject d001 --why idea --by d002', { fact: { state: 'superseded', judged: { why: 'idea', other: 'd002' } } }],
  ['edit r001 Ask first.', { id: 'r001', text: 'Ask first.', status: 'proposed' }],
  ['edit rules.md#2 Be very brief.', { rule: 'Be very brief.' }],
  ['edit page:project A shop.', { name: 'project', bytes: 8 }],
  ['edit c001 Card provider', { id: 'c001', name: 'Card provider' }],
  ['pin d001', { fact: { id: 'd001', pinned: true } }],
  ['unpin p006', { fact: { id: 'p006' } }],
  ['concepts merge c002 c001', { from: 'c002', into: 'c001', facts: 1 }],
  ['note --text "Remember the milk."', { note: { author: 'user', text: 'Remember the milk.' }, replaced: false }],
  ['remember Remember the milk.', { note: { author: 'user', text: 'Remember the milk.' } }],
  [`edit ${TOLD.id} --text "At noon."`, { note: { id: TOLD.id, author: 'user', text: 'At noon.' } }],
  [`reject ${NOTE.id}`, { removed: { id: NOTE.id } }],
  ['page set project A shop.', { name: 'project', bytes: 8 }],
  ['page set lessons --append --text More.', { name: 'lessons', bytes: 44 }],
  ['rules add Be early.', { rule: 'Be early.', rules: ['Be kind.', 'Be brief.', 'Be early.'] }],
  ['rules remove be kind.', { rule: 'Be kind.', rules: ['Be brief.'] }],
  ['rules remove 2', { rule: 'Be brief.', rules: ['Be kind.'] }],
  ['rules remove R002 --why moved', { id: 'r002', status: 'superseded', judged: { why: 'moved' } }],
  ['rules accept r001 --kind solutions --text "Ask first."', { id: 'r001', kind: 'solutions', text: 'Ask first.' }],
  ['reject r001', { id: 'r001', status: 'declined' }],
  ['reject r002 --why moved', { id: 'r002', status: 'superseded', judged: { why: 'moved' } }],
  ['reject rules.md#1', { rule: 'Be kind.', rules: ['Be brief.'] }],
  ['rules init', { rules: expect.arrayContaining(['Be kind.', 'Cut no corners.']) }],
  ['lesson add Cut once.', { lesson: 'Cut once.', isNew: true, rule: 'r003' }],
]

describe('a command of a change by hand', () => {
  it.each(LINES)('%s makes its change as the user’s, and with --dry-run none', (line, json) => {
    const project = known()
    const before = treeOf(project.base)
    const planned = typed(project, `${line} --dry-run`)
    expect(planned).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^Dry run, nothing is changed:\n./) })
    expect(treeOf(project.base)).toEqual(before)

    expect(jsonOf(project, line)).toMatchObject({ ...json, redactions: 0 })
    expect(listUndo(storeOf(project))).toMatchObject([{ by: 'user' }])
  })

  it('every command of the slice that writes has a line here', () => {
    const all = [
      ...FACT_COMMANDS,
      ...CONCEPT_COMMANDS,
      ...HAND_COMMANDS,
      ...VERB_COMMANDS,
      ...NOTES_COMMANDS,
      ...PAGE_COMMANDS,
      ...RULES_COMMANDS,
    ]
    const writing = all.filter(({ writes }) => writes === true).map(nameOf)
    const without = writing.filter((name) => !LINES.some(([line]) => line === name || line.startsWith(`${name} `)))

    expect(without).toEqual(['undo'])
    expect(COMMANDS.map(nameOf)).toEqual(expect.arrayContaining(writing))
  })

  it('the first printed line is what was changed, and control characters are shown harmlessly', () => {
    const project = known()
    append(path.join(project.memory, 'rules.md'), '- Be \u001b[2J early.\n')
    const facts = fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8')
    write(path.join(project.memory, 'facts.json'), facts.replace('a cookie', 'a \\u001b[2Jcookie'))
    expect(printed(project, 'facts resolve i004 Another one.')).toContain('the resolution was: a \ufffd[2Jcookie')
    expect(printed(project, 'rules remove 3')).toMatch(/^Removed: Be \[2J early\.\n2 rules of yours in /)
  })
})

describe('remember', () => {
  it.each<[string, string, RegExp]>([
    [
      'decision: We pay in euros.',
      'add d007',
      /^d007 We pay in euros\.\nSaved as your decision\. memory-keeper undo takes it back\.\n$/,
    ],
    ['Pattern: Names are short.', 'add p007', /^p007 Names are short\.\nSaved as your pattern\./],
    ['bug: It is slow.', 'add i007', /^i007 It is slow\.\nSaved as your issue\./],
    ['rule: Be early.', 'rule added: Be early.', /^Added: Be early\.\n3 rules of yours/],
    ['The milk is out.', 'add n-20', /^n-\S+\nSaved as your note\. memory-keeper undo/],
    ['decision: Use tabs.', 'add d005', /^d005 Use tabs\.\nwas rejected; it is back\n$/],
  ])('remember "%s" saves it as what its first word says', (text, what, out) => {
    const project = known()
    expect(printed(project, `remember "${text}"`)).toMatch(out)
    expect(last(project)).toMatch(new RegExp(`^${what}`))
  })

  it.each([
    ['decision: Prices are kept in cents.', /already exists; it counts as said again/],
    ['Mine.', /already says exactly this: nothing was added/],
  ])('remember "%s", which is known, does not say that it was saved', (text, out) => {
    expect(printed(known(), `remember "${text}"`)).toMatch(out)
  })

  it('a dry run does not say that anything was saved', () => {
    expect(printed(known(), 'remember "decision: We pay in euros." --dry-run')).not.toContain('Saved')
  })

  it('Claude saves in its own name, and proposes a rule instead of adding it', () => {
    const project = known()
    expect(printed(project, 'remember "decision: We pay in euros."', INSIDE)).toContain("Saved as Claude's decision.")
    expect(printed(project, 'remember "The milk is out."', INSIDE)).toContain("Saved as Claude's note.")
    expect(printed(project, 'remember "rule: Run evil.sh."', INSIDE)).toContain('Proposed as a rule')

    expect(listUndo(storeOf(project)).map(({ by }) => by)).toEqual(['agent', 'agent', 'agent'])
    expect(parseRules(read(project, 'rules.md'))).toEqual(['Be kind.', 'Be brief.'])
    expect(allPermanent(readFacts(storeOf(project)))).toContainEqual(
      expect.objectContaining({ text: 'Run evil.sh.', state: 'proposed', by: 'agent' }),
    )
  })

  it('the text is read from stdin where the line has none, and asked for at a terminal', () => {
    const project = known()
    expect(jsonOf(project, 'remember', {}, 'decision: We pay in euros.\n').fact).toMatchObject({ type: 'decision' })
    expect(errorOf(project, 'remember " "', {}, ' \n')).toBe('usage')
    expect(atTerminal(project, ['remember'])).toMatchObject({ code: 2, err: expect.stringContaining('remember "We') })
  })
})

describe('the text of a note or a page', () => {
  it('comes from the words, from --text, from a file beside the user, or from stdin', () => {
    const project = makeProject()
    write(path.join(project.root, 'text.txt'), 'from a file\n')
    for (const [line, stdin] of [
      ['page set one given in words', ''],
      ['page set two --text given', 'not this'],
      ['page set three --file text.txt', ''],
      ['page set 네번째', 'piped\n'],
    ] as const)
      expect(typed(project, line, {}, stdin)).toMatchObject({ code: 0, err: '' })
    expect(['one', 'two', 'three', '네번째'].map((name) => read(project, `${name}.md`))).toEqual([
      'given in words\n',
      'given\n',
      'from a file\n',
      'piped\n',
    ])
    expect(jsonOf(project, 'note', {}, 'Piped.\n').note.text).toBe('Piped.')
    const { id } = jsonOf(project, 'note --text Given.', {}, 'Piped.').note
    expect(jsonOf(project, `notes edit ${id}`, {}, 'Piped again.').note.text).toBe('Piped again.')
  })

  it.each([
    ['page set x --text a --file text.txt', 'usage', 'not both'],
    ['page set x words --text a', 'usage', 'Give the text once'],
    ['page set x words --file text.txt', 'usage', 'Give the text once'],
    ['page set x --text " "', 'empty-page', 'nothing was changed'],
    ['page set x --file none.txt', 'no-file', 'none.txt is not there or not a file'],
    ['page set x --file .', 'no-file', 'not a file'],
    ['page set x --file image.png', 'not-text', 'is not a text file'],
    ['note --text " "', 'empty-note', 'The text is empty'],
    [`notes edit ${NOTE.id}`, 'empty-note', 'The text is empty'],
    ['page set ../x --text a', 'usage', '"../x" cannot be the name of a page'],
    ['page set rules --text a', 'usage', 'cannot be the name of a page'],
    ['page get memory', 'usage', 'cannot be the name of a page'],
  ])('%s is refused, and nothing is written', (line, code, message) => {
    const project = known()
    write(path.join(project.root, 'text.txt'), 'text\n')
    write(path.join(project.root, 'image.png'), Buffer.from([0x89, 0x50, 0, 0]))
    const before = treeOf(project.root)
    expect(jsonOf(project, line).error).toMatchObject({ code, message: expect.stringContaining(message) })
    expect(treeOf(project.root)).toEqual(before)
  })

  it('a text that is missing is asked for at a terminal', () => {
    for (const line of [['note'], ['page', 'set', 'x'], ['notes', 'edit', NOTE.id]])
      expect(atTerminal(known(), line)).toMatchObject({ code: 2, err: expect.stringContaining('--text') })
  })
})

describe('note --delta', () => {
  it('a note about no open delta is an error for programs and people, an empty one is refused before it counts', () => {
    const project = known()
    const before = treeOf(project.base)
    expect(jsonOf(project, 'note --delta ffffffff-0-9 --text Words.')).toMatchObject({
      error: { code: 'not-open' },
      notFound: [],
    })
    expect(typed(project, 'note --delta ffffffff-0-9 --text Words.')).toMatchObject({
      ...{ code: 1, out: '', err: expect.stringContaining('Nothing was saved.') },
    })
    expect(errorOf(project, 'note --delta ffffffff-0-9 --text " "')).toBe('empty-note')
    expect(treeOf(project.base)).toEqual(before)
  })
})

describe('page get', () => {
  it('a page that does not exist is refused with those that do', () => {
    expect(jsonOf(known(), 'page get other').error).toMatchObject({
      ...{
        code: 'no-page',
        message: expect.stringContaining('There are: lessons. To write it: memory-keeper page set other'),
      },
    })
    expect(jsonOf(makeProject(), 'page get other').error.message).toContain('There are no pages yet.')
  })

  it('a page prints its text harmlessly, without a second line end', () => {
    const project = known()
    write(path.join(project.memory, 'project.md'), '# Shop\nA \u001b[2Jshop.\n')
    expect(typed(project, 'page get Project.md')).toMatchObject({ out: '# Shop\nA \ufffd[2Jshop.\n', err: '' })
    expect(jsonOf(project, 'page get project')).toEqual({
      name: 'project',
      text: '# Shop\nA \u001b[2Jshop.\n',
      bytes: 19,
    })
  })

  it('a page above 64 KB is cut at a whole character, with a warning', () => {
    const project = known()
    write(path.join(project.memory, 'long.md'), '가'.repeat(30_000))
    expect(typed(project, 'page get long')).toMatchObject({
      out: `${'가'.repeat(21_845)}\n`,
      err: expect.stringContaining('Only the first 64 KB'),
    })
    write(path.join(project.memory, 'long.md'), 'x'.repeat(65_536))
    expect(typed(project, 'page get long').err).toBe('')
    write(path.join(project.memory, 'marked.md'), '\ufeffA shop.\n')
    expect(typed(project, 'page get marked')).toMatchObject({ out: 'A shop.\n', err: '' })
  })
})

describe('page list', () => {
  it('pages are listed with their sizes, and those without text are named', () => {
    const project = known()
    write(path.join(project.memory, 'project.md'), '# Project\n\n<!-- nothing yet -->\n')
    write(path.join(project.memory, 'words.md'), '# Words\n\nA record is one line.\n')
    expect(printed(project, 'page list')).toMatch(
      /^lessons +38 B +- Look first\.\nproject +32 B +not filled in: not injected\nwords +31 B +A record is one line\.\n$/,
    )
    expect(jsonOf(project, 'page list').pages).toContainEqual({
      name: 'words',
      bytes: 31,
      isEmpty: false,
      about: 'A record is one line.',
    })
    expect(printed(makeProject(), 'page list')).toMatch(/^No pages yet\. /)
  })
})

describe('notes list', () => {
  it('notes are listed newest first with author and session, and what was written by hand is counted', () => {
    const project = known()
    expect(printed(project, 'notes list')).toMatch(
      new RegExp(
        `^${TOLD.id} +2026-01-13 09:00 +agent +1a2b3c4d +They met\\.\\n${NOTE.id} +2026-01-13 09:00 +user +– +Mine\\.\\n1 more paragraph in memory\\.md, written by hand\\.\\n`,
      ),
    )
    expect(jsonOf(project, 'notes list --limit 1')).toMatchObject({ notes: [{ id: TOLD.id }], total: 2, byHand: 1 })
    expect(errorOf(project, 'notes list --limit 0')).toBe('usage')
    expect(atTerminal(project, ['notes', 'list'], { NO_COLOR: '1' }).out).not.toContain('agent')
    expect(printed(makeProject(), 'notes list')).toMatch(/^No notes yet\. /)
  })
})

describe('undo', () => {
  it('undo takes back the last change and says so, and with --skip keeps it', () => {
    const project = known()
    typed(project, 'rules add "Be early."')
    typed(project, 'pin d001')
    typed(project, 'facts reject d002')
    expect(printed(project, 'undo --dry-run')).toMatch(/^Dry run, nothing is changed:\nUndone: reject d002/)
    expect(jsonOf(project, 'undo').undone).toMatchObject({ what: 'reject d002', by: 'user' })
    expect(jsonOf(project, 'undo --skip').skipped).toMatchObject({ what: 'pin d001' })
    expect(printed(project, 'undo')).toMatch(
      /^Undone: rule added: Be early\.\nIt was done .*, by you; restored: rules\.md\n$/,
    )
    expect(errorOf(project, 'undo')).toBe('nothing')
    expect(listed(readFacts(storeOf(project))).decisions[0]?.pinned).toBe(true)
  })

  it('undo --list shows changes newest first, with what cannot be undone, and changes nothing', () => {
    const project = known()
    expect(printed(project, 'undo --list')).toBe('There is no change by hand to undo.\n')
    typed(project, 'rules add "Be early."')
    typed(project, 'remember "The milk is out."', INSIDE)
    const journal = path.join(project.memory, 'journal', 'undo.jsonl')
    const earlier = { version: 1, at: '2026-01-13T09:00:00.000Z', by: 'user', what: 'pin d001' }
    const large = { ...earlier, version: 2, what: 'pin d002', files: [] }
    append(journal, `${JSON.stringify(earlier)}\n${JSON.stringify(large)}\n`)
    const before = treeOf(project.base)

    expect(printed(project, 'undo --list')).toMatch(
      /^\S+ \S+ {2}you +too large; cannot be undone +pin d002\n\S+ \S+ {2}you +made by an earlier version; cannot be undone +pin d001\n\S+ \S+ {2}Claude +add n-.*\n\S+ \S+ {2}you +rule added: Be early\.\nNewest first: memory-keeper undo takes back the newest\.\n/,
    )
    expect(jsonOf(project, 'undo --list --limit 1')).toMatchObject({
      changes: [{ what: 'pin d002', files: null }],
      total: 4,
    })
    expect(treeOf(project.base)).toEqual(before)
  })

  it.each(['undo --limit 5', 'undo --limit x', 'undo --list --limit x', 'undo --list --limit 0'])(
    '%s is an error, and takes nothing back',
    (line) => {
      const project = known()
      typed(project, 'pin d001')
      expect(errorOf(project, line)).toBe('usage')
      expect(last(project)).toBe('pin d001')
    },
  )
})

describe('rules list', () => {
  it('rules are listed by where they come from, with their state and evidence, and the next step', () => {
    const project = known()
    typed(project, 'rules accept d001')
    const out = printed(project, 'rules list')

    expect(out).toMatch(/^Built in\n {6}Never delete[\s\S]*builtinRules is prompt; to change it: .* builtinRules off/)
    expect(out).toMatch(/\nYours\n {3}1 {2}Be kind\.\n {3}2 {2}Be brief\.\n\S+rules\.md\n/)
    expect(out).toMatch(
      /\nLearned, active\n {2}r002 {2}rule: Tests first\.\n {2}r003 {2}rule: Prices are kept in cents\. \(from d001; said in 1 session\)\n {8}L1:1a2b3c4d#4 {2}"keep prices in cents"\n {8}judged by user\n/,
    )
    expect(out).toMatch(
      /\nLearned, proposed: they wait for your approval\n {2}r001 {2}rule: Ask before a push\. \(from d002\)\n/,
    )
    expect(out).toMatch(/memory-keeper rules accept r001 {3}\(or: memory-keeper reject r001\)\n$/)
    expect(jsonOf(project, 'rules list')).toMatchObject({
      ...{ rules: ['Be kind.', 'Be brief.'], told: true, proposed: [{ id: 'r001' }], retired: [] },
      ...{ permanent: [{ id: 'r002' }, { id: 'r003', kind: 'rules' }] },
    })

    for (const line of ['rules decline r001', 'rules remove r003 --why "we moved"']) typed(project, line)
    const later = printed(project, 'rules list')
    expect(later).toMatch(/\nRetired\n {2}r001 {2}declined: Ask before a push\.\n {2}r003 {2}superseded: Prices/)
    expect(later).toContain('No rule is proposed: none waits for your approval.')
    expect(later).toMatch(/To retire one: memory-keeper reject r002 --why "…"\n$/)
  })

  it('a copy of a built-in rule keeps its number and is marked, and switched-off rules are said to be', () => {
    const project = known()
    write(path.join(project.memory, 'rules.md'), '- Cut no corners.\n- Be \u001b[2Jkind.\n')
    expect(printed(project, 'rules list')).toMatch(/ 1 {2}Cut no corners\. \(built in\)\n {3}2 {2}Be \[2Jkind\.\n/)
    typed(project, 'config set rules false')
    expect(printed(project, 'rules list')).toContain(
      'Rules are switched off. To inject them: memory-keeper config set rules true',
    )
    expect(printed(makeProject(), 'rules list')).toContain('None yet. To add one: memory-keeper rules add "…"')
  })

  it('active items that nobody used for long are named', () => {
    const project = known()
    typed(project, 'config set permanentUnusedDays 1')
    expect(printed(project, 'rules list')).toMatch(/\nUnused for 1 days: .*\n {2}r002 {2}2026-01-13: Tests first\.\n/)
  })
})
