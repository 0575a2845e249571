/** Starts the command line program; asked for its version only, it loads nothing. */
import { writeStdout } from '../../kernel/platform/disk/stdio.ts'
import { launch } from './launch.ts'

declare const __VERSION__: string

const [first, ...more] = process.argv.slice(2)
if (more.length === 0 && (first === '--version' || first === '-V')) writeStdout(`${__VERSION__}\n`)
else launch('main.cjs')
