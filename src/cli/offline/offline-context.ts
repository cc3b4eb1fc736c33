import type { RegistryContext } from '../../upstream/registry-context.ts'
import { defaultUpstreamSettings } from '../../upstream/registry.ts'
import { SharedResources } from '../../upstream/shared-resources.ts'

/** What upstreams are made with where nothing is resolved, dialled or checked. */
export const offlineContext = (): RegistryContext => ({
  settings: defaultUpstreamSettings,
  guardrailWebhook: { poolIdleTimeoutMs: defaultUpstreamSettings.poolIdleTimeoutMs },
  lookup: (host, callback) => {
    queueMicrotask(() => callback(new Error(`${host} is not resolved here`), []))
  },
  random: Math.random,
  sharedResources: new SharedResources(),
  checks: { begin: () => ({ stop: () => Promise.resolve() }) },
  healthChanged: () => undefined,
  evicted: () => undefined,
  connected: undefined,
  mirrored: undefined,
})
