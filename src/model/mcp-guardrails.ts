import type { Cel } from './policies.ts'
import type { PolicyBackend } from './policy-backend.ts'

/** Lets services look at what is asked of MCP servers and what they give, one after another. */
export interface McpGuardrails {
  readonly processors: readonly McpProcessor[]
}

/** One of these services. */
export interface McpProcessor {
  readonly service: PolicyBackend
  readonly failureMode: 'failClosed' | 'failOpen'
  /** What it sees, by method or pattern; what fits none it does not see. */
  readonly methods: readonly (readonly [pattern: string, phase: McpPhase])[]
  readonly metadata: readonly (readonly [key: string, value: Cel])[]
  /** Lower-case. An empty `allowed` means all. */
  readonly requestHeaders: { readonly allowed: readonly string[]; readonly disallowed: readonly string[] }
}

/** Which messages of a method are shown. */
export type McpPhase = 'off' | 'request' | 'response' | 'full'
