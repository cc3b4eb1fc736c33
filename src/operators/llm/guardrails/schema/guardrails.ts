import { defaults } from '../../../../config/defaults.ts'
import { cloudGuardDefinitions } from './services.ts'
import { headerExpressions } from '../../../headers/schema.ts'
import {
  duration,
  either,
  exactlyOne,
  flag,
  formatted,
  listOf,
  ours,
  type Properties,
  record,
  ref,
  type SchemaNode,
  text,
  whole,
  words,
} from '../../../../config/schema/builders.ts'

const { guards } = defaults.llm

const rule = record(
  'A pattern to search for; set exactly one of `builtin` and `pattern`.',
  {
    builtin: words('Built-in pattern.', ['ssn', 'creditCard', 'phoneNumber', 'email', 'caSin']),
    pattern: formatted('regex', 'Regular expression (RE2 syntax), matched anywhere in the text.', {
      minLength: 1,
    }),
    luhn: ours(flag('Whether only numbers with a valid Luhn check digit match. For `creditCard`.', false)),
  },
  exactlyOne('builtin', 'pattern'),
)

const regex = record(
  'Regular expressions, evaluated in this process.',
  {
    action: words(
      '`mask` replaces a match with its name in angle brackets. `reject` rejects the request or response.',
      ['mask', 'reject'],
      guards.action,
    ),
    rules: listOf(
      ref('LlmRegexRule'),
      'Patterns, applied in order; each sees the text as the previous one left it.',
      { minItems: 1 },
    ),
  },
  { required: ['rules'] },
)

const forwarded = record(
  'A header to forward to the service.',
  { name: formatted('headerName', 'Header name.'), value: ref('ValueMatch') },
  { required: ['name', 'value'] },
)

const webhook = record(
  'Guardrail webhook: calls a service with `POST /request` and `POST /response`.',
  {
    target: ref('BackendReference', 'Address of the service.'),
    policies: ours(ref('SimpleBackendPolicies', 'Policies for requests to the service.')),
    headers: headerExpressions(
      'Headers of the callout request, as expressions over the client request. `:path`, `:method` and `:authority` set its path, method and host. A header whose expression fails is omitted.',
      'settableOrPseudo',
    ),
    forwardHeaderMatches: listOf(
      ref('LlmForwardedHeader'),
      'Headers to forward to the service, from the client request and from the response of the provider. Default: none.',
    ),
    failureMode: words(
      'What happens if the service fails or its response is invalid. `failClosed`: 503. `failOpen`: processing continues unchecked.',
      ['failClosed', 'failOpen'],
      guards.failureMode,
    ),
    timeout: ours(duration('Timeout of a call.', guards.timeout)),
  },
  { required: ['target'] },
)

const rejection = record('Reply for rejected requests and responses.', {
  body: text('Body.', { default: guards.rejection.body }),
  status: whole('Status code.', 200, 599, guards.rejection.status),
  headers: ref('HeaderModifier', 'Header changes of the reply.'),
})

const scopes = listOf(
  words('Kind of text.', ['systemPrompt', 'messages', 'toolOutput', 'toolInput']),
  'Parts of a request that are checked. Default: all. Only `regex` and `bedrockGuardrails` can be limited to tools.',
  { minItems: 1 },
)

const shared: Properties = {
  regex: ref('LlmRegexGuard'),
  webhook: ref('LlmWebhookGuard'),
  bedrockGuardrails: ref('LlmBedrockGuardrails'),
  googleModelArmor: ref('LlmModelArmor'),
  invalid: ours(
    text('Marks a guard that cannot be used, with the reason. It fails closed: 503.', { minLength: 1 }),
  ),
}

const guard = (description: string, kinds: Properties, more: Properties = {}): SchemaNode =>
  record(
    description,
    { ...kinds, rejection: ref('LlmGuardRejection'), ...more },
    exactlyOne(...Object.keys(kinds)),
  )

const requestGuard = guard(
  'A guard for requests; set exactly one kind.',
  {
    ...shared,
    azureContentSafety: ref('LlmContentSafety'),
    openAIModeration: ref('LlmModeration'),
  },
  { scope: scopes },
)

const responseGuard = guard('A guard for responses; set exactly one kind.', {
  ...shared,
  azureContentSafety: ref('LlmAnswerSafety'),
})

const streaming = either(
  'Checking of streamed responses: `Buffer` (default) buffers the stream, checks it as a whole and then sends it; `Enabled` checks it in windows as it arrives; `Disabled` does not check it.',
  words('Mode.', ['Buffer', 'Enabled', 'Disabled']),
  ours(
    record(
      'Checks in windows of a configured size.',
      {
        mode: words('Mode.', ['Enabled']),
        windowBytes: whole('Window size, in bytes of UTF-8.', 16, 1024 * 1024, guards.windowBytes),
        overlapBytes: whole(
          'Bytes of the previous window that are checked again. Must be less than `windowBytes`.',
          0,
          1024 * 1024,
          guards.overlapBytes,
        ),
      },
      { required: ['mode'] },
    ),
  ),
)

const all = record('Guardrails for requests to models and for their responses.', {
  request: listOf(ref('LlmRequestGuard'), 'Guards for requests, evaluated in order until one rejects.'),
  response: listOf(ref('LlmResponseGuard'), 'Guards for responses.'),
  streaming: ref('LlmGuardStreaming'),
})

/** Definitions of guardrails. */
export const llmGuardDefinitions: Properties = {
  LlmRegexRule: rule,
  LlmRegexGuard: regex,
  LlmForwardedHeader: forwarded,
  LlmWebhookGuard: webhook,
  ...cloudGuardDefinitions,
  LlmGuardRejection: rejection,
  LlmRequestGuard: requestGuard,
  LlmResponseGuard: responseGuard,
  LlmGuardStreaming: streaming,
  LlmGuards: all,
}
