import { Readable } from 'node:stream'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { FetchLike, FetchLikeResponse } from 'eventsource'
import type { AdminAccess } from '../gateway/admin-access.ts'

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
      call.once('error', reject).once('response', (response) => {
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
