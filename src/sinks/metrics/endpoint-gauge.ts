import { Gauge, type OpenMetricsContentType, type Registry } from 'prom-client'
import type { EndpointStatus } from '../../model/resources/endpoint-status.ts'
import { metricDefinitions } from './definitions.ts'

/** Where it is known how it stands with endpoints. */
export type EndpointsSource = () => readonly EndpointStatus[]

/** Series of endpoints; of more the healthy ones are left out first. */
const MAX_SERIES = 1_000

/** Registers what is read of endpoints when somebody scrapes. */
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
      // What was there the last time may have left the configuration.
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
