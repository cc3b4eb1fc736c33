import type { Operator } from '../../pipeline/stage.ts'
import type { Timeout } from './schema.ts'
import { backendRequestTimeout, requestTimeout } from './timeout.ts'

/** Makes what limits a whole exchange; undefined without such a limit. */
export const requestTimeoutStage = ({
  requestTimeoutMs,
}: Timeout): ((inner: Operator) => Operator) | undefined =>
  requestTimeoutMs === undefined ? undefined : (inner) => requestTimeout(requestTimeoutMs, inner)

/** Limits an attempt, if there is such a limit. */
export const attemptTimeoutStage = ({ backendRequestTimeoutMs }: Timeout, attempt: Operator): Operator =>
  backendRequestTimeoutMs === undefined ? attempt : backendRequestTimeout(backendRequestTimeoutMs, attempt)
