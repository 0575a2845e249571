/** The Windows cases, run by a real node.exe: `npm run test:windows`. */
import { byHand } from './by-hand.ts'
import { commands } from './commands.ts'
import { hooks } from './hooks.ts'
import { programs, server } from './programs.ts'

server()
hooks()
programs()
byHand()
commands()
