import { type FormOf, requiredField, type SchemaField } from '../../../controller/schema/field.ts'
import { labelSelectorField } from '../../../controller/schema/label-selector-field.ts'
import { listField, objectField } from '../../../controller/schema/object-fields.ts'
import { objectNameField, sectionNameField } from '../../../controller/schema/reference-fields.ts'
import { enumField } from '../../../controller/schema/scalar-fields.ts'
import { atLeastOneOf, exactlyOneOf, validationRule } from '../../../controller/schema/validation-rule.ts'
import {
  failureModeField,
  longStringField,
  portField,
  shortStringField,
} from '../../../controller/schema/value-fields.ts'

const selectorField = objectField(
  'Servers behind Services: their ports with `appProtocol: agentgateway.dev/mcp` or `agentgateway.dev/mcp-sse`.',
  {
    namespaces: labelSelectorField('Labels of the namespaces. By default that of the ProxyBackend.'),
    services: labelSelectorField('Labels of the Services. By default all.'),
  },
  { rules: [atLeastOneOf('namespaces', 'services')] },
)

const staticField = (policies: SchemaField<Readonly<Record<string, unknown>>>) =>
  objectField(
    'One server.',
    {
      host: shortStringField('Host name or address.'),
      backendRef: objectField('A Service of the same namespace.', {
        name: requiredField(objectNameField('Name of the Service.')),
      }),
      port: requiredField(portField('Port of the host or the Service.')),
      path: longStringField(
        'Path of the server. By default that of the Service (annotation `agentgateway.dev/mcp-path`) where its port says that it speaks MCP, else `/mcp`, or `/sse` with the protocol SSE.',
      ),
      protocol: enumField(
        'Transport of the server. By default that of `appProtocol` of the port of the Service, else StreamableHTTP.',
        ['StreamableHTTP', 'SSE'],
      ),
      policies,
    },
    {
      rules: [
        exactlyOneOf('backendRef', 'host'),
        validationRule(
          'policies cannot be set with backendRef: attach a ProxyPolicy to the Service',
          '!has(self.backendRef) || !has(self.policies)',
        ),
      ],
    },
  )

/**
 * `mcp` of a ProxyBackend.
 *
 * @param policies Those of a server with a host.
 */
export const mcpBackendField = (policies: SchemaField<Readonly<Record<string, unknown>>>) =>
  objectField('MCP servers, which clients see as one.', {
    targets: requiredField(
      listField(
        'The servers.',
        objectField(
          'A server, or all that are selected.',
          {
            name: requiredField(
              sectionNameField('Name. That of a static server precedes the names of its tools.'),
            ),
            selector: selectorField,
            static: staticField(policies),
          },
          { rules: [exactlyOneOf('selector', 'static')] },
        ),
        { minItems: 1, maxItems: 128, keys: ['name'] },
      ),
    ),
    sessionRouting: enumField(
      '`Stateful`: each session of a client has sessions with the servers. `Stateless`: every request is independent. By default Stateful.',
      ['Stateful', 'Stateless'],
    ),
    failureMode: failureModeField(
      'What happens if a server fails. `FailClosed`: the request fails. `FailOpen`: the server is left out. By default FailClosed.',
    ),
    prefixMode: enumField(
      'When names of servers precede those of tools and prompts: with several servers, always, or never. By default Conditional.',
      ['Always', 'Conditional', 'Never'],
    ),
  })

/** What `mcpBackendField` holds. */
export type McpBackendForm = FormOf<ReturnType<typeof mcpBackendField>>

/** One of its targets. */
export type McpTargetForm = McpBackendForm['targets'][number]
