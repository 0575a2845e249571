/** Starts the MCP server. */
import { launch } from './launch.ts'

launch('mcp-main.cjs')
