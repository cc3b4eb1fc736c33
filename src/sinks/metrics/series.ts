import type { Reason } from '../../model/exchange/fault.ts'
import type { BackendLabels, RouteLabels } from '../../model/resources/snapshot.ts'
import { metricDefinitions } from './definitions.ts'
import { Histogram } from './histogram.ts'
import { labelText } from './open-metrics.ts'
import { routeValues } from './route-labels.ts'

const { requests, requestDuration, requestProcessing, responseProcessing } = metricDefinitions

/** Metrics of exchanges with equal labels. */
export class ExchangeSeries {
  readonly labels: string
  readonly backendSeries: BackendSeries
  requests = 0
  retries = 0
  responseBytes = 0
  readonly duration = new Histogram(requestDuration.buckets)

  constructor(labels: string, backendSeries: BackendSeries) {
    this.labels = labels
    this.backendSeries = backendSeries
  }
}

/** Metrics of exchanges of one route and backend. */
export class BackendSeries {
  readonly labels: string
  readonly requestProcessing = new Histogram(requestProcessing.buckets)
  readonly responseProcessing = new Histogram(responseProcessing.buckets)
  /** By method, status and reason, packed into a number. */
  readonly exchanges = new Map<number, ExchangeSeries>()
  /** The same route and backend with configured labels, by their text. */
  readonly variants = new Map<string, BackendSeries>()
  /** The number of scrapes before its last use. */
  usedAt = 0
  /** False once evicted. */
  isHeld = true
  readonly #route: RouteLabels
  readonly #backend: BackendLabels | undefined
  readonly #custom: string

  /** @param custom Configured labels, as text with a leading comma. */
  constructor(route: RouteLabels, backend: BackendLabels | undefined, custom = '') {
    this.#route = route
    this.#backend = backend
    this.#custom = custom
    this.labels = labelText(requestProcessing.labels, [backend?.name, ...routeValues(route)]) + custom
  }

  /** The same route and backend with configured labels. */
  variant(custom: string): BackendSeries {
    return new BackendSeries(this.#route, this.#backend, custom)
  }

  /** The labels of one of its series. */
  labelsOf(method: string, status: string, reason: string): string {
    const values = [this.#backend?.name, this.#backend?.protocol, method, status, reason]
    return labelText(requests.labels, [...values, ...routeValues(this.#route)]) + this.#custom
  }
}

const methods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'OPTIONS',
  'PATCH',
  'CONNECT',
  'TRACE',
  'unknown',
  'OTHER',
]
const methodIndex = new Map(methods.map((method, i) => [method, i]))
const otherMethod = methods.length - 1

const reasons: readonly (Reason | 'unknown')[] = [
  'unknown',
  'Upstream',
  'DirectResponse',
  'NotFound',
  'NoHealthyBackend',
  'Internal',
  'InvalidRequest',
  'JwtAuth',
  'Oidc',
  'BasicAuth',
  'APIKeyAuth',
  'ExtAuth',
  'Authorization',
  'Timeout',
  'ExtProc',
  'RateLimit',
  'Guardrail',
  'MCP',
  'UpstreamFailure',
  'Overloaded',
]
const reasonIndex = new Map<string, number>(reasons.map((reason, i) => [reason, i]))

/**
 * Packs the outcome of an exchange into a number; status 0 means none. Unregistered methods count as `OTHER`, because
 * clients may invent any number of them.
 */
export const packOutcome = (method: string, status: number, reason: Reason | undefined): number =>
  ((methodIndex.get(method) ?? otherMethod) * 1000 + status) * reasons.length +
  (reasonIndex.get(reason ?? 'unknown') ?? 0)

/** The label values of a packed outcome: method, status and reason. */
export const unpackOutcome = (packed: number): readonly [method: string, status: string, reason: string] => {
  const rest = Math.floor(packed / reasons.length)
  const status = rest % 1000
  return [
    methods[Math.floor(rest / 1000)] as string,
    status === 0 ? 'unknown' : String(status),
    reasons[packed % reasons.length] as string,
  ]
}
