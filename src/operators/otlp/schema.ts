import {
  cel,
  conditionField,
  formatted,
  listOf,
  mapOf,
  ours,
  type Properties,
  record,
  type SchemaNode,
  text,
  words,
} from '../../config/schema/builders.ts'
import { onePolicyBackend, policyBackendFields } from '../../config/schema/policy-backend.ts'
import type { PolicyBackend } from '../../model/policies/policy-backend.ts'
import type { Cel } from '../../model/resources/policies.ts'

/** Where telemetry is sent, and how. */
export interface OtlpTarget {
  readonly service: PolicyBackend
  readonly protocol: 'grpc' | 'http'
  /** Path of requests over HTTP. */
  readonly path: string
  /** Header fields over HTTP, metadata over gRPC; names are lower-case. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** For one attempt to export. */
  readonly timeoutMs?: number
}

/** Which requests are traced: a share, those for which an expression gives a share or true, or as the caller decided. */
export type Sampling = { readonly share: number } | { readonly expression: Cel } | 'parent'

/** Traces of requests. */
export interface Tracing extends OtlpTarget {
  /** For requests without trace context. Default: none. */
  readonly randomSampling?: Sampling
  /** For requests with trace context. Default: all. */
  readonly clientSampling?: Sampling
  /** Which traces are kept, evaluated at the end. */
  readonly filter?: Cel
  readonly attributes: readonly (readonly [name: string, value: Cel])[]
  readonly resources: readonly (readonly [name: string, value: Cel])[]
  readonly remove: readonly string[]
}

/** Access logs for a collector, with rules of their own. */
export interface OtlpAccessLog extends OtlpTarget {
  readonly filter?: Cel
  readonly add: readonly (readonly [name: string, value: Cel])[]
  readonly remove: readonly string[]
}

const protocolField = words('Protocol of the collector. `http` sends protobuf.', ['grpc', 'http'], 'grpc')

const pathField = (path: string): SchemaNode =>
  formatted('absolutePath', 'Path of requests over HTTP.', { default: path })

const headersField = mapOf(
  formatted('headerValue', 'Value.'),
  'Header fields of requests to the collector; metadata over gRPC.',
  { propertyNames: { format: 'headerName' } },
)

/** A share, or an expression that gives one. */
const sampling = (description: string): SchemaNode => ({
  description,
  type: ['string', 'number', 'boolean'],
  format: 'sampling',
  minimum: 0,
  maximum: 1,
})

const samplingFields: Properties = {
  randomSampling: sampling(
    'Which requests without trace context are traced: a share from 0 to 1, a boolean, or an expression that gives one of them. Default: none, or as the variable OTEL_TRACES_SAMPLER says.',
  ),
  clientSampling: sampling(
    'The same for requests whose client sent a valid `traceparent`. Default: all, or as the variable OTEL_TRACES_SAMPLER says.',
  ),
}

const tracing = record(
  'Traces of requests for an OpenTelemetry collector.',
  {
    ...policyBackendFields,
    protocol: protocolField,
    path: pathField('/v1/traces'),
    headers: ours(headersField),
    ...samplingFields,
    filter: conditionField(
      'Condition for traces to be exported, evaluated at the end of the request. Default: all.',
    ),
    attributes: mapOf(
      cel('Expression that returns the value.'),
      'Attributes of the server span to add or replace. `span.name` sets its name.',
    ),
    remove: listOf(text('Attribute name.'), 'Attributes of the server span to remove.'),
    resources: mapOf(
      cel('Expression that returns the value. It can read `env` only.'),
      'Attributes of the resource to add or replace.',
    ),
  },
  onePolicyBackend,
)

const otlpAccessLog = record(
  'Exports access logs to an OpenTelemetry collector, with rules of its own.',
  {
    ...policyBackendFields,
    protocol: protocolField,
    path: pathField('/v1/logs'),
    headers: ours(headersField),
    filter: conditionField('Condition for exchanges to be exported. Default: all.'),
    fields: record('Changes to the attributes.', {
      add: mapOf(cel('Expression that returns the value.'), 'Attributes to add or replace.'),
      remove: listOf(text('Attribute name.'), 'Attributes to remove.'),
    }),
  },
  onePolicyBackend,
)

const processTracing = record('Traces of requests for an OpenTelemetry collector.', {
  otlpEndpoint: formatted(
    'otlpEndpoint',
    'Address of the collector, such as `http://localhost:4317`. Overridden by the environment variables OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT and OTEL_EXPORTER_OTLP_ENDPOINT.',
  ),
  otlpProtocol: {
    ...protocolField,
    description:
      'Protocol of the collector. `http` sends protobuf. Overridden by the environment variable OTLP_PROTOCOL.',
  },
  path: pathField('/v1/traces'),
  headers: {
    ...headersField,
    description:
      'Header fields of requests to the collector; metadata over gRPC. Overridden by the environment variable OTLP_HEADERS.',
  },
  fields: record('Changes to the attributes of the server span.', {
    add: mapOf(cel('Expression that returns the value.'), 'Attributes to add or replace.'),
    remove: listOf(text('Attribute name.'), 'Attributes to remove.'),
  }),
  ...samplingFields,
})

/** Definitions of traces and logs over OTLP. */
export const otlpDefinitions: Properties = {
  Tracing: tracing,
  OtlpAccessLog: otlpAccessLog,
  ProcessTracing: processTracing,
}
