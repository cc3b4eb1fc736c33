import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { SpanAttributes } from '../../model/tracing/span.ts'

/** What describes this process in a resource. */
export interface ResourceSource {
  readonly version: string
  /** From `OTEL_SERVICE_NAME`. */
  readonly serviceName?: string | undefined
  /** From `OTEL_RESOURCE_ATTRIBUTES`. */
  readonly attributes?: readonly (readonly [name: string, value: string])[] | undefined
  readonly namespace?: string | undefined
  readonly podIp?: string | undefined
}

/** The resource attributes of the process; configured ones override them. */
export const processResource = (source: ResourceSource): SpanAttributes => ({
  'service.name': 'agentgateway',
  'service.version': source.version,
  'service.instance.id': instanceId,
  'host.name': hostname(),
  'telemetry.sdk.language': 'nodejs',
  ...(source.namespace !== undefined && { 'service.namespace': source.namespace }),
  ...(source.podIp !== undefined && { 'k8s.pod.ip': source.podIp }),
  ...Object.fromEntries(source.attributes ?? []),
  ...(source.serviceName !== undefined && { 'service.name': source.serviceName }),
})

const instanceId = randomUUID()
