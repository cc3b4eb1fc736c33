import { createRequire } from 'node:module'
import { extname } from 'node:path'

/**
 * The operators that speak gRPC, by policy. Their messages bring along protobuf, which most gateways have no use for: a
 * module is loaded when a configuration with its policy is compiled.
 */
export const grpcOperators = {
  extAuthz: () =>
    load('ext-authz/grpc-decider') as typeof import('../../operators/ext-authz/grpc-decider.ts'),
  extProc: () => ({
    ...(load('ext-proc') as typeof import('../../operators/ext-proc.ts')),
    ...(load('ext-proc/modes') as typeof import('../../operators/ext-proc/modes.ts')),
  }),
  mcpGuardrails: () => load('mcp-guardrails') as typeof import('../../operators/mcp-guardrails.ts'),
  remoteRateLimit: () => load('remote-rate-limit') as typeof import('../../operators/remote-rate-limit.ts'),
}

/** Sources run as they are, and as what they are compiled to. */
const written = extname(import.meta.url)

const load = (name: string): unknown => createRequire(import.meta.url)(`../../operators/${name}${written}`)
