import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import type { RequestArguments } from './request-arguments.ts'
import { CommandFailure } from '../command-failure.ts'
import { exitCode } from '../exit-code.ts'
import type { ReachablePort } from '../gateway/gateway-target.ts'

/** A request to send through a gateway. */
export interface TracedRequest {
  readonly args: RequestArguments
  /** Where the gateway listens; host and port of the URL are only the authority. */
  readonly to: Pick<ReachablePort, 'host' | 'port'>
  readonly signal: AbortSignal
}

/** Sends the requests, one after the other, and drops their responses. Any status is a success. */
export const sendRequests = async (request: TracedRequest): Promise<void> => {
  for (const url of request.args.urls) {
    try {
      await sendRequest(url, request)
    } catch (error) {
      if (request.signal.aborted) return
      const reason =
        error instanceof Error ? error.message || (error as NodeJS.ErrnoException).code : String(error)
      throw new CommandFailure(`failed to execute traced request: ${reason ?? ''}`, {
        hint: '--port is the port of a listener of the gateway, not that of its admin server.',
        exitCode: exitCode.unreachable,
        cause: error,
      })
    }
  }
}

const sendRequest = (url: URL, { args, to, signal }: TracedRequest): Promise<void> =>
  new Promise((resolve, reject) => {
    const isTls = url.protocol === 'https:'
    const { hostname } = url
    const origin = `${hostname}:${url.port || (isTls ? '443' : '80')}`
    const { method, headers, body } = args
    const call = (isTls ? httpsRequest : httpRequest)({
      host: args.resolve.get(origin.toLowerCase()) ?? to.host,
      port: to.port,
      path: `${url.pathname}${url.search}`,
      method,
      headers: headerFields(url, headers, body),
      setDefaultHeaders: false,
      agent: false,
      signal,
      ...(isTls && {
        rejectUnauthorized: !args.isInsecure,
        ...(isIP(hostname) === 0 && { servername: hostname }),
      }),
    })
    call.once('response', (response) => {
      response.once('end', resolve).once('error', reject).resume()
    })
    call.once('error', reject).end(body)
  })

/** The fields that curl sends, unless `-H` has them; repeated fields stay repeated. */
const headerFields = (
  url: URL,
  given: RequestArguments['headers'],
  body: Buffer | undefined,
): readonly string[] => {
  const names = new Set(given.map(([name]) => name.toLowerCase()))
  const defaults: (readonly [string, string])[] = [
    ['host', url.host],
    ['user-agent', 'agctl'],
    ['accept', '*/*'],
    ...(body === undefined ? [] : [['content-length', String(body.length)] as const]),
    ['connection', 'close'],
  ]
  return [...defaults.filter(([name]) => !names.has(name)), ...given].flat()
}
