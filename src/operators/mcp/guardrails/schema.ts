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

/** Services that inspect requests to MCP servers and their results, one after another. */
export interface McpGuardrails {
  readonly processors: readonly McpProcessor[]
}

/** One of these services. */
export interface McpProcessor {
  readonly service: PolicyBackend
  readonly failureMode: 'failClosed' | 'failOpen'
  /** The inspected messages, by method or pattern; others are not sent to it. */
  readonly methods: readonly (readonly [pattern: string, phase: McpPhase])[]
  readonly metadata: readonly (readonly [key: string, value: Cel])[]
  /** Lower-case. An empty `allowed` means all. */
  readonly requestHeaders: { readonly allowed: readonly string[]; readonly disallowed: readonly string[] }
}

/** Which messages of a method are inspected. */
export type McpPhase = 'off' | 'request' | 'response' | 'full'

const processor = record(
  'A service that looks at MCP messages, by `agentgateway.dev.ext_mcp.ExtMcp` over gRPC.',
  {
    kind: words('Where it is: in a service of its own.', ['remote']),
    ...policyBackendFields,
    failureMode: words(
      'What happens if the service fails: the request is answered with an error, or it goes on without.',
      ['failClosed', 'failOpen'],
      'failClosed',
    ),
    methods: mapOf(
      words('Requests, the results that come of them, both, or nothing.', [
        'off',
        'request',
        'response',
        'full',
      ]),
      'What the service sees, by method. `*` may stand at the beginning, at the end or alone; a method itself counts most, then how it begins, then how it ends, and of two of one kind the longer. What fits nothing it does not see.',
      { propertyNames: { format: 'mcpMethodPattern' } },
    ),
    metadata: mapOf(
      cel('Gives the value.'),
      'What the service gets with every message as `metadata_context`. One whose expression fails is left out.',
    ),
    requestHeaders: record('Which headers of requests the service sees.', {
      allowed: listOf(
        formatted('headerOrPseudo', 'A header.'),
        'These only. Default: all, and `:method`, `:scheme`, `:authority` and `:path`.',
      ),
      disallowed: listOf(formatted('headerOrPseudo', 'A header.'), 'Not these, whatever is allowed.'),
    }),
  },
  { required: ['kind'], ...onePolicyBackend },
)

const guardrails = record(
  'Lets services look at what is asked of MCP servers and what they give, and change or refuse it.',
  {
    processors: listOf(
      ref('McpProcessor'),
      'The services, in the order in which they are asked: each sees what the one before made of a message, and nobody is asked after the first that refuses.',
      { minItems: 1 },
    ),
  },
  { required: ['processors'] },
)

/** Definitions about services that inspect MCP messages. */
export const mcpGuardrailDefinitions: Properties = { McpProcessor: processor, McpGuardrails: guardrails }
