import type { KeyService } from '../services/key-service.ts'

/** The gateway, as traffic uses it. */
export interface TrafficTarget {
  /** Base URLs of the gateway and of its own servers, without a slash at the end. */
  readonly url: string
  /** Over TLS, with a certificate that nobody knows. */
  readonly secureUrl: string
  readonly adminUrl: string
  readonly statsUrl: string
  readonly keys: KeyService
}

/** A kind of traffic. */
export interface Traffic {
  readonly name: string
  /** Clients at the same time. */
  readonly clients: number
  /** Pause of a client between two calls, in milliseconds. */
  readonly pauseMs: number
  /** One call. Throws if the gateway did not reply as it must; `count` numbers the calls of a kind. */
  call(target: TrafficTarget, count: number): Promise<void>
}

/** Time after which a call has failed. The machine may be busy. */
export const timeoutMs = 60_000

/** Fails a call unless the value is one of those expected. */
export const expectOneOf = <T>(what: string, value: T, ...expected: readonly T[]): void => {
  if (!expected.includes(value)) throw new Error(`${what} is ${String(value)}, not ${expected.join(' or ')}`)
}

/** Resolves after a time, or rejects with a call that takes too long. */
export const withTimeout = async <T>(what: string, call: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const controller = new AbortController()
  const timer = setTimeout(() => {
    controller.abort(new Error(`${what} took more than ${timeoutMs / 1000} s`))
  }, timeoutMs)
  try {
    return await call(controller.signal)
  } finally {
    clearTimeout(timer)
  }
}
