import { CheckLoop } from './check-loop.ts'
import type { HealthChecks } from './health-checks.ts'

/**
 * Health checks that run in this process.
 *
 * @param random Gives 0 ≤ number < 1: checks of many endpoints neither begin together nor fall into step.
 */
export const localHealthChecks = (random: () => number): HealthChecks => ({
  begin: (subject, verdict) => new CheckLoop(subject, verdict, random).start(),
})
