import type { DependencyStatus } from '../../upstream/dependency-status.ts'
import { replyJson, type AdminEndpoint } from '../endpoint.ts'

/** `GET /dependencies`: the status of what the gateway depends on, such as the key sets of identity providers. */
export const dependenciesEndpoint = (statuses: () => readonly DependencyStatus[]): AdminEndpoint => ({
  path: '/dependencies',
  methods: ['GET', 'HEAD'],
  summary: 'how it stands with what the gateway depends on',
  handle: ({ res }) => {
    replyJson(res, 200, statuses().map(shown))
  },
})

const shown = ({ respondedAtMs, ...status }: DependencyStatus) => ({
  ...status,
  ...(respondedAtMs === undefined ? {} : { answeredAt: new Date(respondedAtMs).toISOString() }),
})
