import type { PoolSettings, UpstreamSettings } from '../model/resources/process-settings.ts'
import type { HealthChecks } from './health-checks/health-checks.ts'
import type { Connected } from './connect/dial.ts'
import type { CalloutEvents } from './request-mirror.ts'
import type { Supervised } from './load-balancing/endpoint.ts'
import type { Lookup } from './connect/dns-cache.ts'
import type { SharedResources } from './shared-resources.ts'

/** Dependencies of a transaction, from its registry. */
export interface RegistryContext {
  readonly settings: UpstreamSettings
  readonly guardrailWebhook: PoolSettings
  readonly lookup: Lookup
  readonly random: () => number
  readonly sharedResources: SharedResources
  readonly checks: HealthChecks
  readonly healthChanged: (endpoint: Supervised, now: number) => void
  readonly evicted: () => void
  readonly connected: Connected | undefined
  readonly mirrored: CalloutEvents | undefined
}
