import type { ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { Http2ClientSink } from './http2-client.ts'
import { ClientSink } from './http1-client.ts'

/** The sinks that write replies to clients, by HTTP version: an argument of `listen` and `openPorts`. */
export const clientSinks = {
  http1: (x: Exchange, res: ServerResponse, ended: (x: Exchange) => void): ClientSink =>
    new ClientSink(x, res, ended),
  http2: (x: Exchange, stream: ServerHttp2Stream, ended: (x: Exchange) => void): Http2ClientSink =>
    new Http2ClientSink(x, stream, ended),
}
