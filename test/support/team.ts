/** People with homes of their own and one server: each has a checkout of the same project, and a role on the server. */
import path from 'node:path'
import { readOthers } from '../../src/core/others/disk/others.ts'
import { openServer } from '../../src/extras/team/disk/server.ts'
import { type TeamDone, teamWork } from '../../src/extras/team/disk/work.ts'
import type { CliWorld } from '../../src/kernel/memory/commands/context.ts'
import type { Cluster } from './postgres.ts'
import { type Json, type Ran, runCommand, runLater } from './process.ts'
import { makeProject, storeOf, type TestProject, tempDir } from './project.ts'

export const SHOP = 'github.com/acme/shop'

export interface Person {
  project: TestProject
  /** A command of ours, also one that asks the server. */
  run(...args: string[]): Promise<Ran>
  json(...args: string[]): Promise<Json>
  decide(text: string): void
  /** What the finisher does. */
  exchange(limitMs?: number): Promise<TeamDone | null>
  /** Teammates' rows here, as `who: text`. */
  heard(): string[]
}

const loadTeam = (): { openServer: typeof openServer } => ({ openServer })

/** `url`: where the server is, for this person. */
export function person(url: string, more: Partial<CliWorld> = {}): Person {
  const project = makeProject('shop', path.join(tempDir(), 'home-of-one'))
  const run = (...args: string[]): Promise<Ran> => runLater(project, args, { loadProgram: loadTeam, ...more })
  const world = {
    env: {},
    home: project.home,
    platform: process.platform,
    now: () => new Date().toISOString(),
    loadTeam,
  }
  storeOf(project).prepare()
  return {
    project,
    run: (...args) => run(...args.map((arg) => (arg === '<url>' ? url : arg))),
    json: async (...args) => JSON.parse((await run(...args, '--json')).out),
    decide: (text) => {
      const { code, err } = runCommand(project, ['facts', 'add', 'decision', text])
      if (code !== 0) throw new Error(err)
    },
    exchange: (limitMs) => teamWork(storeOf(project), world, limitMs),
    heard: () =>
      readOthers(project.places, 'team')
        .map(({ who, text }) => `${who}: ${text}`)
        .sort(),
  }
}

/** Joined and sharing the project. */
export async function member(cluster: Cluster, who: string): Promise<Person> {
  const made = person(cluster.url(who))
  for (const args of [
    ['join', '<url>'],
    ['share', SHOP],
  ]) {
    const { code, err } = await made.run('team', ...args)
    if (code !== 0) throw new Error(err)
  }
  return made
}

/** A cluster's tables with these members of the project; the administrator is no superuser. */
export async function installTeam(cluster: Cluster, ...who: string[]): Promise<Person> {
  cluster.psql('CREATE ROLE admin LOGIN CREATEROLE; GRANT CREATE ON DATABASE postgres TO admin')
  const admin = person(cluster.url('admin'))
  const done = await admin.run('team', 'init', '<url>', '--of', SHOP, ...who.flatMap((one) => ['--add', one]))
  if (done.code !== 0) throw new Error(done.err)
  return admin
}
