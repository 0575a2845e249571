/** Starts the command line program. */
import { launch } from './launch.ts'

launch('main.cjs')
