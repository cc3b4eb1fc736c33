import type { PoolSettings, UpstreamSettings } from '../model/process-settings.ts'
import type { Connected } from './dial.ts'
import type { Answered } from './mirror.ts'
import type { Lookup } from './name.ts'
import type { Shelf } from './shelf.ts'

/** What a session has from its registry. */
export interface Workplace {
  readonly settings: UpstreamSettings
  readonly guardrailWebhook: PoolSettings
  readonly lookup: Lookup
  readonly random: () => number
  readonly shelf: Shelf
  readonly evicted: () => void
  readonly connected: Connected | undefined
  readonly mirrored: Answered | undefined
}
