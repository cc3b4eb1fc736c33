import type { ServerHttp2Stream } from 'node:http2'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { ConnectionActivity } from '../connection/connection-activity.ts'

/**
 * The activity of an HTTP/2 connection.
 *
 * @param pendingRequests Streams that are open and no exchanges yet.
 */
export const http2Activity = (
  exchanges: ReadonlyMap<Exchange, ServerHttp2Stream>,
  pendingRequests: number,
): ConnectionActivity => ({
  protocol: 'HTTP/2',
  exchanges: [...exchanges].map(([x, stream]) => ({
    x,
    streamId: stream.id,
    isReceiving: !stream.destroyed && !stream.endAfterHeaders && !stream.readableEnded,
    isBlocked: !stream.destroyed && stream.writableNeedDrain,
  })),
  pendingRequests,
})
