import type { DryRequest } from '../offline/dry-request.ts'

/** A request in the words of curl. */
export interface CurlRequest extends DryRequest {
  readonly url: string
  readonly scheme: 'http' | 'https'
  /** Lower-case, without port; IPv6 literals without brackets. */
  readonly host: string
  readonly port: number
}

/** The parts that a request is made of. */
export interface CurlRequestParts {
  readonly method?: string | undefined
  readonly url: string
  /** Names and values. They replace fields of the same name that would be added. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly body?: Buffer | undefined
  readonly clientAddress?: string | undefined
  /** A recorded request has the fields that its client sent, and gets no others. */
  readonly isRecorded?: boolean
}

/**
 * Makes a request from its parts: with `host`, `accept` and `user-agent`, as a client would send it. The path stays as
 * it is written, like with `curl --path-as-is`: how the gateway normalizes it is a part of the answer.
 *
 * @returns The problem, as a sentence, if it is no request.
 */
export const curlRequest = (parts: CurlRequestParts): CurlRequest | string => {
  const { body, headers = [], clientAddress } = parts
  const found = /^(?:(https?):\/\/)?(?:([^/?#@]*)@)?(\[[^\]]*\]|[^/?#:\s]+)(?::(\d+))?([^#]*)/i.exec(
    parts.url,
  )
  if (!found) return `${parts.url} is no URL`
  const [, scheme = 'http', user, name = '', portText, rest = ''] = found
  if (rest !== '' && !/^[/?]/.test(rest)) return `${parts.url} is no URL`
  if (/[^\x21-\x7e]/.test(rest)) return `${parts.url} has characters that must be percent-encoded`
  const isEncrypted = scheme.toLowerCase() === 'https'
  const method = parts.method ?? (body ? 'POST' : 'GET')
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(method)) return `${method} is no method`
  if (method === 'CONNECT') return 'CONNECT requests are not explained: they open tunnels'
  const host = name.replace(/^\[|\]$/g, '').toLowerCase()
  const fields = [
    ...unless(headers, 'host', portText === undefined ? name : `${name}:${portText}`),
    ...(parts.isRecorded
      ? []
      : [...unless(headers, 'user-agent', 'agctl'), ...unless(headers, 'accept', '*/*')]),
    ...(user === undefined
      ? []
      : unless(headers, 'authorization', `Basic ${Buffer.from(user).toString('base64')}`)),
    ...headers.flat(),
    ...(body ? unless(headers, 'content-length', String(body.length)) : []),
  ]
  return {
    url: parts.url,
    scheme: isEncrypted ? 'https' : 'http',
    host,
    port: portText === undefined ? (isEncrypted ? 443 : 80) : Number(portText),
    method,
    target: rest.startsWith('/') ? rest : `/${rest}`,
    rawHeaders: fields,
    body,
    serverName: isEncrypted ? host : undefined,
    clientAddress,
  }
}

const unless = (
  headers: NonNullable<CurlRequestParts['headers']>,
  name: string,
  value: string,
): readonly string[] => (headers.some(([one]) => one.toLowerCase() === name) ? [] : [name, value])
