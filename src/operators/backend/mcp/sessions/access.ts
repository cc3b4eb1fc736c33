import type { Observable } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import type { Peer } from '../servers/peer.ts'
import type { Target } from '../servers/target.ts'

/** How one client reaches the servers: through a session, or anew for each request. */
export interface Access {
  /** The server in the client's era; connected if it was not. Emits once, or errors with a `Fault`. */
  peer(target: Target, x: Exchange): Observable<Peer>
  /** This one is of no use any more: the next request begins anew. */
  forget(peer: Peer): void
}
