import type { UpstreamEvents, UpstreamRequest } from './call.ts'
import { refusedByProxy } from './fault.ts'

/**
 * A request in the form that a proxy passes on: its target is a whole URL (RFC 9112 §3.2.2), and its host has to be the
 * same. What a client has to say to proxies was meant for the gateway.
 *
 * @param place `host:port` of the upstream.
 * @param authorization Value of `Proxy-Authorization`.
 */
export const forwarded = (
  { method, target, headers, body }: UpstreamRequest,
  place: string,
  authorization: string | undefined,
): UpstreamRequest => {
  const authority = place.endsWith(':80') ? place.slice(0, -':80'.length) : place
  const fields = ['host', authority]
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string
    if (!OURS.has(name.toLowerCase())) fields.push(name, headers[i + 1] as string)
  }
  if (authorization !== undefined) fields.push('proxy-authorization', authorization)
  return { method, target: `http://${authority}${pathOf(target)}`, headers: fields, body }
}

/**
 * Takes a proxy's wish to know who asks for a fault: it says nothing about the upstream, and is no business of the client,
 * who would take it for the gateway's.
 *
 * @param giveUp Ends the call: nobody else will, once it has failed, and what a proxy announces need not come.
 */
export const heedProxy = (events: UpstreamEvents, giveUp: () => void): UpstreamEvents => {
  let refused = false
  return {
    info: (status, headers) => events.info(status, headers),
    head: (status, headers, body, raw) => {
      if (status !== PROXY_AUTHENTICATION_REQUIRED) {
        events.head(status, headers, body, raw)
        return
      }
      refused = true
      body.drop()
      events.fail(refusedByProxy(status))
      giveUp()
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

/** Whatever stands right after a host would be part of its name, or make another host of it. */
const pathOf = (target: string): string => {
  if (target === '*') return ''
  return target.startsWith('/') ? target : `/${target}`
}

const OURS = new Set(['host', 'proxy-authorization'])

const PROXY_AUTHENTICATION_REQUIRED = 407
