import {
  cel,
  condition,
  either,
  exactlyOne,
  listOf,
  mapOf,
  notYet,
  oneOrMany,
  record,
  ref,
  text,
  whole,
  words,
} from './kinds.ts'
import type { Properties, Schema } from './kinds.ts'

const any = (description: string): Schema => ({ description })
const name = (description: string): Schema => text(description, { minLength: 1 })

const provider = either(
  'Who serves it: a known provider, one of `providers` by reference, or one described here.',
  name('A known provider.'),
  record(
    'Described or referred to.',
    {
      reference: name('One of `providers`.'),
      custom: record('A provider described here.', {
        model: name('The model to ask for.'),
        providerOverride: name('The provider to take it for.'),
        formats: listOf(
          record(
            'A format it understands.',
            { type: name('The format.'), path: name('Its path.') },
            { required: ['type'] },
          ),
          'The formats it understands.',
        ),
      }),
    },
    exactlyOne('reference', 'custom'),
  ),
)

const params = record('How the provider is reached.', {
  model: name('The model to ask for.'),
  apiKey: either(
    'The key.',
    text('The key itself.'),
    record('Where it is.', { file: name('In a file.') }, { required: ['file'] }),
  ),
  awsRegion: name('The region at AWS.'),
  vertexRegion: name('The region at Google.'),
  vertexProject: name('The project at Google.'),
  azureResourceName: name('The resource at Azure.'),
  azureResourceType: words('The kind of resource at Azure.', ['openAI', 'foundry', 'aiServices']),
  azureApiVersion: name('The version of the interface at Azure.'),
  azureProjectName: name('The project at Azure.'),
  baseUrl: name('The address it is reached at.'),
  hostOverride: name('Another host and port.'),
  pathOverride: name('Another path.'),
  pathPrefix: name('What paths begin with.'),
  tokenize: { ...any('Whether tokens are counted before the call.'), type: 'boolean', default: false },
})

/** What models and reusable providers have in common. */
const mutations: Properties = {
  defaults: any('Fields of the body to set where they are absent.'),
  overrides: any('Fields of the body to set in any case.'),
  transformation: mapOf(cel('Gives the value.'), 'Fields of the body to compute.'),
  requestHeaders: ref('HeaderModifier'),
  responseHeaders: ref('HeaderModifier'),
  tls: ref('UpstreamTls'),
  auth: any('Credentials towards the provider.'),
  health: ref('Health'),
  backendTunnel: any('Reaches the provider through an HTTP proxy.'),
  promptCaching: any('Where caching markers go.'),
}

const model = record(
  'Models by name or pattern, and who serves them.',
  {
    id: name('Its identity.'),
    name: name('The name that clients ask for. May begin or end with `*`.'),
    visibility: words('Whether clients may ask for it.', ['public', 'internal'], 'public'),
    provider,
    params: ref('LlmParams'),
    passthrough: words('Whether bodies pass as they are.', ['detect', 'opaque']),
    authorization: any('Rules about who may use it.'),
    ...mutations,
    finalTransformation: mapOf(cel('Gives the value.'), 'Fields of the translated body to compute.'),
    backendTLS: ref('UpstreamTls'),
    guardrails: any('Guards of prompts and answers.'),
    matches: listOf(
      record('Conditions on the request.', { headers: any('Conditions on headers.') }),
      'When it applies.',
    ),
  },
  { required: ['name', 'provider'] },
)

const routing = record(
  'How one of the models is chosen.',
  {
    weighted: record('By weight.', {
      targets: listOf(
        record('A model.', { model: name('Its name.'), weight: whole('Its weight.', 0) }),
        'The models.',
      ),
    }),
    failover: record('The first that works.', {
      targets: listOf(
        record('A model.', { model: name('Its name.'), priority: whole('Its place.', 0) }),
        'The models.',
      ),
    }),
    conditional: record('The first whose condition holds.', {
      targets: listOf(
        record('A model.', { model: name('Its name.'), when: condition('The condition.') }),
        'The models.',
      ),
    }),
  },
  exactlyOne('weighted', 'failover', 'conditional'),
)

/** Definitions about language models. */
export const llmDefinitions: Properties = {
  LlmParams: params,
  LlmModel: model,
  LlmSection: notYet(
    record(
      'Language models on a gateway or on a port of their own.',
      {
        gateways: oneOrMany(name('A gateway.'), 'The gateways it belongs to.'),
        port: { ...whole('A port of its own.', 1, 65535), deprecated: true },
        tls: { ...any('TLS on the port of its own.'), deprecated: true },
        providers: listOf(
          record(
            'A provider that models refer to.',
            {
              name: name('Its name.'),
              provider,
              params: ref('LlmParams'),
              defaults: record('What its models begin with.', mutations),
            },
            { required: ['name', 'provider'] },
          ),
          'Providers that models refer to.',
        ),
        models: listOf(ref('LlmModel'), 'The models.'),
        virtualModels: listOf(
          record(
            'A name that stands for several models.',
            { name: name('The name.'), routing },
            { required: ['name', 'routing'] },
          ),
          'Names that stand for several models.',
        ),
        policies: any('Policies of all models.'),
        guardrails: any('Guards of all models.'),
      },
      { required: ['models'] },
    ),
  ),
}
