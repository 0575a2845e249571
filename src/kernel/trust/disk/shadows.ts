/**
 * Files of the project or the user that take the name of a skill of ours: the host prefers them to a plugin's, and lets Claude and
 * schedules call them.
 */
import path from 'node:path'
import { list, readBelow } from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'

export interface Shadow {
  skill: string
  /** Below the project: relative to it. */
  file: string
}

const PLUGIN = 'memory-keeper'
const OUR_NAME = /memory-keeper:([\w-]+)/
/** A longer file is no workflow. */
const MOST_BYTES = 4 * 1024 * 1024

/**
 * Where the hosts 2.1.197 and 2.1.325 look for them (tried): a few lists of names, and the files of workflows, which few projects
 * have. Only the project's root is looked at; the host also looks into the directories between it and the one in which it was started.
 */
export function shadowsIn({ project, hostDir }: Pick<Places, 'project' | 'hostDir'>): Shadow[] {
  const ofProject = path.join(project.root, '.claude')
  const own = shadowsBelow(ofProject).map(({ skill, file }) => ({ skill, file: path.relative(project.root, file) }))
  return ofProject === hostDir ? own : [...own, ...shadowsBelow(hostDir)]
}

export function renderShadow({ skill, file }: Shadow): string {
  return `${file} takes the name of the skill /memory-keeper:${skill}`
}

function shadowsBelow(dir: string): Shadow[] {
  const [commands, skills, workflows] = ['commands', 'skills', 'workflows'].map((name) => path.join(dir, name)) as [
    string,
    string,
    string,
  ]
  return [
    ...list(commands).flatMap((name) =>
      name === PLUGIN
        ? list(path.join(commands, PLUGIN)).flatMap((inner) =>
            takenBy(`${PLUGIN}:${inner}`, path.join(commands, PLUGIN, inner)),
          )
        : takenBy(name, path.join(commands, name)),
    ),
    ...list(skills).flatMap((name) => takenBy(name, path.join(skills, name))),
    ...list(workflows).flatMap((name) => {
      const text = readBelow(workflows, name, MOST_BYTES) ?? ''
      return takenBy(text.slice(Math.max(0, text.search(OUR_NAME))), path.join(workflows, name))
    }),
  ]
}

/** Text that begins with a name of ours. */
function takenBy(text: string, file: string): Shadow[] {
  const match = OUR_NAME.exec(text)
  return match?.index === 0 && match[1] !== undefined ? [{ skill: match[1], file }] : []
}
