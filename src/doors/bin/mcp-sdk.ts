/** The MCP library with our tools: loaded with the first message that the recorded greeting does not answer. */
export { serve } from '../mcp/server.ts'
