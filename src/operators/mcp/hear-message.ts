import { BufferBody } from '../../model/body.ts'
import type { Exchange } from '../../model/exchange.ts'
import { onRequest, type Operator, type Verdict } from '../../pipeline/stage.ts'
import { putHeld } from '../body/hold.ts'
import { readAhead } from '../body/read-ahead.ts'
import { McpTongue } from './mcp-tongue.ts'

/** As much of a message as is looked at. Its id mostly stands at the beginning, what may be large behind it. */
const LOOK_BYTES = 65_536

/**
 * Sees to it that errors of the gateway's own are told to MCP clients as JSON-RPC has it, with the id of the request. The
 * request stays as it is; at most its first 64 KiB are waited for, and looked at only if something goes wrong.
 *
 * Belongs before everything that may refuse a request.
 */
export const hearMessage = (): Operator => onRequest('hear-message', hear)

const hear = (x: Exchange): Verdict | Promise<Verdict> => {
  const { request } = x
  const { body } = request
  if (request.method !== 'POST' || request.headers.has('content-encoding')) {
    x.tongue = new McpTongue(undefined)
    return undefined
  }
  if (body instanceof BufferBody) {
    x.tongue = new McpTongue(body.bytes.subarray(0, LOOK_BYTES))
    return undefined
  }
  return readAhead(body, LOOK_BYTES).then((ahead) => {
    if ('whole' in ahead) {
      putHeld(request, ahead.whole)
      x.tongue = new McpTongue(ahead.whole.bytes)
    } else {
      request.body = ahead.longer
      x.tongue = new McpTongue(ahead.longer.beginning())
    }
    return undefined
  })
}
