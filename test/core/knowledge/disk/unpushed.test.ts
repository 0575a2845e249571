/** Commits that were never pushed: git says how many, and a start tells it only while nothing has changed. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { noteUnpushed } from '../../../../src/core/knowledge/disk/unpushed.ts'
import { unpushedNow } from '../../../../src/kernel/sessions/disk/unpushed.ts'
import { gitIn, hasGit } from '../../../support/git.ts'
import {
  append,
  linesFor,
  NOW,
  projectAt,
  quietProject,
  readStateIn,
  sessionId,
  storeOf,
  type TestProject,
  turns,
  write,
} from '../../../support/project.ts'
import { finishHere } from '../../../support/world.ts'

const WORLD = { env: process.env, platform: process.platform, now: () => NOW, waitMs: 1000, timeoutMs: 20_000 }

interface Cloned extends TestProject {
  git: (...args: string[]) => string
  commit: (name: string) => void
}

function cloned(project: TestProject = quietProject(), { isPrepared = true } = {}): Cloned {
  const server = path.join(project.base, 'server.git')
  gitIn(project.base)('init', '-q', '--bare', '-b', 'main', server)
  const git = gitIn(project.root)
  git('init', '-q', '-b', 'main')
  git('remote', 'add', 'origin', server)
  const commit = committing(project.root)
  commit('first')
  git('push', '-q', 'origin', 'main')
  git('switch', '-q', '-c', 'topic')
  if (isPrepared) storeOf(project).prepare()
  return { ...project, git, commit }
}

function committing(dir: string): (name: string) => void {
  const git = gitIn(dir)
  return (name) => {
    write(path.join(dir, `${name}.txt`), name)
    git('add', `${name}.txt`)
    git('commit', '-q', '-m', name)
  }
}

function ask(project: TestProject): { branch: string; count: number } | null {
  noteUnpushed(storeOf(project), WORLD)
  return unpushedNow(storeOf(project))
}

const tell = (project: TestProject): { branch: string; count: number } | null => unpushedNow(storeOf(project))

describe.skipIf(!hasGit)('commits that were never pushed', () => {
  it('are counted by the finisher and told until they are pushed by hand', async () => {
    const project = cloned()
    project.commit('one')
    project.commit('two')
    append(project.transcriptOf(sessionId(1)), turns(linesFor(sessionId(1), project.root), 0, 1))
    expect(tell(project)).toBeNull()
    await finishHere(project, { for: 'catch-up' }, { env: { ...process.env, HOME: project.home } })

    expect(tell(project)).toEqual({ branch: 'topic', count: 2 })
    expect(readStateIn(project.memory).unpushed).toMatchObject({ branch: 'topic', remoteRef: expect.any(String) })
    project.git('push', '-q', 'origin', 'topic')
    expect(tell(project)).toBeNull()
    expect(ask(project)).toBeNull()
    expect(readStateIn(project.memory)).not.toHaveProperty('unpushed')
  })

  it('are not told after a commit, an amended commit, or on another branch, until git is asked again', () => {
    const project = cloned()
    project.commit('one')
    expect(ask(project)).toEqual({ branch: 'topic', count: 1 })
    project.git('commit', '-q', '--amend', '-m', 'other words')
    expect(tell(project)).toBeNull()
    expect(ask(project)).toEqual({ branch: 'topic', count: 1 })
    project.commit('two')
    expect(tell(project)).toBeNull()
    expect(ask(project)).toEqual({ branch: 'topic', count: 2 })
    project.git('switch', '-q', '-c', 'another')
    expect(tell(project)).toBeNull()
    project.git('switch', '-q', 'topic')
    expect(tell(project)).toEqual({ branch: 'topic', count: 2 })
  })

  it('are not told once they are merged into the main branch and pushed with it', () => {
    const project = cloned()
    project.commit('one')
    ask(project)
    project.git('switch', '-q', 'main')
    project.git('merge', '-q', 'topic')
    project.git('push', '-q', 'origin', 'main')
    project.git('switch', '-q', 'topic')

    expect(tell(project)).toBeNull()
    expect(ask(project)).toBeNull()
  })

  it('are not told once they are pushed under the name of their upstream, or to another remote', () => {
    const project = cloned()
    project.commit('one')
    project.git('push', '-q', '-u', 'origin', 'topic:shared/topic-7')
    project.commit('two')
    expect(ask(project)).toEqual({ branch: 'topic', count: 1 })
    project.git('push', '-q', 'origin', 'topic:shared/topic-7')
    expect(tell(project)).toBeNull()

    const fork = path.join(project.base, 'fork.git')
    gitIn(project.base)('init', '-q', '--bare', fork)
    project.git('remote', 'add', 'fork', fork)
    project.commit('three')
    expect(ask(project)).toEqual({ branch: 'topic', count: 1 })
    project.git('push', '-q', 'fork', 'topic')
    expect(tell(project)).toBeNull()
  })

  it('are not told once they are pushed under any other name, packed or loose, and outlive a fetch of something else', () => {
    const project = cloned()
    project.commit('one')
    expect(ask(project)).toEqual({ branch: 'topic', count: 1 })
    project.git('push', '-q', 'origin', 'main:refs/heads/deep/of/others')
    expect(tell(project)).toEqual({ branch: 'topic', count: 1 })
    project.git('push', '-q', 'origin', 'topic:refs/heads/review/7')
    expect(tell(project)).toBeNull()
    project.git('pack-refs', '--all')
    expect(tell(project)).toBeNull()
    expect(ask(project)).toBeNull()
  })

  it('are not told of a branch that was pushed, merged as one commit and deleted on the server', () => {
    const project = cloned()
    project.commit('one')
    project.git('push', '-q', '-u', 'origin', 'topic')
    project.git('push', '-q', 'origin', '--delete', 'topic')

    expect(ask(project)).toBeNull()
    // The upstream of another name still exists: what was never pushed is told.
    project.git('switch', '-q', '-c', 'next', '--track', 'origin/main')
    project.commit('two')
    expect(ask(project)).toEqual({ branch: 'next', count: 1 })
  })

  it('make no directory in a project without a memory', () => {
    const base = quietProject()
    const project = cloned(base, { isPrepared: false })
    project.commit('one')
    noteUnpushed(storeOf(project), WORLD)

    expect(fs.existsSync(project.memory)).toBe(false)
    expect(tell(project)).toBeNull()
  })

  it('are not known when git takes too long or fails, and what was known before is not told on', () => {
    const project = cloned()
    project.commit('one')
    expect(ask(project)).toEqual({ branch: 'topic', count: 1 })
    const slow = path.join(project.base, 'slow')
    fs.mkdirSync(slow)
    fs.writeFileSync(path.join(slow, 'git'), '#!/bin/sh\nexec sleep 20\n', { mode: 0o755 })
    const began = Date.now()
    noteUnpushed(storeOf(project), { ...WORLD, env: { PATH: `${slow}:${process.env.PATH}` }, timeoutMs: 200 })

    expect(Date.now() - began).toBeLessThan(5_000)
    expect(tell(project)).toBeNull()
  })

  it('are told whether refs are packed or loose', () => {
    const project = cloned()
    project.commit('one')
    project.git('push', '-q', 'origin', 'topic')
    project.commit('two')
    expect(ask(project)).toEqual({ branch: 'topic', count: 1 })
    project.git('pack-refs', '--all')
    expect(tell(project)).toEqual({ branch: 'topic', count: 1 })
    project.git('push', '-q', 'origin', 'topic')
    expect(tell(project)).toBeNull()
  })

  it('are nothing without a remote, without a branch, without a commit, or without git', () => {
    const project = quietProject()
    storeOf(project).prepare()
    expect(ask(project)).toBeNull()
    const git = gitIn(project.root)
    git('init', '-q', '-b', 'main')
    expect(ask(project)).toBeNull()
    committing(project.root)('first')
    expect(ask(project)).toBeNull()

    const detached = cloned()
    detached.commit('one')
    expect(ask(detached)).not.toBeNull()
    detached.git('checkout', '-q', '--detach')
    expect(tell(detached)).toBeNull()
    expect(ask(detached)).toBeNull()

    detached.git('switch', '-q', 'topic')
    noteUnpushed(storeOf(detached), { ...WORLD, env: { PATH: '' } })
    expect(tell(detached)).toBeNull()
  })

  it('are those of the main directory where a session runs in a worktree', () => {
    const project = cloned()
    const tree = path.join(project.base, 'tree')
    project.git('worktree', 'add', '-q', '-b', 'side', tree)
    committing(tree)('side')
    committing(tree)('side2')
    project.commit('one')
    const inTree = projectAt(tree, project.home)

    expect(inTree.places.project.root).toBe(project.root)
    expect(ask(inTree)).toEqual({ branch: 'topic', count: 1 })
  })

  it('are those of a worktree whose repository has no main directory', () => {
    const { base, home } = cloned()
    const [server, tree] = [path.join(base, 'server.git'), path.join(base, 'tree')]
    const bare = path.join(base, 'bare.git')
    gitIn(base)('clone', '-q', '--bare', server, bare)
    const git = gitIn(bare)
    git('config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*')
    git('fetch', '-q')
    git('worktree', 'add', '-q', '-b', 'side', tree, 'main')
    const project = projectAt(tree, home)
    storeOf(project).prepare()
    committing(tree)('side')

    expect(project.places.project.root).toBe(tree)
    expect(ask(project)).toEqual({ branch: 'side', count: 1 })
    gitIn(tree)('push', '-q', 'origin', 'side')
    expect(tell(project)).toBeNull()
  })

  it('start no program that the repository names', () => {
    const project = cloned()
    project.commit('one')
    const ran = path.join(project.base, 'ran')
    const evil = path.join(project.root, 'evil.sh')
    fs.writeFileSync(evil, `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 })
    fs.copyFileSync(evil, path.join(project.root, 'git'))
    fs.chmodSync(path.join(project.root, 'git'), 0o755)
    for (const key of ['core.fsmonitor', 'core.pager', 'core.sshCommand', 'gpg.program', 'core.alternateRefsCommand'])
      project.git('config', key, evil)
    project.git('config', 'alias.rev-list', `!${evil}`)
    for (const name of ['post-index-change', 'reference-transaction', 'pre-push'])
      fs.copyFileSync(evil, path.join(project.root, '.git', 'hooks', name))
    noteUnpushed(storeOf(project), {
      ...WORLD,
      env: { ...process.env, PATH: `${project.root}:.:${process.env.PATH}`, GIT_DIR: '/nowhere' },
    })

    expect(tell(project)).toEqual({ branch: 'topic', count: 1 })
    expect(fs.existsSync(ran)).toBe(false)
  })

  it('are written once, and a secret in the name of the branch is not', () => {
    const project = cloned()
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
    project.git('switch', '-q', '-c', secret)
    project.commit('one')
    expect(ask(project)?.branch).toMatch(/^\[redacted:/)
    const file = path.join(project.memory, 'memory-index.json')
    expect(fs.readFileSync(file, 'utf8')).not.toContain(secret)
    const before = fs.statSync(file).mtimeMs
    noteUnpushed(storeOf(project), { ...WORLD, now: () => '2026-02-01T00:00:00.000Z' })
    expect(fs.statSync(file).mtimeMs).toBe(before)
  })
})
