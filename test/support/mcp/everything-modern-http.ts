import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Outcome, JsonRpcRequest } from '../../../src/protocols/json-rpc/message.ts'
import { everythingModern, type Modern } from './everything-modern.ts'
import { headerMismatch } from './modern-headers.ts'

/** These have their own HTTP status. */
const statusOf: Record<number, number> = { [-32601]: 404, [-32020]: 400, [-32021]: 400, [-32022]: 400 }

/** Responds to a POST of 2026-07-28: as JSON, or as a stream once there is a notification before the response. */
export const modernPost = async (
  modern: Modern,
  incoming: IncomingMessage,
  response: ServerResponse,
  request: JsonRpcRequest,
): Promise<void> => {
  const mismatch = headerMismatch(incoming.headers, request)
  if (mismatch !== undefined) {
    json(response, request, { error: { code: -32020, message: mismatch } }, 400)
    return
  }
  const gone = new AbortController()
  response.once('close', () => {
    gone.abort()
  })
  const say = (message: object) => {
    if (!response.headersSent)
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
    response.write(`data: ${JSON.stringify(message)}\n\n`)
  }
  const outcome = await everythingModern(
    modern,
    request,
    (method, params) => {
      say({ jsonrpc: '2.0', method, params })
    },
    gone.signal,
  )
  if (gone.signal.aborted) return
  // A client that lists event streams first prefers one.
  if (
    response.headersSent ||
    (incoming.headers.accept?.startsWith('text/event-stream') && !('error' in outcome))
  ) {
    say({ jsonrpc: '2.0', id: request.id, ...outcome })
    response.end()
    return
  }
  json(response, request, outcome, status(request, outcome))
}

const status = (request: JsonRpcRequest, outcome: Outcome): number => {
  if (!('error' in outcome)) return 200
  const meta = request.params?._meta
  const { code, message } = outcome.error
  if (code === -32602 && (meta === undefined || message.startsWith('_meta'))) return 400
  return statusOf[code] ?? 200
}

const json = (response: ServerResponse, { id }: JsonRpcRequest, outcome: Outcome, code: number): void => {
  response.writeHead(code, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }))
}
