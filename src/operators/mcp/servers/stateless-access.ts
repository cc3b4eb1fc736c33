import { map, type Observable, of } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { unsupportedVersion } from '../../../protocols/mcp/errors.ts'
import { isModern, newestModern, type Revision } from '../../../protocols/mcp/revisions.ts'
import type { BridgeContext } from '../bridge/bridge-context.ts'
import { LegacyAsModern } from '../bridge/legacy-as-modern.ts'
import { McpRefusal } from '../response/json-rpc-error.ts'
import type { Access } from '../sessions/server-access.ts'
import { discover } from './discover.ts'
import { type ServerClient, TransportClient } from './server-client.ts'
import type { Target } from './target.ts'

/**
 * Connects requests without sessions to servers: directly where a server speaks their revision, else through a bridge.
 */
export class ModernAccess implements Access {
  readonly canSendRequests = false
  readonly #bridge: BridgeContext

  constructor(bridge: BridgeContext) {
    this.#bridge = bridge
  }

  connect(target: Target, x: Exchange): Observable<ServerClient> {
    return supportsModern(target, x).pipe(
      map((supported) => {
        if (supported)
          return new TransportClient(
            target.name,
            newestModern,
            undefined,
            target.state.sharedTransport(target),
          )
        if (target.legacy === 'off') throw sessionsOnly(this.#bridge.offered)
        return new LegacyAsModern(target, x, this.#bridge)
      }),
    )
  }

  discard(): void {
    // Nothing is kept between requests.
  }
}

/** Whether a server works without handshakes: cached, or discovered. */
const supportsModern = (target: Target, x: Exchange): Observable<boolean> => {
  const { state } = target
  const known = state.supports('modern')
  if (known !== undefined) return of(known)
  return discover(target, x).pipe(
    map((result) => {
      state.recordSupport('modern', result !== undefined)
      if (result !== undefined) state.setRevision(newestModern)
      else state.dropShared()
      return result !== undefined
    }),
  )
}

/** Clients of both eras begin a session then. */
const sessionsOnly = (offered: readonly Revision[]): McpRefusal =>
  new McpRefusal(
    'mcp_refused',
    unsupportedVersion(
      newestModern,
      offered.filter((one) => !isModern(one)),
    ),
  )
