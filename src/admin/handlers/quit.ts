import { replyText, type AdminEndpoint } from '../endpoint.ts'

/**
 * `POST /quitquitquit`: begins a graceful shutdown.
 *
 * @param quit Begins it; resolves when nothing more is accepted and the reply may be sent.
 */
export const quitEndpoint = (quit: () => Promise<void>): AdminEndpoint => ({
  path: '/quitquitquit',
  methods: ['POST'],
  summary: 'shuts down gracefully',
  isForServerOnly: true,
  handle: async ({ res }) => {
    await quit()
    replyText(res, 200, 'shutdown now\n', { connection: 'close' })
  },
})
