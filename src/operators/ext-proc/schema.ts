import { conditionalDefinitions } from './conditional.ts'
import { cel, flag, formatted, listOf, mapOf, ours, record, words } from './kinds.ts'
import type { Properties, Schema } from './kinds.ts'
import { onePolicyBackend, policyBackendFields } from './policy-backend.ts'

const values = (description: string): Schema => mapOf(cel('Gives the value.'), description)

const bodyMode = (what: string): Schema =>
  words(
    `How ${what} is shown: not at all; in one piece, up to \`frontendPolicies.http.maxBufferSize\`; its beginning, up to as much; or piece by piece as it comes, both ways at once.`,
    ['none', 'buffered', 'bufferedPartial', 'fullDuplexStreamed'],
    'fullDuplexStreamed',
  )

const sendMode = (what: string): Schema => words(`Whether ${what} are shown.`, ['send', 'skip'], 'send')

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
