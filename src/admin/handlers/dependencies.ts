import type { DependencyStatus } from '../../upstream/dependencies.ts'
import { answerJson, type Endpoint } from '../endpoint.ts'

/** `GET /dependencies`: how it stands with what the gateway depends on, such as the key sets of identity providers. */
export const dependenciesEndpoint = (statuses: () => readonly DependencyStatus[]): Endpoint => ({
  path: '/dependencies',
  methods: ['GET', 'HEAD'],
  summary: 'how it stands with what the gateway depends on',
  handle: ({ res }) => {
    answerJson(res, 200, statuses().map(shown))
  },
})

const shown = ({ answeredAtMs, ...status }: DependencyStatus) => ({
  ...status,
  ...(answeredAtMs === undefined ? {} : { answeredAt: new Date(answeredAtMs).toISOString() }),
})
