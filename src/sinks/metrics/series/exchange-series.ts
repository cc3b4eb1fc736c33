import type { Reason } from '../../../model/exchange/fault.ts'
import type { BackendLabels, RouteLabels } from '../../../model/resources/snapshot.ts'
import { metricDefinitions } from '../definitions/metric-definitions.ts'
import { Histogram, type HistogramFormat } from './histogram.ts'
import { labelText, OVERFLOW, overflowLabels } from '../exposition/label-text.ts'
import { routeValues } from './route-labels.ts'

const { requests, requestDuration, requestProcessing, responseProcessing } = metricDefinitions

/** Metrics of exchanges with equal labels. */
export class ExchangeSeries {
  readonly labels: string
  readonly backendSeries: BackendSeries
  requests = 0
  retries = 0
  responseBytes = 0
  readonly duration: Histogram

  constructor(labels: string, backendSeries: BackendSeries) {
    this.labels = labels
    this.backendSeries = backendSeries
    this.duration = new Histogram(requestDuration.buckets, backendSeries.format)
  }
}

/** Metrics of exchanges of one route and backend. */
export class BackendSeries {
  readonly labels: string
  readonly format: HistogramFormat
  readonly requestProcessing: Histogram
  readonly responseProcessing: Histogram
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
  constructor(route: RouteLabels, backend: BackendLabels | undefined, format: HistogramFormat, custom = '') {
    this.format = format
    this.requestProcessing = new Histogram(requestProcessing.buckets, format)
    this.responseProcessing = new Histogram(responseProcessing.buckets, format)
    this.#route = route
    this.#backend = backend
    this.#custom = custom
    this.labels = labelText(requestProcessing.labels, [backend?.name, ...routeValues(route)]) + custom
  }

  /** The same route and backend with configured labels. */
  variant(custom: string): BackendSeries {
    return new BackendSeries(this.#route, this.#backend, this.format, custom)
  }

  /** The labels of one of its series. */
  labelsOf(method: string, status: string, reason: string): string {
    const values = [this.#backend?.name, this.#backend?.protocol, method, status, reason]
    return labelText(requests.labels, [...values, ...routeValues(this.#route)]) + this.#custom
  }
}

/** The series of exchanges that have no room of their own: all labels are `overflow`. */
export const overflowSeries = (format: HistogramFormat, custom: string): ExchangeSeries => {
  const route = {
    bind: OVERFLOW,
    gateway: OVERFLOW,
    listener: OVERFLOW,
    route: OVERFLOW,
    routeRule: OVERFLOW,
  }
  const backend = { name: OVERFLOW, type: 'unknown', protocol: 'http' } as const
  const backendSeries = new BackendSeries(route, backend, format, custom)
  const series = new ExchangeSeries(overflowLabels(requests.labels) + custom, backendSeries)
  backendSeries.exchanges.set(-1, series)
  backendSeries.usedAt = Infinity
  return series
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
