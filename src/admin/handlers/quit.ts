import { answerText, type Endpoint } from '../endpoint.ts'

/**
 * `POST /quitquitquit`: begins a graceful shutdown.
 *
 * @param quit Begins it; resolves when the answer may be given, at the latest after the minimum deadline.
 */
export const quitEndpoint = (quit: () => Promise<void>): Endpoint => ({
  path: '/quitquitquit',
  methods: ['POST'],
  summary: 'shuts down gracefully',
  handle: async ({ res }) => {
    await quit()
    answerText(res, 200, 'shutdown now\n', { connection: 'close' })
  },
})
