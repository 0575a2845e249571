/** The MCP server program: started by the host with a session, ended with it. */
import os from 'node:os'
import { serve } from '../mcp/server.ts'
import { locate } from '../store/locate.ts'
import { openStore } from '../store/store.ts'

declare const __VERSION__: string

const { env } = process
const around = { home: os.homedir(), configDir: env.CLAUDE_CONFIG_DIR }

if (env.MEMORY_KEEPER_CHILD !== '1') {
  serve(__VERSION__, () =>
    openStore(locate(env.CLAUDE_PROJECT_DIR ?? process.cwd(), around), { now: () => new Date().toISOString() }),
  )
}
