import { type RequestArguments, parseRequestArguments } from './request-arguments.ts'
import { usageFailure } from '../command-failure.ts'
import type { GatewaySelection } from '../gateway/gateway-options.ts'
import { parsePort } from '../gateway/parse-port.ts'
import type { DividedArguments } from '../trailing-arguments.ts'

/** Options of `agctl proxy trace`. */
export interface TraceOptions extends GatewaySelection {
  readonly file?: string
  readonly expression?: string
  readonly follow?: boolean
  readonly count?: string
  readonly bodies?: boolean
  /** The port of a listener, for the request after `--`. */
  readonly port?: string
  readonly raw?: boolean
  readonly summary?: boolean
}

/** What `agctl proxy trace` was called for. */
export interface TracePlan {
  readonly resource: string | undefined
  readonly count: number | undefined
  readonly request: { readonly args: RequestArguments; readonly port: number } | undefined
}

/** Checks options and arguments against each other. */
export const planTrace = (options: TraceOptions, { before, after }: DividedArguments): TracePlan => {
  const [resource] = before
  const { file, port, raw, summary, follow, count } = options
  const isLocal = options.local ?? options.adminUrl !== undefined
  if (before.length > 1)
    throw usageFailure(`accepts at most 1 resource arg, received ${String(before.length)}`)
  if (isLocal && resource !== undefined) throw usageFailure('--local does not accept a resource argument')
  if (file !== undefined) {
    if (resource !== undefined) throw usageFailure('--file does not accept a resource argument')
    if (isLocal) throw usageFailure('at most one of --file or --local may be passed')
    if (options.expression !== undefined) throw usageFailure('--file does not accept --expression')
    if (after !== undefined) throw usageFailure('--file does not accept a request URL after --')
  }
  if (raw && summary) throw usageFailure('at most one of --raw or --summary may be passed')
  if (follow && count !== undefined) throw usageFailure('--count and --follow exclude each other')
  if (after !== undefined && port === undefined) throw usageFailure('a request URL requires --port')
  if (after === undefined && port !== undefined) throw usageFailure('--port requires a request URL after --')
  const request =
    after !== undefined && port !== undefined
      ? { port: parsePort('--port', port), args: parseRequestArguments(after) }
      : undefined
  return { resource, request, count: count === undefined ? request?.args.urls.length : parseCount(count) }
}

const parseCount = (text: string): number => {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (count >= 1 && count <= 100_000) return count
  throw usageFailure(`invalid --count ${text}; must be between 1 and 100000`)
}
