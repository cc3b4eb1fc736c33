import {
  cel,
  flag,
  formatted,
  listOf,
  mapOf,
  ours,
  type Properties,
  record,
  type SchemaNode,
  words,
} from '../../config/schema/builders.ts'
import { conditionalDefinitions } from '../../config/schema/conditional.ts'
import { onePolicyBackend, policyBackendFields } from '../../config/schema/policy-backend.ts'
import type { PolicyBackend } from '../../model/policies/policy-backend.ts'
import type { Cel } from '../../model/resources/policies.ts'

/** External processing: a service inspects and modifies requests and responses. */
export interface ExtProc {
  readonly service: PolicyBackend
  /** What happens if the service fails before it received a body. */
  readonly failureMode: 'failClosed' | 'failOpen'
  /** Metadata sent with every message, by namespace. */
  readonly metadataContext: readonly (readonly [namespace: string, values: ProcessorValues])[]
  readonly requestAttributes: ProcessorValues
  readonly responseAttributes: ProcessorValues
  readonly processingOptions: ProcessingOptions
  /** Headers that the service sets: values from clients are removed. Lower-case. */
  readonly resultHeaders: readonly string[]
}

/** Values for a service, by name. */
export type ProcessorValues = readonly (readonly [name: string, value: Cel])[]

/** Which parts of an exchange are sent to a service. */
export interface ProcessingOptions {
  readonly requestBodyMode: ConfiguredBodyMode
  readonly responseBodyMode: ConfiguredBodyMode
  readonly requestHeaderMode: SendMode
  readonly responseHeaderMode: SendMode
  readonly requestTrailerMode: SendMode
  readonly responseTrailerMode: SendMode
  /** Whether the service may override the modes for an exchange. */
  readonly allowModeOverride: boolean
}

/** How a body is sent: not at all, buffered, truncated, or streamed. */
export type ConfiguredBodyMode = 'none' | 'buffered' | 'bufferedPartial' | 'fullDuplexStreamed'

/** Whether headers or trailers are sent. */
export type SendMode = 'send' | 'skip'

const values = (description: string): SchemaNode =>
  mapOf(cel('Expression that returns the value.'), description)

const bodyMode = (what: string): SchemaNode =>
  words(
    `How ${what} is sent: not at all (\`none\`); buffered, up to \`frontendPolicies.http.maxBufferSize\` (\`buffered\`); buffered and truncated at that size (\`bufferedPartial\`); or streamed in both directions (\`fullDuplexStreamed\`).`,
    ['none', 'buffered', 'bufferedPartial', 'fullDuplexStreamed'],
    'fullDuplexStreamed',
  )

const sendMode = (what: string): SchemaNode => words(`Whether ${what} are sent.`, ['send', 'skip'], 'send')

const extProc = record(
  'External processing: a service inspects and modifies requests and responses (`envoy.service.ext_proc.v3.ExternalProcessor`).',
  {
    ...policyBackendFields,
    failureMode: words(
      'What happens if the service fails. `failClosed`: the request fails with 500. `failOpen`: processing continues without the service, unless it already received a body.',
      ['failClosed', 'failOpen'],
      'failClosed',
    ),
    metadataContext: mapOf(
      values('Values by name. A value whose expression fails is omitted.'),
      'Metadata sent with every message as `metadata_context`, by namespace. Values of `agentgateway.dev.grpc_initial_metadata` are sent as initial metadata of the gRPC call instead.',
    ),
    requestAttributes: values(
      'Attributes sent with the first message of a request, under `envoy.filters.http.ext_proc`. An attribute whose expression fails is omitted.',
    ),
    responseAttributes: values(
      'Attributes sent with the first message of a response, under `envoy.filters.http.ext_proc`.',
    ),
    processingOptions: record('Parts of requests and responses that are sent to the service.', {
      requestBodyMode: bodyMode('the body of a request'),
      responseBodyMode: bodyMode('the body of a response'),
      requestHeaderMode: sendMode('the headers of a request'),
      responseHeaderMode: sendMode('the headers of a response'),
      requestTrailerMode: sendMode('the trailers of a request'),
      responseTrailerMode: sendMode('the trailers of a response'),
      allowModeOverride: flag(
        'Whether the service may change these modes for an exchange in its response to headers. A body that is streamed from the beginning stays streamed.',
        false,
      ),
    }),
    resultHeaders: ours(
      listOf(
        formatted('settableHeader', 'Header name.'),
        'Request headers that the service sets: values from clients are sent to the service but not forwarded.',
      ),
    ),
  },
  onePolicyBackend,
)

/** Definitions of external processing. */
export const extProcDefinitions: Properties = conditionalDefinitions('ExtProc', extProc)
