import { createRequire } from 'node:module'
import { extname } from 'node:path'

/**
 * The operators that use gRPC, by policy. Their messages need protobuf, which most gateways do not use: a module is
 * loaded when a configuration with its policy is compiled.
 */
export const grpcOperators = {
  extAuthz: () => load('ext-authz/grpc-client') as typeof import('../../operators/ext-authz/grpc-client.ts'),
  extProc: () => ({
    ...(load('ext-proc/ext-proc') as typeof import('../../operators/ext-proc/ext-proc.ts')),
    ...(load('ext-proc/processing-mode') as typeof import('../../operators/ext-proc/processing-mode.ts')),
  }),
  inferenceRouting: () => ({
    ...(load(
      'inference-routing/inference-routing',
    ) as typeof import('../../operators/inference-routing/inference-routing.ts')),
  }),
  mcpGuardrails: () =>
    load(
      'mcp/guardrails/mcp-guardrails',
    ) as typeof import('../../operators/mcp/guardrails/mcp-guardrails.ts'),
  otlp: () => load('otlp/grpc-transport') as typeof import('../../operators/otlp/grpc-transport.ts'),
  remoteRateLimit: () =>
    load(
      'remote-rate-limit/remote-rate-limit',
    ) as typeof import('../../operators/remote-rate-limit/remote-rate-limit.ts'),
}

/** The same for sources and for compiled files. */
const written = extname(import.meta.url)

const load = (name: string): unknown => createRequire(import.meta.url)(`../../operators/${name}${written}`)
