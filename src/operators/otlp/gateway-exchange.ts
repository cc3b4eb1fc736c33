import { emptyBody } from '../../model/exchange/body.ts'
import type { Connection } from '../../model/exchange/connection.ts'
import { Exchange } from '../../model/exchange/exchange.ts'
import { Headers } from '../../model/exchange/headers.ts'
import { Request } from '../../model/exchange/request.ts'
import type { Snapshot } from '../../model/resources/snapshot.ts'

/** An exchange of the gateway's own, with no client: for credentials and expressions of calls that no client caused. */
export const gatewayExchange = (snapshot: Snapshot): Exchange =>
  new Exchange(
    new Request({
      method: 'POST',
      path: '/',
      query: '',
      scheme: 'http',
      authority: '',
      httpVersion: '1.1',
      headers: new Headers(),
      body: emptyBody,
      connection: noConnection,
    }),
    snapshot,
    untraced,
    { bind: '', gateway: undefined, listener: undefined, route: undefined, routeRule: undefined },
  )

const noConnection: Connection = {
  sourceAddress: '',
  sourcePort: 0,
  rawAddress: '',
  rawPort: 0,
  destinationAddress: '',
  destinationPort: 0,
  tls: undefined,
  connectHeaders: undefined,
}

const untraced = { probe: () => undefined }
