import type { ServerHttp2Stream } from 'node:http2'
import { rejectionReply, requestTooSlow } from '../connection/rejected-request.ts'
import type { Responder } from '../port/port-hooks.ts'

/** Limits the time of an exchange's request body. */
export const limitBodyTime = (stream: ServerHttp2Stream, responder: Responder, limitMs: number): void => {
  const timer = setTimeout(() => responder.interrupt(rejectionReply(requestTooSlow)), limitMs)
  const stop = () => clearTimeout(timer)
  stream.on('end', stop).on('close', stop)
}
