import type { Reason } from '../../model/exchange/fault.ts'
import type { BackendLabels, RouteLabels } from '../../model/resources/snapshot.ts'
import { metricDefinitions } from './definitions.ts'
import { Histogram } from './histogram.ts'
import { labelText } from './open-metrics.ts'
import { routeValues } from './route-labels.ts'

const { requests, requestDuration, requestProcessing, responseProcessing } = metricDefinitions

/** What is counted for exchanges that agree in every label. */
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

/** What is counted for exchanges of one route and backend. */
export class BackendSeries {
  readonly labels: string
  readonly requestProcessing = new Histogram(requestProcessing.buckets)
  readonly responseProcessing = new Histogram(responseProcessing.buckets)
  /** By method, status and reason, packed into a number. */
  readonly exchanges = new Map<number, ExchangeSeries>()
  /** The same place with labels of the user's, by their text. */
  readonly variants = new Map<string, BackendSeries>()
  /** The number of the scrape it was last used before. */
  usedAt = 0
  /** False once it had to make room for others. */
  isHeld = true
  readonly #route: RouteLabels
  readonly #backend: BackendLabels | undefined
  readonly #custom: string

  /** @param custom Labels of the user's, as text with a comma in front. */
  constructor(route: RouteLabels, backend: BackendLabels | undefined, custom = '') {
    this.#route = route
    this.#backend = backend
    this.#custom = custom
    this.labels = labelText(requestProcessing.labels, [backend?.name, ...routeValues(route)]) + custom
  }

  /** The same place with labels of the user's. */
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

/** The outcome of an exchange as a number; status 0 is none. Methods that are none of the registered ones count as `OTHER`; a client may invent as many as it likes. */
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
