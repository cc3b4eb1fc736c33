import type { ServerResponse } from 'node:http'
import type { Fault } from '../../../src/model/exchange/fault.ts'
import type { HttpTransportLimits } from '../../../src/upstream/mcp/http/limits.ts'
import { HttpSseTransport } from '../../../src/upstream/mcp/http-sse/transport.ts'
import type { McpCall } from '../../../src/upstream/mcp/transport.ts'
import { resultOf } from './messages.ts'
import { respondEvents, type ScriptedServer, startScripted } from './scripted-server.ts'
import { requestContextTo } from './send-to.ts'
import { TransportRecorder } from './transport-recorder.ts'

/** The event with the address for messages. */
export const ENDPOINT = 'event: endpoint\ndata: /messages?session=1'

/** Opens the stream, accepts every message, and lets `answer` write to the stream. */
export const serveLegacySse = (
  answer: (stream: ServerResponse, body: { readonly id?: number; readonly method?: string }) => void,
  first: string = ENDPOINT,
): Promise<ScriptedServer> => {
  let stream: ServerResponse | undefined
  return startScripted(({ method, body }, response) => {
    if (method === 'GET') {
      stream = response
      respondEvents(response, first)
    } else {
      response.writeHead(202).end('Accepted')
      if (stream) answer(stream, body)
    }
  })
}

/** A server that responds to every call. */
export const startLegacySse = () => serveLegacySse((stream, { id }) => respondEvents(stream, resultOf(id)))

/** A transport to a test server, with its events recorded. */
export const openLegacySse = (
  { origin }: { readonly origin: string },
  limits: Partial<HttpTransportLimits> = {},
  onMessageDropped?: () => void,
) => {
  const transport = new HttpSseTransport('old', '/base/sse?tenant=1', {
    limits: { restMs: 100, ...limits },
    onMessageDropped,
  })
  const context = requestContextTo(origin, { 'x-team': 'red', 'mcp-session-id': 'hers' })
  return {
    wire: transport,
    call: (call: McpCall) => {
      const recorder = new TransportRecorder()
      const abandon = transport.call(call, context, recorder)
      return Object.assign(recorder, { giveUp: abandon })
    },
    listen: () => {
      const recorder = new TransportRecorder()
      const stop = transport.listen(context, recorder)
      return Object.assign(recorder, { stop })
    },
    notify: (method: string) =>
      new Promise<Fault | undefined>((onSent) => transport.notify({ method }, context, onSent)),
    [Symbol.dispose]: () => transport.close(),
  }
}
