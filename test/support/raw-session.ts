import { TcpSession } from '../../src/model/exchange/tcp-connection.ts'
import { exchange, type ExchangeOverrides } from '../../src/testing/exchange.ts'
import { rawLabels } from './tcp-bind.ts'

/** What a session records. */
export type RawProgress = Partial<Omit<TcpSession, 'connection' | 'snapshot' | 'serverName' | 'startedAt'>>

/** A raw session that ended after 12 ms, by a route to an upstream. */
export const endedRawSession = (
  progress: RawProgress = {},
  serverName?: string,
  connection: ExchangeOverrides['connection'] = {},
): TcpSession => {
  const { request, snapshot } = exchange({ connection })
  const session = new TcpSession(request.connection, snapshot, rawLabels, serverName)
  return Object.assign(session, {
    backend: { name: 'b', type: 'static', protocol: 'tcp' },
    endpoint: '127.0.0.1:5432',
    upstreamStartedAt: session.startedAt + 2,
    endedAt: session.startedAt + 12.9,
    sentBytes: 1000,
    reason: 'Upstream',
    ...progress,
  })
}
