import type { Fault } from '../../model/exchange/fault.ts'
import type { Endpoint } from '../load-balancing/endpoint.ts'

/**
 * Checks an endpoint once.
 *
 * @param onResult Called once: what was wrong, or undefined for nothing.
 * @returns Cancels the check; `onResult` is then not called.
 */
export type HealthProbe = (
  endpoint: Endpoint,
  timeoutMs: number,
  onResult: (wrong: string | undefined) => void,
) => () => void

/** Why a check got no response, in a few words. */
export const checkFailure = ({ message }: Fault): string =>
  `check: ${message.replace('upstream call failed: ', '')}`
