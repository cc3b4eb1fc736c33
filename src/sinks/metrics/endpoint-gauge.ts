import { Gauge, type OpenMetricsContentType, type Registry } from 'prom-client'
import type { EndpointStatus } from '../../model/resources/endpoint-status.ts'
import { metricDefinitions } from './definitions.ts'

/** Returns the statuses of endpoints. */
export type EndpointsSource = () => readonly EndpointStatus[]

/** Maximum number of endpoint series; beyond it healthy endpoints are omitted first. */
const MAX_SERIES = 1_000

/** Registers the endpoint gauge, which reads statuses at each scrape. */
export const registerEndpointGauge = (
  registry: Registry<OpenMetricsContentType>,
  source: EndpointsSource,
): void => {
  const { name, help, labels } = metricDefinitions.endpointHealthy
  new Gauge({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    collect() {
      // Endpoints may have left the configuration since the last scrape.
      this.reset()
      for (const { backend, endpoint, state } of shownOf(source()))
        this.set({ backend, endpoint }, state === 'healthy' ? 1 : 0)
    },
  })
}

const shownOf = (all: readonly EndpointStatus[]): readonly EndpointStatus[] => {
  if (all.length <= MAX_SERIES) return all
  const isOut = ({ state }: EndpointStatus) => state !== 'healthy'
  return [...all.filter(isOut), ...all.filter((one) => !isOut(one))].slice(0, MAX_SERIES)
}
