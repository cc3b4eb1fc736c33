import { defaults } from '../../config/defaults.ts'
import { milliseconds, timerMilliseconds } from '../../config/normalize/context.ts'
import { definedFields, given } from '../../config/normalize/optional-fields.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import type { Keepalives, UpstreamTcp } from '../../model/resources/policies.ts'

/** Keepalive probes with the defaults filled in. */
export function keepalives(settings: File.Keepalives = {}): Keepalives {
  return {
    enabled: settings.enabled ?? defaults.keepalives.enabled,
    timeMs: milliseconds(settings.time ?? defaults.keepalives.time),
    intervalMs: milliseconds(settings.interval ?? defaults.keepalives.interval),
    retries: settings.retries ?? defaults.keepalives.retries,
  }
}

/** `tcp`, with the default timeout. */
export function upstreamTcp(policy: File.UpstreamTcp): UpstreamTcp {
  return definedFields<UpstreamTcp>({
    connectTimeoutMs: timerMilliseconds(policy.connectTimeout ?? defaults.policyConnectTimeout),
    keepalives: given(policy.keepalives, keepalives),
  })
}
