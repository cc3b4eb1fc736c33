import { answerText, type Endpoint } from '../endpoint.ts'

/**
 * `POST /quitquitquit`: begins a graceful shutdown.
 *
 * @param quit Begins it; resolves when nothing more is accepted, and the answer may be given.
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
