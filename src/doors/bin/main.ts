/** The command line program for people, skills and agents. */
import module from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { dashboard } from '../../extras/page/program.ts'
import { growBy, type Programs } from '../../kernel/platform/disk/compiled.ts'
import { findSurroundings } from '../../kernel/platform/disk/locate.ts'
import { askSecret, readStdin } from '../../kernel/platform/disk/stdio.ts'
import { runCli } from '../cli/run.ts'
import { useExtraFiles } from './file-kinds.ts'

declare const __VERSION__: string

const { env, stdout, stderr } = process
/** Commands that must leave no new files. The line typed after `skill run` may be one of them. */
const LEAVE_NOTHING: ReadonlySet<string> = new Set(['demo', 'uninstall', 'skill run'])

useExtraFiles()

export function main(programs: Programs): void {
  const [command = '', word = ''] = process.argv.slice(2)
  const leavesNothing = LEAVE_NOTHING.has(command) || LEAVE_NOTHING.has(`${command} ${word}`)
  // Nothing of it is kept: what is compiled under another setting of V8 is of no use to others.
  if (command === 'import') growBy(1)
  else if (env.MEMORY_KEEPER_CHILD !== '1' && !leavesNothing) programs.doing(command)
  // The reader may stop reading (`| head`): then there is nobody to inform, and it is not an error.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    stderr.write(`memory-keeper: the output could not be written: ${error.message}\n`)
    process.exitCode = 1
  })
  stderr.on('error', () => {})
  run().catch(fail)
}

async function run(): Promise<void> {
  const around = findSurroundings(env, process.platform)
  if (around === null) throw new Error('this user has no home directory. Set HOME or CLAUDE_CONFIG_DIR.')
  process.exitCode = await runCli(process.argv.slice(2), {
    around,
    env,
    platform: process.platform,
    cwd: process.cwd(),
    projectDir: env.CLAUDE_PROJECT_DIR,
    now: () => new Date().toISOString(),
    streams: {
      out: (text) => stdout.write(text),
      err: (text) => stderr.write(text),
      isErrTerminal: stderr.isTTY === true,
      isOutTerminal: stdout.isTTY === true,
    },
    columns: Number(env.COLUMNS) || stdout.columns || 100,
    programs: path.dirname(__filename),
    dashboard,
    loadTeam: () => module.createRequire(__filename)('./team.cjs'),
    // Most commands never look at it, and Node's streams take a while to make.
    get isStdinTerminal() {
      return process.stdin.isTTY === true
    },
    readStdin,
    askSecret: (question) => askSecret(question, process.stdin, stderr),
    version: __VERSION__,
    nodeVersion: process.version,
    tempDir: os.tmpdir(),
    embedderKey: env.MEMORY_KEEPER_EMBEDDER_KEY ?? '',
    fetch,
    isOurChild: env.MEMORY_KEEPER_CHILD === '1',
  })
}

function fail(error: unknown): void {
  stderr.write(
    `memory-keeper: ${(error as Error).message}\nThe command did not finish: what you gave it may not be saved. Sessions are captured later. memory-keeper doctor shows more.\n`,
  )
  process.exitCode = 1
}
