import type { ServerResponse } from 'node:http'
import type { Fault } from '../../../src/model/fault.ts'
import type { HttpWireLimits } from '../../../src/upstream/mcp/http-limits.ts'
import { LegacySseWire } from '../../../src/upstream/mcp/legacy-sse.ts'
import type { Call } from '../../../src/upstream/mcp/wire.ts'
import { resultOf } from './said.ts'
import { sayEvents, type ScriptedServer, startScripted } from './scripted-server.ts'
import { behalfTo } from './send-to.ts'
import { WireRecorder } from './wire-recorder.ts'

/** The event that says where messages go. */
export const ENDPOINT = 'event: endpoint\ndata: /messages?session=1'

/** Opens the stream, takes every message, and leaves what is said on the stream to `answer`. */
export const serveLegacySse = (
  answer: (stream: ServerResponse, body: { readonly id?: number; readonly method?: string }) => void,
  first: string = ENDPOINT,
): Promise<ScriptedServer> => {
  let stream: ServerResponse | undefined
  return startScripted(({ method, body }, response) => {
    if (method === 'GET') {
      stream = response
      sayEvents(response, first)
    } else {
      response.writeHead(202).end('Accepted')
      if (stream) answer(stream, body)
    }
  })
}

/** One that answers every call. */
export const startLegacySse = () => serveLegacySse((stream, { id }) => sayEvents(stream, resultOf(id)))

/** A wire to a server that was started for a test, with what it tells written down. */
export const openLegacySse = (
  { origin }: { readonly origin: string },
  limits: Partial<HttpWireLimits> = {},
) => {
  const wire = new LegacySseWire('old', '/base/sse?tenant=1', { limits: { restMs: 100, ...limits } })
  const behalf = behalfTo(origin, { 'x-team': 'red', 'mcp-session-id': 'hers' })
  return {
    wire,
    call: (call: Call) => {
      const recorder = new WireRecorder()
      const giveUp = wire.call(call, behalf, recorder)
      return Object.assign(recorder, { giveUp })
    },
    listen: () => {
      const recorder = new WireRecorder()
      const stop = wire.listen(behalf, recorder)
      return Object.assign(recorder, { stop })
    },
    notify: (method: string) =>
      new Promise<Fault | undefined>((taken) => wire.notify({ method }, behalf, taken)),
    [Symbol.dispose]: () => wire.close(),
  }
}
