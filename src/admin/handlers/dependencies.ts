import type { EndpointStatus } from '../../model/resources/endpoint-status.ts'
import type { DependencyStatus } from '../../upstream/dependency-status.ts'
import { replyJson, type AdminEndpoint } from '../endpoint.ts'
import { type ProcessReport, readReport } from '../process-report.ts'

/** Maximum number of endpoints in a reply. */
const MAX_ENDPOINTS = 1_000

/**
 * `GET /dependencies`: the status of what the gateway depends on, such as the key sets of identity providers, and the
 * endpoints and providers that get no requests, with reasons.
 */
export const dependenciesEndpoint = (
  dependencies: ProcessReport<readonly DependencyStatus[]>,
  endpoints: ProcessReport<readonly EndpointStatus[]>,
): AdminEndpoint => ({
  path: '/dependencies',
  methods: ['GET', 'HEAD'],
  summary: 'the services that the gateway depends on, and the endpoints that get no requests, with reasons',
  group: 'configuration',
  handle: async ({ res }) => {
    const services = await readReport(dependencies)
    const all = await readReport(endpoints)
    const ejected = all.filter(({ state }) => state !== 'healthy').slice(0, MAX_ENDPOINTS)
    replyJson(res, 200, [...services.map(shownService), ...ejected.map(shownEndpoint)])
  },
})

const shownService = ({ respondedAtMs, ...status }: DependencyStatus) => ({
  ...status,
  ...(respondedAtMs === undefined ? {} : { answeredAt: new Date(respondedAtMs).toISOString() }),
})

const shownEndpoint = ({ backend, endpoint, state, reason, sinceMs, untilMs }: EndpointStatus) => ({
  name: `endpoint ${endpoint} of ${backend}`,
  required: false,
  state,
  ...(reason === undefined ? {} : { error: reason }),
  since: new Date(sinceMs).toISOString(),
  ...(untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }),
})
