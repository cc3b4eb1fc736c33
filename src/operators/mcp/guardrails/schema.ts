import {
  cel,
  formatted,
  listOf,
  mapOf,
  type Properties,
  record,
  ref,
  words,
} from '../../../config/schema/builders.ts'
import { onePolicyBackend, policyBackendFields } from '../../../config/schema/policy-backend.ts'
import type { PolicyBackend } from '../../../model/policies/policy-backend.ts'
import type { Cel } from '../../../model/resources/policies.ts'

/** Services that inspect MCP requests and results, one after another. */
export interface McpGuardrails {
  readonly processors: readonly McpProcessor[]
}

/** One of these services. */
export interface McpProcessor {
  readonly service: PolicyBackend
  readonly failureMode: 'failClosed' | 'failOpen'
  /** Messages that are sent to it, by method or pattern; others are not sent. */
  readonly methods: readonly (readonly [pattern: string, phase: McpPhase])[]
  readonly metadata: readonly (readonly [key: string, value: Cel])[]
  /** Lower-case. An empty `allowed` means all. */
  readonly requestHeaders: { readonly allowed: readonly string[]; readonly disallowed: readonly string[] }
}

/** Which messages of a method are sent. */
export type McpPhase = 'off' | 'request' | 'response' | 'full'

const processor = record(
  'A service that inspects MCP messages over gRPC (`agentgateway.dev.ext_mcp.ExtMcp`).',
  {
    kind: words('Kind of processor: a remote service.', ['remote']),
    ...policyBackendFields,
    failureMode: words(
      'What happens if the service fails. `failClosed`: the request gets an error. `failOpen`: processing continues without the service.',
      ['failClosed', 'failOpen'],
      'failClosed',
    ),
    methods: mapOf(
      words('`request`, `response`, both (`full`), or none (`off`).', ['off', 'request', 'response', 'full']),
      'Messages that are sent to the service, by method. A method pattern may have `*` at its start or end, or be `*`. An exact method has precedence over a prefix, a prefix over a suffix, a longer pattern over a shorter one. Other methods are not sent.',
      { propertyNames: { format: 'mcpMethodPattern' } },
    ),
    metadata: mapOf(
      cel('Expression that returns the value.'),
      'Metadata sent with every message as `metadata_context`. A value whose expression fails is omitted.',
    ),
    requestHeaders: record('Request headers sent to the service.', {
      allowed: listOf(
        formatted('headerOrPseudo', 'Header name.'),
        'Headers to send. Default: all, with `:method`, `:scheme`, `:authority` and `:path`.',
      ),
      disallowed: listOf(
        formatted('headerOrPseudo', 'Header name.'),
        'Headers not to send. Takes precedence over `allowed`.',
      ),
    }),
  },
  { required: ['kind'], ...onePolicyBackend },
)

const guardrails = record(
  'Services that inspect, modify or reject MCP requests and results.',
  {
    processors: listOf(
      ref('McpProcessor'),
      'Services, called in order. Each one receives the message as modified by the previous one; after a rejection no further service is called.',
      { minItems: 1 },
    ),
  },
  { required: ['processors'] },
)

/** Definitions of MCP guardrails. */
export const mcpGuardrailDefinitions: Properties = { McpProcessor: processor, McpGuardrails: guardrails }
