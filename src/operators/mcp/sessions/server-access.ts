import type { Observable } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { ServerClient } from '../servers/server-client.ts'
import type { Target } from '../servers/target.ts'

/** How one client is connected to servers: through a session, or for each request. */
export interface Access {
  /** A client of the server in the client's era; connects if necessary. Emits once, or errors with a `Fault`. */
  connect(target: Target, x: Exchange): Observable<ServerClient>
  /** It is no longer usable: the next request connects again. */
  discard(server: ServerClient): void
}
