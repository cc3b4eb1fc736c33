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

/** Lets a service of somebody else's look at exchanges and change them. */
export interface ExtProc {
  readonly service: PolicyBackend
  /** What happens when the service fails before it was given a body. */
  readonly failureMode: 'failClosed' | 'failOpen'
  /** What the service is told with every message, by namespace. */
  readonly metadataContext: readonly (readonly [namespace: string, values: ProcessorValues])[]
  readonly requestAttributes: ProcessorValues
  readonly responseAttributes: ProcessorValues
  readonly processingOptions: ProcessingOptions
  /** Headers that the service sets: what the client sends under these names goes no further. Lower-case. */
  readonly resultHeaders: readonly string[]
}

/** Values for a service, by name. */
export type ProcessorValues = readonly (readonly [name: string, value: Cel])[]

/** Which parts of an exchange a service sees. */
export interface ProcessingOptions {
  readonly requestBodyMode: ConfiguredBodyMode
  readonly responseBodyMode: ConfiguredBodyMode
  readonly requestHeaderMode: SendMode
  readonly responseHeaderMode: SendMode
  readonly requestTrailerMode: SendMode
  readonly responseTrailerMode: SendMode
  /** Whether the service may choose other ones for an exchange. */
  readonly allowModeOverride: boolean
}

/** How a body is shown: not at all, in one piece, its beginning, or as it comes. */
export type ConfiguredBodyMode = 'none' | 'buffered' | 'bufferedPartial' | 'fullDuplexStreamed'

/** Whether headers or trailers are shown. */
export type SendMode = 'send' | 'skip'

const values = (description: string): SchemaNode => mapOf(cel('Gives the value.'), description)

const bodyMode = (what: string): SchemaNode =>
  words(
    `How ${what} is shown: not at all; in one piece, up to \`frontendPolicies.http.maxBufferSize\`; its beginning, up to as much; or piece by piece as it comes, both ways at once.`,
    ['none', 'buffered', 'bufferedPartial', 'fullDuplexStreamed'],
    'fullDuplexStreamed',
  )

const sendMode = (what: string): SchemaNode => words(`Whether ${what} are shown.`, ['send', 'skip'], 'send')

const extProc = record(
  'Lets a service look at requests and at answers of backends, and change them, by `envoy.service.ext_proc.v3.ExternalProcessor`.',
  {
    ...policyBackendFields,
    failureMode: words(
      'What happens if the service fails: the request does too, with 500; or it goes on without the service, unless that has been given a body already.',
      ['failClosed', 'failOpen'],
      'failClosed',
    ),
    metadataContext: mapOf(
      values('Values by name; one whose expression fails is left out.'),
      'What the service gets with every message as `metadata_context`, by namespace. Those of `agentgateway.dev.grpc_initial_metadata` go ahead of all messages instead, as metadata of the call.',
    ),
    requestAttributes: values(
      'What the service gets with the first message of a request, as attributes of `envoy.filters.http.ext_proc`. One whose expression fails is left out.',
    ),
    responseAttributes: values('The same for the first message of an answer.'),
    processingOptions: record('What the service sees.', {
      requestBodyMode: bodyMode('the body of a request'),
      responseBodyMode: bodyMode('the body of an answer'),
      requestHeaderMode: sendMode('the headers of a request'),
      responseHeaderMode: sendMode('the headers of an answer'),
      requestTrailerMode: sendMode('the trailers of a request'),
      responseTrailerMode: sendMode('the trailers of an answer'),
      allowModeOverride: flag(
        'Whether the service may choose otherwise for an exchange, when it answers headers. A body that is shown piece by piece from the beginning stays so.',
        false,
      ),
    }),
    resultHeaders: ours(
      listOf(
        formatted('settableHeader', 'A header.'),
        'Headers of requests that the service sets: what the client sent under these names is shown to it, and goes no further.',
      ),
    ),
  },
  onePolicyBackend,
)

/** Definitions about processing services. */
export const extProcDefinitions: Properties = conditionalDefinitions('ExtProc', extProc)
