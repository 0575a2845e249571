/** The PostgreSQL client in a file of its own: only the finisher and commands that ask the team's server load it. */
export { openServer } from './disk/server.ts'
