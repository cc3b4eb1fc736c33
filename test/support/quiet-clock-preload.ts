/**
 * For a daemon that is to think that time passes: at SIGUSR2, a quarter of a minute has passed for all that it repeats.
 *
 * @module
 */
import { mock } from 'node:test'

mock.timers.enable({ apis: ['setInterval'] })
process.on('SIGUSR2', () => {
  mock.timers.tick(15_000)
})
