import { defaults } from '../../../config/defaults.ts'
import {
  conditionField,
  exactlyOne,
  listOf,
  oneOrMany,
  ours,
  type Properties,
  record,
  ref,
  type SchemaNode,
  text,
  whole,
} from '../../../config/schema/builders.ts'
import { llmGuardDefinitions } from '../guardrails/schema/guardrails.ts'
import { llmModelDefinitions } from './model.ts'
import { llmProviderDefinitions } from './provider.ts'
import { gatewayPolicyFields } from '../../../config/schema/policies.ts'

const target = (more: Properties, required: readonly string[] = []): SchemaNode =>
  record(
    'A target model.',
    {
      model: text('Model name, as clients would request it.', { minLength: 1 }),
      id: ours(
        text('Id of the model, in place of the first one whose name fits. Its `name` is not looked at.', {
          minLength: 1,
        }),
      ),
      ...more,
    },
    { required: ['model', ...required] },
  )

const targets = (items: SchemaNode): SchemaNode => listOf(items, 'Target models.', { minItems: 1 })

const routing = record(
  'How a target model is selected; set exactly one field.',
  {
    weighted: record(
      'Random selection by weight.',
      {
        targets: targets(target({ weight: whole('Relative share of requests.', 0, 1_000_000, 1) })),
      },
      { required: ['targets'] },
    ),
    failover: record(
      'Selection of the first available model by priority.',
      {
        targets: targets(
          target(
            {
              priority: whole(
                'Priority; lower numbers first. Models with the same priority share the load.',
                0,
              ),
            },
            ['priority'],
          ),
        ),
      },
      { required: ['targets'] },
    ),
    conditional: record(
      'Selection of the first model whose condition is true.',
      {
        targets: targets(
          target({
            when: conditionField(
              'Condition. An entry without condition always matches and must be the last.',
            ),
          }),
        ),
      },
      { required: ['targets'] },
    ),
  },
  exactlyOne('weighted', 'failover', 'conditional'),
)

const virtualModel = record(
  'A virtual model: a name that is routed to several models.',
  { name: text('Model name that clients request.', { minLength: 1 }), routing: ref('LlmRouting') },
  { required: ['name', 'routing'] },
)

const policies = record('Policies for requests to all models.', {
  ...gatewayPolicyFields,
  localRateLimit: ref('LocalRateLimit'),
  remoteRateLimit: ref('ConditionalRemoteRateLimit'),
  guardrails: ref('LlmGuards'),
})

const section = record(
  'Language models served on gateways or on a dedicated port, by a route `llm:request` in the namespace `internal`. It serves every path that no other route matches.',
  {
    gateways: oneOrMany(
      text('Gateway name.', { minLength: 1 }),
      `Gateways, as \`gateway\` or \`gateway/listener\`, that serve the models. Default: the gateway named \`default\`, else port ${String(defaults.llm.port)}.`,
    ),
    port: {
      ...whole('A port of its own. Give it a gateway, and name that in `gateways`.', 0, 65535),
      deprecated: true,
    },
    tls: {
      ...ref('ServerTls', 'TLS on the port of its own. Give it a gateway, and name that in `gateways`.'),
      deprecated: true,
    },
    providers: listOf(ref('LlmProvider'), 'Reusable providers that models refer to.'),
    models: listOf(ref('LlmModel'), 'Models.'),
    virtualModels: listOf(ref('LlmVirtualModel'), 'Virtual models.'),
    policies: ref('LlmPolicies'),
    guardrails: ref(
      'LlmGuards',
      'Guardrails for all models, after those of `policies` and before those of the model.',
    ),
  },
  { required: ['models'] },
)

/** Definitions of the section `llm`. */
export const llmDefinitions: Properties = {
  ...llmProviderDefinitions,
  ...llmModelDefinitions,
  ...llmGuardDefinitions,
  LlmRouting: routing,
  LlmVirtualModel: virtualModel,
  LlmPolicies: policies,
  LlmSection: section,
}
