import type { Bind } from '../../model/resources/resources.ts'
import { CommandFailure } from '../command-failure.ts'
import { type CurlRequest, curlRequest } from '../curl/curl-request.ts'
import { findBind } from '../explain/find-bind.ts'
import type { RecordedRequest } from './recorded-request.ts'

/** A recorded request, ready to be sent to one of the sockets of a configuration. */
export interface LocatedRequest {
  readonly bind: Bind
  readonly request: CurlRequest
}

/** Fields for all recorded requests, in place of what was redacted. */
export type ExtraFields = readonly (readonly [name: string, value: string])[]

/**
 * Finds the socket of a recorded request: by the port that it came to, by its gateway, or by its URL.
 *
 * @param gateway Takes precedence.
 * @returns The reason, as a sentence, if there is none.
 */
export const locateRecorded = (
  recorded: RecordedRequest,
  binds: readonly Bind[],
  gateway: string | undefined,
  extra: ExtraFields = [],
): LocatedRequest | string => {
  const { method, url, headers, body, clientAddress, port } = recorded
  const kept = headers.filter(([name]) => !extra.some(([other]) => other.toLowerCase() === name))
  const request = curlRequest({
    method,
    url,
    headers: [...kept, ...extra],
    body,
    clientAddress,
    isRecorded: true,
  })
  if (typeof request === 'string') return request
  const onPort = port === undefined ? undefined : binds.find((bind) => bind.port === port)
  if (gateway === undefined && onPort) return { bind: onPort, request }
  const byName = binds.some(({ listeners }) =>
    listeners.some(({ gatewayName }) => gatewayName === recorded.gateway),
  )
  try {
    return { bind: findBind(binds, request, gateway ?? (byName ? recorded.gateway : undefined)), request }
  } catch (error) {
    if (error instanceof CommandFailure) return error.message
    throw error
  }
}
