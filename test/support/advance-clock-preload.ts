/**
 * Makes time pass for a daemon: at SIGUSR2, its intervals advance by a quarter of a minute.
 *
 * @module
 */
import { mock } from 'node:test'

mock.timers.enable({ apis: ['setInterval'] })
process.on('SIGUSR2', () => {
  mock.timers.tick(15_000)
})
