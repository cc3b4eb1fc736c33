import type * as File from '../../../../config/schema/file-types.gen.ts'
import { endpointFields, endpointRule } from '../../../../controller/schema/endpoint-fields.ts'
import { type FormOf, requiredField } from '../../../../controller/schema/field.ts'
import type { FormContext } from '../../../../controller/schema/form-context.ts'
import { listField, objectField } from '../../../../controller/schema/object-fields.ts'
import { attributesField, namedExpressionField } from '../../../../controller/schema/policy-fields.ts'
import { policyForm } from '../../../../controller/schema/policy-form.ts'
import { enumField } from '../../../../controller/schema/scalar-fields.ts'
import { validationRule } from '../../../../controller/schema/validation-rule.ts'
import { celField, longStringField } from '../../../../controller/schema/value-fields.ts'

const exporterFields = (path: string) => ({
  ...endpointFields('the collector'),
  protocol: enumField('Protocol of OTLP.', ['GRPC', 'HTTP'], { default: 'GRPC' }),
  path: longStringField(`Path of HTTP. By default \`${path}\`.`),
})

const isHttp = "has(self.protocol) && self.protocol == 'HTTP'"

const exporterRules = [
  endpointRule,
  validationRule(
    'path must start with / and needs protocol HTTP',
    `!has(self.path) || (self.path.startsWith('/') && ${isHttp})`,
  ),
  validationRule(
    'url can only have a path with protocol HTTP, and not with path',
    `!has(self.url) || self.url.matches('^https?://[^/]+/?$') || (${isHttp} && !has(self.path))`,
  ),
]

const otlpField = objectField(
  'Sends the log to a collector of OpenTelemetry.',
  {
    ...exporterFields('/v1/logs'),
    filter: celField('Which requests are sent. By default those that are logged.'),
    attributes: attributesField('Fields of the records.'),
  },
  { rules: exporterRules },
)

const accessLogField = objectField('The log of requests.', {
  filter: celField('Which requests are logged.'),
  attributes: attributesField('Fields of the lines.'),
  otlp: otlpField,
})

/** `frontend.accessLog` of a ProxyPolicy. */
export const accessLogForm = policyForm({
  field: accessLogField,
  translate: ({ filter, attributes, otlp }, context) => {
    const exporter = otlp && otlpOf(otlp, context)
    return {
      frontend: {
        accessLog: {
          ...(filter === undefined ? {} : { filter }),
          ...(attributes?.add ? { add: expressionsByName(attributes.add) } : {}),
          ...(attributes?.remove ? { remove: [...attributes.remove] } : {}),
          ...(exporter === undefined ? {} : { otlp: exporter }),
        },
      },
    }
  },
})

const otlpOf = (form: FormOf<typeof otlpField>, context: FormContext): File.OtlpAccessLog | undefined => {
  const service = context.endpoint(form)
  if (!service) return undefined
  const { filter, attributes } = form
  return {
    ...service,
    ...protocolOf(form),
    ...(filter === undefined ? {} : { filter }),
    ...(attributes === undefined
      ? {}
      : {
          fields: {
            ...(attributes.add ? { add: expressionsByName(attributes.add) } : {}),
            ...(attributes.remove ? { remove: [...attributes.remove] } : {}),
          },
        }),
  }
}

const tracingField = objectField(
  'Sends spans to a collector of OpenTelemetry.',
  {
    ...exporterFields('/v1/traces'),
    randomSampling: celField('Whether, or how often, requests are sampled that no client has sampled.'),
    clientSampling: celField('Whether, or how often, requests are sampled that a client has sampled.'),
    filter: celField('Which requests are sent.'),
    attributes: attributesField('Attributes of the spans.'),
    resources: listField('Attributes of the resource.', namedExpressionField('An attribute.'), {
      maxItems: 64,
    }),
  },
  { rules: exporterRules },
)

/** `frontend.tracing` of a ProxyPolicy. */
export const tracingForm = policyForm({
  field: tracingField,
  translate: (form, context) => {
    const service = context.endpoint(form)
    if (!service) return undefined
    const { randomSampling, clientSampling, filter, attributes, resources } = form
    return {
      frontend: {
        tracing: {
          ...service,
          ...protocolOf(form),
          ...(randomSampling === undefined ? {} : { randomSampling }),
          ...(clientSampling === undefined ? {} : { clientSampling }),
          ...(filter === undefined ? {} : { filter }),
          ...(attributes?.add ? { attributes: expressionsByName(attributes.add) } : {}),
          ...(attributes?.remove ? { remove: [...attributes.remove] } : {}),
          ...(resources?.length ? { resources: expressionsByName(resources) } : {}),
        },
      },
    }
  },
})

const metricsField = objectField('Metrics of requests and raw connections.', {
  attributes: requiredField(
    objectField('Labels.', {
      add: requiredField(
        listField('Labels to add.', namedExpressionField('A label.'), {
          minItems: 1,
          maxItems: 16,
          keys: ['name'],
          rules: [
            validationRule(
              'names of labels consist of letters, digits and _, and do not begin with a digit',
              "self.all(l, l.name.matches('^[a-zA-Z_][a-zA-Z0-9_]*$'))",
            ),
          ],
        }),
      ),
    }),
  ),
})

/** `frontend.metrics` of a ProxyPolicy. */
export const frontendMetricsForm = policyForm({
  field: metricsField,
  translate: ({ attributes: { add } }) => ({ frontend: { metrics: { add: expressionsByName(add) } } }),
})

/** A path of the URL is that of the collector. */
const protocolOf = ({
  protocol = 'GRPC',
  path,
  url,
}: {
  readonly protocol?: 'GRPC' | 'HTTP'
  readonly path?: string
  readonly url?: string
}): { protocol: 'grpc' | 'http'; path?: string } => {
  if (protocol === 'GRPC') return { protocol: 'grpc' }
  const called = path ?? /^https?:\/\/[^/]+(\/.+)$/.exec(url ?? '')?.[1]
  return { protocol: 'http', ...(called === undefined ? {} : { path: called }) }
}

const expressionsByName = (
  list: readonly { readonly name: string; readonly expression: string }[],
): Record<string, string> => Object.fromEntries(list.map(({ name, expression }) => [name, expression]))
