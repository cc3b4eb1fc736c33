import type { UpstreamEvents, UpstreamRequest } from '../call.ts'
import { refusedByProxy } from '../faults.ts'

/**
 * A request in the form for a forward proxy: its target is a whole URL (RFC 9112 §3.2.2), and its Host matches. The
 * client's own proxy fields were for the gateway, and are removed.
 *
 * @param address `host:port` of the upstream.
 * @param authorization Value of `Proxy-Authorization`.
 */
export const toAbsoluteForm = (
  { method, target, headers, body }: UpstreamRequest,
  address: string,
  authorization: string | undefined,
): UpstreamRequest => {
  const authority = address.endsWith(':80') ? address.slice(0, -':80'.length) : address
  const fields = ['host', authority]
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string
    if (!OURS.has(name.toLowerCase())) fields.push(name, headers[i + 1] as string)
  }
  if (authorization !== undefined) fields.push('proxy-authorization', authorization)
  return { method, target: `http://${authority}${pathOf(target)}`, headers: fields, body }
}

/**
 * Turns a proxy's 407 into a fault: it is not a response of the upstream, and the client would take it for the
 * gateway's own.
 *
 * @param abort Aborts the call: it has failed for its caller, and the announced body need not come.
 */
export const failOnProxyAuth = (events: UpstreamEvents, abort: () => void): UpstreamEvents => {
  let refused = false
  return {
    info: (status, headers, resume) => events.info(status, headers, resume),
    head: (status, headers, body, raw) => {
      if (status !== PROXY_AUTHENTICATION_REQUIRED) {
        events.head(status, headers, body, raw)
        return
      }
      refused = true
      body.drop()
      events.fail(refusedByProxy(status))
      abort()
    },
    tunnel: (status, headers, stream) => events.tunnel(status, headers, stream),
    end: (trailers) => {
      if (!refused) events.end(trailers)
    },
    fail: (fault) => {
      if (!refused) events.fail(fault)
    },
  }
}

/** Characters right after the host would become part of it, or name another host. */
const pathOf = (target: string): string => {
  if (target === '*') return ''
  return target.startsWith('/') ? target : `/${target}`
}

const OURS = new Set(['host', 'proxy-authorization'])

const PROXY_AUTHENTICATION_REQUIRED = 407
