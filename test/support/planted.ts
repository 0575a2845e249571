/** Projects in which a file is none: what is planted in the place of which file, and what a session there leaves behind. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { removeTree, type TestProject } from './project.ts'

/** In the environment of every program: a link to /proc/self/environ leads to it. */
export const SECRET = 'planted-environment-value'

export const ATTACKS: Record<string, (file: string) => void> = {
  'a pipe': (file) => void execFileSync('mkfifo', [file]),
  'a link to /dev/zero': (file) => fs.symlinkSync('/dev/zero', file),
  'a link to /proc/self/environ': (file) => fs.symlinkSync('/proc/self/environ', file),
  'a directory': (file) => fs.mkdirSync(file),
  'a sparse file of eight gigabytes': (file) => {
    fs.writeFileSync(file, '')
    fs.truncateSync(file, 8 * 2 ** 30)
  },
}

const MEMORY = '.claude/memory'

/** Files of a project that hooks, the finisher and commands read, together where one does not keep the others from being read. */
export const GROUPS: Record<string, { files: readonly string[]; logged: readonly string[] }> = {
  "git's files": {
    files: [
      ...['.git/HEAD', '.git/config', '.git/commondir', '.git/packed-refs', '.git/refs/heads/main'],
      ...['.git/worktrees/tree/gitdir', 'package.json', 'CLAUDE.md', '.claude/settings.json'],
    ],
    logged: ['.git/HEAD', 'package.json'],
  },
  "git's index": { files: ['.git/index'], logged: ['.git/index'] },
  'the .git file of a worktree': { files: ['../tree/.git', '.git/refs/heads/main'], logged: [] },
  'the token': { files: [`${MEMORY}/.owner`], logged: ['.owner'] },
  'the state': { files: [`${MEMORY}/memory-index.json`], logged: ['memory-index.json'] },
  'settings and lock': { files: [`${MEMORY}/config.json`, `${MEMORY}/.lock`], logged: ['config.json'] },
  'texts and knowledge': {
    files: [
      ...['.gitignore', 'memory.md', 'facts.json', 'concepts.json', 'standing.json', 'forgotten.jsonl'],
      ...['notices.json', 'rules.md', 'project.md', 'delta_temp.txt', 'journal/hooks.jsonl', 'journal/recalls.jsonl'],
      ...['journal/recall-texts.jsonl', 'journal/undo.jsonl', 'journal/git-check.json', 'journal/migrated.json'],
      ...['shared/bob/facts.jsonl', 'shared/bob/memory.md'],
    ].map((name) => `${MEMORY}/${name}`),
    logged: ['facts.json', 'rules.md'],
  },
  sessions: { files: ['TRANSCRIPT', 'SESSION'], logged: [] },
}

/** A project that is planted again and again, always at the same place: its paths stand in its files. */
export interface Field {
  project: TestProject
  /** A copy of all of it, before anything was planted. */
  template: string
  /** Where the files are whose names depend on the session. */
  special: Record<string, string>
}

export function plant({ project, template, special }: Field, attack: string, names: readonly string[]): void {
  removeTree(project.base)
  fs.cpSync(template, project.base, { recursive: true })
  for (const name of names) {
    const file = special[name] ?? path.join(project.root, name)
    fs.rmSync(file, { recursive: true, force: true })
    fs.mkdirSync(path.dirname(file), { recursive: true })
    ATTACKS[attack]?.(file)
  }
}

/** Files below that hold what no file of ours may hold. */
export function leaks(dir: string): string[] {
  return fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const file = path.join(dir, name)
    const facts = fs.lstatSync(file)
    return facts.isFile() && facts.size < 2 ** 26 && fs.readFileSync(file, 'latin1').includes(SECRET)
  })
}

export function logIn(project: TestProject): string {
  const file = path.join(project.keeper, 'logs', 'memory-keeper.log')
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
}
