/** Starts the hook program. */
import { launch } from './launch.ts'

launch('hook-main.cjs')
