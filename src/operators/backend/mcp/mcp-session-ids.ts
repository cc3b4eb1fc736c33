import { randomUUID } from 'node:crypto'
import { openSession, sealSession, type SessionState } from '../../../protocols/mcp/session-token.ts'
import type { SealRing } from '../../../protocols/seal/seal-ring.ts'
import type { McpSession } from './session.ts'
import type { Target } from './target.ts'

/**
 * Names for sessions that say all that is needed to go on with them, sealed: any replica with the key can. What only one
 * process can go on with, a child process for instance, is named by its owner.
 */
export class SessionIds {
  readonly #ring: SealRing
  readonly #backend: string
  readonly #replica: string

  /** @param replica The name of this process among its replicas. */
  constructor(ring: SealRing, backend: string, replica: string) {
    this.#ring = ring
    this.#backend = backend
    this.#replica = replica
  }

  make(session: McpSession, targets: readonly Target[], revision: string): string {
    const isBound = targets.some((target) => target.isBound && session.has(target.name))
    const state: SessionState = {
      targets: targets.map((target) => {
        const peer = session.known(target.name)
        return {
          target: target.name,
          ...(peer?.sessionId !== undefined && { session: peer.sessionId }),
          ...(peer && { revision: peer.revision }),
        }
      }),
      revision,
      random: randomUUID(),
      ...(isBound && { owner: this.#replica }),
      ...(session.principal && { principal: session.principal }),
      capabilities: session.who.capabilities,
      clientInfo: session.who.clientInfo,
      issuedAt: Date.now(),
    }
    return sealSession(state, this.#ring, this.#backend)
  }

  /** @returns Undefined for what was not made here or by a replica, for this backend. */
  read(id: string): SessionState | undefined {
    return openSession(id, this.#ring, this.#backend)
  }

  /** Whether another process holds what the session needs; says which. */
  ownerElsewhere({ owner }: SessionState): string | undefined {
    return owner === undefined || owner === this.#replica ? undefined : owner
  }
}
