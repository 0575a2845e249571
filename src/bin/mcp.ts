/** The MCP server program: started by the host with a session, ended with it. */
import { serve } from '../mcp/server.ts'
import { findSurroundings, locate } from '../store/locate.ts'
import { openStore } from '../store/store.ts'

declare const __VERSION__: string

const { env } = process
const around = findSurroundings(env.CLAUDE_CONFIG_DIR)

if (env.MEMORY_KEEPER_CHILD !== '1' && around !== null) {
  const now = (): string => new Date().toISOString()
  serve(__VERSION__, now, () => openStore(locate(env.CLAUDE_PROJECT_DIR ?? process.cwd(), around), { now }))
}
