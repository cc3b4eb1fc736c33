import { Readable } from 'node:stream'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { FetchLike, FetchLikeResponse } from 'eventsource'
import type { AdminAccess } from '../gateway/admin-access.ts'

/** A gateway begins the stream at once, whether there are requests or not. */
const headTimeoutMs = 30_000

/** A `fetch` for streams of an admin server, with its certificates or its unix socket. */
export const adminFetch =
  ({ socketPath, tls }: AdminAccess): FetchLike =>
  (url, { headers, signal }) =>
    new Promise<FetchLikeResponse>((resolve, reject) => {
      const target = new URL(url)
      const send = target.protocol === 'https:' ? httpsRequest : httpRequest
      const call = send(target, {
        ...tls,
        headers,
        signal: signal as AbortSignal,
        agent: false,
        // Other implementations take only POST.
        method: 'POST',
        ...(socketPath !== undefined && { socketPath }),
      })
      const timer = setTimeout(() => {
        call.destroy(new Error(`no response within ${String(headTimeoutMs / 1000)} s`))
      }, headTimeoutMs)
      call.once('close', () => {
        clearTimeout(timer)
      })
      call.once('error', reject).once('response', (response) => {
        clearTimeout(timer)
        resolve({
          url: target.href,
          redirected: false,
          status: response.statusCode ?? 0,
          headers: { get: (name) => response.headers[name.toLowerCase()]?.toString() ?? null },
          body: Readable.toWeb(response) as unknown as NonNullable<FetchLikeResponse['body']>,
        })
      })
      call.end()
    })
