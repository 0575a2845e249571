/** Deletes from a remote directory the objects that no branch has any more: a forgotten line must not stay in an old object. */
import path from 'node:path'
import { disk, list, statOf } from '../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import type { Git } from './git.ts'

/** Younger objects may belong to a push of another machine: git writes objects before the branch that names them. */
const OLD = '1.day.ago'
const OBJECT = /^[0-9a-f]{40,64}$/

/** `commit`: the branch's commit before the push or the deletion. Objects that only this commit had are deleted at once. A hosting service cleans up by itself. */
export function sweepDirectory(git: Git, commit: string | undefined): void {
  if (!path.isAbsolute(git.remote)) return
  const objects = path.join(git.remote, 'objects')
  const linked = list(objects).find((name) => statOf(path.join(objects, name))?.kind === 'link')
  if (linked !== undefined)
    throw new KeeperError('left', `${path.join(objects, linked)} is a link: what was forgotten may still be there.`)
  const there = (...args: string[]): string => git.reach(['--git-dir', git.remote, ...args]).toString('latin1')
  there('reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all')
  const named = (...args: string[]): string[] =>
    there(...args)
      .split('\n')
      .filter((name) => OBJECT.test(name))
  const listed = ['rev-list', '--objects', '--no-object-names']
  const before = commit === undefined ? [] : named(...listed, '--missing=allow-any', commit)
  // Not `--not --all`: it leaves out only some of the objects that other branches still have.
  const live = new Set(named(...listed, '--all'))
  const dead = named('cat-file', '--batch-all-objects', '--unordered', '--batch-check=%(objectname)').filter(
    (name) => !live.has(name),
  )
  const fileOf = (name: string): string => path.join(objects, name.slice(0, 2), name.slice(2))
  // A pack is rewritten only if an object must be deleted from it; its young objects become single files.
  if (dead.some((name) => statOf(fileOf(name)) === null))
    there('repack', '-A', '-d', '-q', '--window=0', `--unpack-unreachable=${OLD}`)
  there('prune', `--expire=${OLD}`)
  for (const name of before) if (!live.has(name)) disk.remove(fileOf(name))
}
