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
  'What a text is searched for.',
  {
    builtin: words('Something that is known by its name.', [
      'ssn',
      'creditCard',
      'phoneNumber',
      'email',
      'caSin',
    ]),
    pattern: formatted('regex', 'A regular expression (RE2). It is found anywhere in a text.', {
      minLength: 1,
    }),
    luhn: ours(
      flag('With `creditCard`: whether only numbers count whose check digit is right (Luhn).', false),
    ),
  },
  exactlyOne('builtin', 'pattern'),
)

const regex = record(
  'Finds texts by their shape, in this process.',
  {
    action: words(
      'What becomes of what is found: a name in angle brackets takes its place, or nothing of it goes on.',
      ['mask', 'reject'],
      guards.action,
    ),
    rules: listOf(
      ref('LlmRegexRule'),
      'What is searched for. Each rule looks at what the one before it left.',
      { minItems: 1 },
    ),
  },
  { required: ['rules'] },
)

const forwarded = record(
  'A header that the service sees.',
  { name: formatted('headerName', 'Its name.'), value: ref('ValueMatch') },
  { required: ['name', 'value'] },
)

const webhook = record(
  'Asks a service of your own, by `POST /request` and `POST /response`.',
  {
    target: ref('BackendReference', 'Where it is.'),
    policies: ours(ref('SimpleBackendPolicies', 'How it is called.')),
    headers: headerExpressions(
      'Headers of the question, by expressions about the request of the client. `:path`, `:method` and `:authority` stand for what a request begins with. One whose expression fails is left out.',
      'settableOrPseudo',
    ),
    forwardHeaderMatches: listOf(
      ref('LlmForwardedHeader'),
      'Headers that the service sees: of the request, and of the answer of the provider. Default: none.',
    ),
    failureMode: words(
      'What happens if the service does not answer, or says something else than it may: 503, or it goes on unchecked.',
      ['failClosed', 'failOpen'],
      guards.failureMode,
    ),
    timeout: ours(duration('How long the service may think.', guards.timeout)),
  },
  { required: ['target'] },
)

const rejection = record('What clients get in place of what is rejected.', {
  body: text('The body.', { default: guards.rejection.body }),
  status: whole('The status.', 200, 599, guards.rejection.status),
  headers: ref('HeaderModifier', 'Changes its headers.'),
})

const scopes = listOf(
  words('A kind of text.', ['systemPrompt', 'messages', 'toolOutput', 'toolInput']),
  `Which texts of a request are looked at. Default: all of them. Only \`regex\` and \`bedrockGuardrails\` can be told to look at tools alone.`,
  { minItems: 1 },
)

const shared: Properties = {
  regex: ref('LlmRegexGuard'),
  webhook: ref('LlmWebhookGuard'),
  bedrockGuardrails: ref('LlmBedrockGuardrails'),
  googleModelArmor: ref('LlmModelArmor'),
}

const guard = (description: string, kinds: Properties, more: Properties = {}): SchemaNode =>
  record(
    description,
    { ...kinds, rejection: ref('LlmGuardRejection'), ...more },
    exactlyOne(...Object.keys(kinds)),
  )

const requestGuard = guard(
  'Looks at what is asked.',
  {
    ...shared,
    azureContentSafety: ref('LlmContentSafety'),
    openAIModeration: ref('LlmModeration'),
  },
  { scope: scopes },
)

const responseGuard = guard('Looks at what is answered.', {
  ...shared,
  azureContentSafety: ref('LlmAnswerSafety'),
})

const streaming = either(
  'What becomes of answers that are streams: held, checked as a whole and replayed (`Buffer`, the default), checked piece by piece (`Enabled`), or not checked (`Disabled`).',
  words('How.', ['Buffer', 'Enabled', 'Disabled']),
  ours(
    record(
      'Piece by piece, by pieces of another size.',
      {
        mode: words('How.', ['Enabled']),
        windowBytes: whole(
          'How much text is looked at together, in bytes of UTF-8.',
          16,
          1024 * 1024,
          guards.windowBytes,
        ),
        overlapBytes: whole(
          'How much of the text before it is looked at once more. Less than `windowBytes`.',
          0,
          1024 * 1024,
          guards.overlapBytes,
        ),
      },
      { required: ['mode'] },
    ),
  ),
)

const all = record('Guards of what models are asked, and of what they answer.', {
  request: listOf(
    ref('LlmRequestGuard'),
    'Guards of requests, in the order in which they look. Nobody looks after the first that rejects.',
  ),
  response: listOf(ref('LlmResponseGuard'), 'Guards of answers.'),
  streaming: ref('LlmGuardStreaming'),
})

/** Definitions about guards of conversations with language models. */
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
