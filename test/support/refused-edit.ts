/** A session in which the user refuses an edit of a file, with words. */
import path from 'node:path'
import { append, linesFor, sessionId, type TestProject } from './project.ts'
import { finishHere, LATER } from './world.ts'

const WORDS = 'Nothing of this file is generated.'

/** The session is over, and the finisher has run. */
export async function refuses(
  project: TestProject,
  file = 'src/a.ts',
  { n = 1, words = WORDS, cwd = project.root } = {},
): Promise<void> {
  const lines = linesFor(sessionId(n), cwd)
  append(
    project.transcriptOf(sessionId(n)),
    [
      lines.prompt(0, 'Write the header into the file.'),
      lines.use(1, 'e1', 'Edit', { file_path: path.join(cwd, file), old_string: 'a', new_string: 'b' }),
      lines.result(
        2,
        'e1',
        `The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n${words}`,
        true,
      ),
      lines.answer(3, 'I leave it as it is.'),
    ].join(''),
  )
  await settle(project, n)
}

export const settle = (project: TestProject, n = 1): Promise<void> =>
  finishHere(project, { for: 'end', session: sessionId(n) }, { now: () => LATER, isAlive: () => false })
