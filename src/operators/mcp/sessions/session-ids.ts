import { randomUUID } from 'node:crypto'
import { Fault } from '../../../model/exchange/fault.ts'
import type { Owner } from '../../../model/resources/replica.ts'
import type { JsonObject } from '../../../protocols/json-rpc/message.ts'
import { openOwner, sealOwner } from '../../../protocols/mcp/replica-token.ts'
import { isModern } from '../../../protocols/mcp/revisions.ts'
import { sessionDigest } from '../../../protocols/mcp/session-digest.ts'
import { openSession, sealSession, type SessionState } from '../../../protocols/mcp/session-token.ts'
import type { Keyring } from '../../../protocols/seal/aead-keyring.ts'
import { belongsTo } from '../replicas/wrong-replica-error.ts'
import { ownerTokenInKey } from '../response/event-id.ts'
import type { ServerClient } from '../servers/server-client.ts'
import type { McpSession } from './session.ts'
import type { Target } from '../servers/target.ts'

/**
 * Session ids that contain the state of the session, sealed: any replica with the key can continue it. What only one
 * process can continue, such as a child process, is named by its owner.
 */
export class SessionIds {
  readonly #ring: Keyring
  readonly #backend: string
  readonly #self: Owner
  readonly #ownerTokens = new WeakMap<McpSession, string>()

  /** @param self This process among its replicas. */
  constructor(ring: Keyring, backend: string, self: Owner) {
    this.#ring = ring
    this.#backend = backend
    this.#self = self
  }

  /**
   * The id of a session. It is a header of every request, and clients may send long descriptions: optional parts are
   * dropped before it gets too long.
   *
   * @throws Fault `mcp_session_too_long` if the session ids of servers are too long together.
   */
  make(session: McpSession, targets: readonly Target[], revision: string): string {
    const state = this.#stateOf(session, targets, revision)
    for (const kept of [state, { ...state, ...shortenedClient(state) }, { ...state, ...minimalClient }]) {
      const id = sealSession(kept, this.#ring, this.#backend)
      if (id.length <= LIMIT) return id
    }
    throw tooLong()
  }

  #stateOf(session: McpSession, targets: readonly Target[], revision: string): SessionState {
    const isBound = targets.some((target) => this.#isBound(target, session.known(target.name)))
    return {
      targets: targets.map((target) => {
        const server = session.known(target.name)
        return {
          target: target.name,
          ...(server?.sessionId !== undefined && { session: server.sessionId }),
          ...(server?.endpointAddress !== undefined && { endpoint: server.endpointAddress }),
          ...(server && { revision: server.revision }),
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

  /**
   * Input requests of a server without sessions are suspended in one process: other replicas forward to it where they
   * can.
   */
  #isBound({ isBound }: Target, server: ServerClient | undefined): boolean {
    if (!server) return false
    return isBound || (this.#self.address !== undefined && isModern(server.revision))
  }

  /** @returns Undefined for ids that were not made here or by a replica, for this backend. */
  read(id: string): SessionState | undefined {
    return openSession(id, this.#ring, this.#backend)
  }

  /** The other process that has state which the session needs. */
  otherOwner({ owner }: SessionState): Owner | undefined {
    return this.#unlessSelf(owner)
  }

  /** Describes the owner, in an error message. */
  belongsTo(owner: Owner): string {
    return belongsTo(owner, this.#self)
  }

  /** Names the process that keeps the responses of a session, where others can reach it. */
  ownerTokenFor(session: McpSession): string | undefined {
    if (this.#self.address === undefined) return undefined
    let text = this.#ownerTokens.get(session)
    if (text === undefined) {
      text = sealOwner(this.#self, this.#ring, this.#responsesPurpose(session.id))
      this.#ownerTokens.set(session, text)
    }
    return text
  }

  /** The other process that keeps a response of a session, by the id of one of its events. */
  responseOwner(eventId: string, sessionId: string): Owner | undefined {
    const [key = ''] = eventId.split('/')
    return this.#unlessSelf(
      openOwner(ownerTokenInKey(key) ?? '', this.#ring, this.#responsesPurpose(sessionId)),
    )
  }

  /** The id of a stream of the HTTP+SSE transport. It names its process, where others can reach it. */
  makeStream(principal: string): string {
    const id = randomUUID()
    if (this.#self.address === undefined) return id
    return `${id}.${sealOwner(this.#self, this.#ring, this.#streamPurpose(id, principal))}`
  }

  /** The other process that has the caller's stream. */
  streamOwner(name: string, principal: string): Owner | undefined {
    const [id = '', owner = ''] = name.split('.')
    return this.#unlessSelf(openOwner(owner, this.#ring, this.#streamPurpose(id, principal)))
  }

  #unlessSelf(owner: Owner | undefined): Owner | undefined {
    return owner?.replica === this.#self.replica ? undefined : owner
  }

  #responsesPurpose(sessionId: string): string {
    return `mcp answers ${this.#backend} ${sessionDigest(sessionId)}`
  }

  #streamPurpose(id: string, principal: string): string {
    return `mcp stream ${this.#backend} ${id} ${principal}`
  }
}

/** Names, versions and well-known capabilities are enough for servers. */
const shortenedClient = ({ clientInfo, capabilities }: SessionState): Partial<SessionState> => ({
  clientInfo: { name: short(clientInfo?.name), version: short(clientInfo?.version) },
  capabilities: Object.fromEntries(
    Object.entries(capabilities ?? {}).flatMap(([name, details]) =>
      known.has(name) ? [[name, shallow(details)]] : [],
    ),
  ),
})

const minimalClient: Partial<SessionState> = {
  clientInfo: { name: 'client', version: '0' },
  capabilities: {},
}

const known: ReadonlySet<string> = new Set(['roots', 'sampling', 'elicitation'])

/** Boolean details only. */
const shallow = (details: unknown): JsonObject =>
  Object.fromEntries(
    Object.entries((details ?? {}) as JsonObject).flatMap(([name, value]) =>
      name.length <= 20 ? [[name, typeof value === 'boolean' ? value : {}]] : [],
    ),
  )

const short = (text: unknown): string => (typeof text === 'string' ? text.slice(0, 64) : '')

/** Most HTTP servers and proxies accept headers of 8 KiB. */
const LIMIT = 7_680

const tooLong = (): Fault =>
  new Fault('mcp_session_too_long', 'mcp: the names of the sessions with the servers are too long together', {
    status: 502,
    reason: 'MCP',
  })
