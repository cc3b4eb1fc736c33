import type { ServerResponse } from 'node:http'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { ConnectionActivity } from '../connection/connection-activity.ts'

/**
 * The activity of an HTTP/1.1 connection.
 *
 * @param res Of the request under way, which is no exchange while its head is checked and its body buffered.
 * @param pipelined Requests behind it.
 */
export const http1Activity = (
  x: Exchange | undefined,
  res: ServerResponse | undefined,
  pipelined: number,
): ConnectionActivity => {
  const isReceiving = res !== undefined && !res.req.complete
  const isBlocked = res !== undefined && (res.writableNeedDrain || (res.socket?.writableNeedDrain ?? false))
  return {
    protocol: 'HTTP/1.1',
    exchanges: x ? [{ x, streamId: undefined, isReceiving, isBlocked }] : [],
    pendingRequests: pipelined + (res && !x ? 1 : 0),
  }
}
