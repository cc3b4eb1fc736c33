import { proxyBackendResource } from '../src/controller/custom-resources/proxy-backend.ts'
import type { CustomResource } from '../src/controller/schema/custom-resource.ts'
import type { StructuralSchema } from '../src/controller/schema/field.ts'

/** The reference page of a kind: every field of its `spec`, and every rule. */
export const customResourcePage = ({
  kind,
  plural,
  shortName,
  description,
  spec,
}: CustomResource): string => {
  const rules = rulesOf(spec.schema, 'spec')
  return [
    `# ${kind}`,
    `${description} \`agentgateway.dev/v1alpha1\`, namespaced; \`kubectl get ${plural}\`, short \`${shortName}\`.`,
    'This page is generated from the schema that the API server has. It checks types, bounds and the rules below when an object is written. What only the control plane can know, such as whether a Secret is there, is in [the conditions](kubernetes-statuses.md). Expressions are [those of the configuration file](cel.md), and policies mean what [its fields](configuration.md) of the same subject mean.',
    '## Fields of `spec`',
    ['| Field | Type | Meaning |', '| --- | --- | --- |', ...rowsOf(spec.schema, '')].join('\n'),
    ...(rules.length === 0
      ? []
      : ['## Rules', ['| Field | The API server says |', '| --- | --- |', ...rules].join('\n')]),
    '',
  ].join('\n\n')
}

const rowsOf = (schema: StructuralSchema, prefix: string): readonly string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const meaning = [
      schema.required?.includes(name) ? 'Required.' : '',
      field.description ?? '',
      field.default === undefined ? '' : `Default: \`${JSON.stringify(field.default)}\`.`,
    ]
    const row = `| \`${path}\` | ${typeOf(field)} | ${cell(meaning.filter(Boolean).join(' '))} |`
    if (field === backendPolicies) return [row.replace(/ \|$/, ` ${POLICIES} |`)]
    return [
      row,
      ...rowsOf(field, `${path}.`),
      ...(field.items ? rowsOf(field.items, `${path}[].`) : []),
      ...(field.additionalProperties ? rowsOf(field.additionalProperties, `${path}.*.`) : []),
    ]
  })

/** They are those of a ProxyPolicy, and described there. */
const backendPolicies = proxyBackendResource.spec.schema.properties?.policies
const POLICIES = 'The fields of `backend` of a [ProxyPolicy](proxypolicy.md), with their rules.'

const typeOf = (schema: StructuralSchema): string => {
  if (Array.isArray(schema.enum)) return schema.enum.map((word) => `\`${String(word)}\``).join(', ')
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or quantity'
  if (schema.items) return `list${boundsOf(schema.minItems, schema.maxItems)}`
  if (schema.additionalProperties) return `map${boundsOf(schema.minProperties, schema.maxProperties)}`
  if (schema.type === 'string') return `string${boundsOf(schema.minLength, schema.maxLength)}`
  if (schema.type === 'integer') return `integer${boundsOf(schema.minimum, schema.maximum)}`
  return schema.type ?? 'any'
}

const boundsOf = (least: unknown, most: unknown): string => {
  if (typeof least === 'number')
    return typeof most === 'number' ? `, ${least} to ${most}` : `, at least ${least}`
  return typeof most === 'number' ? `, at most ${most}` : ''
}

const rulesOf = (schema: StructuralSchema, path: string): readonly string[] =>
  schema === backendPolicies
    ? []
    : [
        ...(schema['x-kubernetes-validations'] ?? []).map(
          ({ message }) => `| \`${path}\` | ${cell(message)} |`,
        ),
        ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
          rulesOf(field, `${path}.${name}`),
        ),
        ...(schema.items ? rulesOf(schema.items, `${path}[]`) : []),
        ...(schema.additionalProperties ? rulesOf(schema.additionalProperties, `${path}.*`) : []),
      ]

const cell = (text: string): string => text.replaceAll('|', '\\|')
