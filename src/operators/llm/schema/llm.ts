import { defaults } from '../../../config/defaults.ts'
import {
  conditionField,
  exactlyOne,
  listOf,
  oneOrMany,
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
    'One of the models.',
    { model: text('Its name, as a client would ask for it.', { minLength: 1 }), ...more },
    { required: ['model', ...required] },
  )

const targets = (items: SchemaNode): SchemaNode => listOf(items, 'The models.', { minItems: 1 })

const routing = record(
  'How one of the models is chosen.',
  {
    weighted: record(
      'Drawn by weight.',
      {
        targets: targets(
          target({ weight: whole('Its share, in proportion to the others.', 0, 1_000_000, 1) }),
        ),
      },
      { required: ['targets'] },
    ),
    failover: record(
      'The first that works.',
      {
        targets: targets(
          target({ priority: whole('Lower ones first; those with the same are equals.', 0) }, ['priority']),
        ),
      },
      { required: ['targets'] },
    ),
    conditional: record(
      'The first whose condition holds.',
      {
        targets: targets(
          target({
            when: conditionField('The condition. Without one it always holds: such an entry is the last.'),
          }),
        ),
      },
      { required: ['targets'] },
    ),
  },
  exactlyOne('weighted', 'failover', 'conditional'),
)

const virtualModel = record(
  'A name that stands for several models.',
  { name: text('The name that clients ask for.', { minLength: 1 }), routing: ref('LlmRouting') },
  { required: ['name', 'routing'] },
)

const policies = record('Policies of all models.', {
  ...gatewayPolicyFields,
  localRateLimit: ref('LocalRateLimit'),
  remoteRateLimit: ref('ConditionalRemoteRateLimit'),
  guardrails: ref('LlmGuards'),
})

const section = record(
  'Language models on gateways or on a port of their own: a route named `llm:request` in the namespace `internal`, under every path that no other route takes.',
  {
    gateways: oneOrMany(
      text('A gateway.', { minLength: 1 }),
      `The gateways, or \`gateway/listener\`, it belongs to. Default: the gateway named \`default\`; if there is none, port ${String(defaults.llm.port)}.`,
    ),
    port: {
      ...whole('A port of its own. Give it a gateway, and name that in `gateways`.', 0, 65535),
      deprecated: true,
    },
    tls: {
      ...ref('ServerTls', 'TLS on the port of its own. Give it a gateway, and name that in `gateways`.'),
      deprecated: true,
    },
    providers: listOf(ref('LlmProvider'), 'Providers that models refer to.'),
    models: listOf(ref('LlmModel'), 'The models.'),
    virtualModels: listOf(ref('LlmVirtualModel'), 'Names that stand for several models.'),
    policies: ref('LlmPolicies'),
    guardrails: ref('LlmGuards', 'Guards of all models, after those of `policies` and before their own.'),
  },
  { required: ['models'] },
)

/** Definitions about language models. */
export const llmDefinitions: Properties = {
  ...llmProviderDefinitions,
  ...llmModelDefinitions,
  ...llmGuardDefinitions,
  LlmRouting: routing,
  LlmVirtualModel: virtualModel,
  LlmPolicies: policies,
  LlmSection: section,
}
