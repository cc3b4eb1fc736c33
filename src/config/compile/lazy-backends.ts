import { createRequire } from 'node:module'
import { extname } from 'node:path'

/**
 * The backends that are a large part of the gateway, and that many gateways do not use: one is loaded when a
 * configuration with it is compiled.
 */
export const lazyBackends = {
  llm: () => load('llm/stage/llm-backend') as typeof import('../../operators/llm/stage/llm-backend.ts'),
  mcp: () => load('mcp/stage/mcp-backend') as typeof import('../../operators/mcp/stage/mcp-backend.ts'),
}

/** The same for sources and for compiled files. */
const written = extname(import.meta.url)

const load = (name: string): unknown => createRequire(import.meta.url)(`../../operators/${name}${written}`)
