import { randomUUID } from 'node:crypto'
import { Fault } from '../../../../model/fault.ts'
import type { Owner } from '../../../../model/owner.ts'
import type { JsonObject } from '../../../../protocols/json-rpc/message.ts'
import { openOwner, sealOwner } from '../../../../protocols/mcp/owner-token.ts'
import { isModern } from '../../../../protocols/mcp/revisions.ts'
import { sessionDigest } from '../../../../protocols/mcp/session-digest.ts'
import { openSession, sealSession, type SessionState } from '../../../../protocols/mcp/session-token.ts'
import type { SealRing } from '../../../../protocols/seal/seal-ring.ts'
import { keeperInKey } from '../answer/call-key.ts'
import type { Peer } from '../servers/peer.ts'
import type { McpSession } from './session.ts'
import type { Target } from '../servers/target.ts'

/**
 * Names for sessions that say all that is needed to go on with them, sealed: any replica with the key can. What only one
 * process can go on with, a child process for instance, is named by its owner.
 */
export class SessionIds {
  readonly #ring: SealRing
  readonly #backend: string
  readonly #self: Owner
  readonly #keepers = new WeakMap<McpSession, string>()

  /** @param self What this process is called among its replicas. */
  constructor(ring: SealRing, backend: string, self: Owner) {
    this.#ring = ring
    this.#backend = backend
    this.#self = self
  }

  /**
   * The name of a session. It is a header field of every request, and clients may be of many words: what is not needed
   * is left out before it gets too long.
   *
   * @throws Fault `mcp_session_too_long` if the names that servers gave their sessions are too long together.
   */
  make(session: McpSession, targets: readonly Target[], revision: string): string {
    const state = this.#stateOf(session, targets, revision)
    for (const kept of [state, { ...state, ...inShort(state) }, { ...state, ...inNoWords }]) {
      const id = sealSession(kept, this.#ring, this.#backend)
      if (id.length <= LIMIT) return id
    }
    throw tooLong()
  }

  #stateOf(session: McpSession, targets: readonly Target[], revision: string): SessionState {
    const isBound = targets.some((target) => this.#isBound(target, session.known(target.name)))
    return {
      targets: targets.map((target) => {
        const peer = session.known(target.name)
        return {
          target: target.name,
          ...(peer?.sessionId !== undefined && { session: peer.sessionId }),
          ...(peer?.place !== undefined && { endpoint: peer.place }),
          ...(peer && { revision: peer.revision }),
        }
      }),
      revision,
      random: randomUUID(),
      ...(isBound && { owner: this.#self }),
      ...(session.principal && { principal: session.principal }),
      capabilities: session.who.capabilities,
      clientInfo: session.who.clientInfo,
      issuedAt: Date.now(),
    }
  }

  /** What a server without sessions has asked a client waits in one process: where the others can ask it, they do. */
  #isBound({ isBound }: Target, peer: Peer | undefined): boolean {
    if (!peer) return false
    return isBound || (this.#self.address !== undefined && isModern(peer.revision))
  }

  /** @returns Undefined for what was not made here or by a replica, for this backend. */
  read(id: string): SessionState | undefined {
    return openSession(id, this.#ring, this.#backend)
  }

  /** Whether another process holds what the session needs; says which. */
  ownerElsewhere({ owner }: SessionState): Owner | undefined {
    return this.#unlessSelf(owner)
  }

  /** Says who keeps the answers that this process gives to a session, where others can ask for them. */
  keeper(session: McpSession): string | undefined {
    if (this.#self.address === undefined) return undefined
    let text = this.#keepers.get(session)
    if (text === undefined) {
      text = sealOwner(this.#self, this.#ring, this.#answersOf(session.id))
      this.#keepers.set(session, text)
    }
    return text
  }

  /** The other process that keeps an answer of a session, by the id of one of its events. */
  keeperElsewhere(eventId: string, sessionId: string): Owner | undefined {
    const [key = ''] = eventId.split('/')
    return this.#unlessSelf(openOwner(keeperInKey(key) ?? '', this.#ring, this.#answersOf(sessionId)))
  }

  /** Names a stream of the older transport. It is of one process, which the others find in it where they can ask. */
  makeStream(principal: string): string {
    const id = randomUUID()
    if (this.#self.address === undefined) return id
    return `${id}.${sealOwner(this.#self, this.#ring, this.#streamOf(id, principal))}`
  }

  /** The other process that has such a stream of a caller's. */
  streamElsewhere(name: string, principal: string): Owner | undefined {
    const [id = '', owner = ''] = name.split('.')
    return this.#unlessSelf(openOwner(owner, this.#ring, this.#streamOf(id, principal)))
  }

  #unlessSelf(owner: Owner | undefined): Owner | undefined {
    return owner?.replica === this.#self.replica ? undefined : owner
  }

  #answersOf(sessionId: string): string {
    return `mcp answers ${this.#backend} ${sessionDigest(sessionId)}`
  }

  #streamOf(id: string, principal: string): string {
    return `mcp stream ${this.#backend} ${id} ${principal}`
  }
}

/** Names and versions are what servers look at, and of capabilities those that everybody knows. */
const inShort = ({ clientInfo, capabilities }: SessionState): Partial<SessionState> => ({
  clientInfo: { name: short(clientInfo?.name), version: short(clientInfo?.version) },
  capabilities: Object.fromEntries(
    Object.entries(capabilities ?? {}).flatMap(([name, details]) =>
      known.has(name) ? [[name, shallow(details)]] : [],
    ),
  ),
})

const inNoWords: Partial<SessionState> = { clientInfo: { name: 'client', version: '0' }, capabilities: {} }

const known: ReadonlySet<string> = new Set(['roots', 'sampling', 'elicitation'])

/** The switches in it. */
const shallow = (details: unknown): JsonObject =>
  Object.fromEntries(
    Object.entries((details ?? {}) as JsonObject).flatMap(([name, value]) =>
      name.length <= 20 ? [[name, typeof value === 'boolean' ? value : {}]] : [],
    ),
  )

const short = (text: unknown): string => (typeof text === 'string' ? text.slice(0, 64) : '')

/** Most HTTP servers and proxies take fields of 8 KiB. */
const LIMIT = 7_680

const tooLong = (): Fault =>
  new Fault('mcp_session_too_long', 'mcp: the names of the sessions with the servers are too long together', {
    status: 502,
    reason: 'MCP',
  })
