import type { Owner } from '../../../model/resources/replica.ts'
import type { Revision } from '../../../protocols/mcp/revisions.ts'
import type { Keyring } from '../../../protocols/seal/aead-keyring.ts'
import type { SessionPool } from './session-pool.ts'
import type { SuspendedCalls } from './suspended-calls.ts'

/** What bridges between revisions share: sessions with servers, suspended calls, and the keys of request states. */
export interface BridgeContext {
  readonly sessions: SessionPool
  readonly suspended: SuspendedCalls
  readonly ring: Keyring
  /** Revisions offered to clients, oldest first. */
  readonly offered: readonly Revision[]
  /** This process among its replicas. */
  readonly self: Owner
}
