import type { Operator } from '../../pipeline/stage.ts'
import type { Timeout } from './schema.ts'
import { backendRequestTimeout, requestTimeout } from './timeout.ts'

/** Compiles the timeout of a whole exchange; undefined without one. */
export const requestTimeoutStage = ({
  requestTimeoutMs,
}: Timeout): ((inner: Operator) => Operator) | undefined =>
  requestTimeoutMs === undefined ? undefined : (inner) => requestTimeout(requestTimeoutMs, inner)

/** Limits an attempt, if there is such a timeout. */
export const attemptTimeoutStage = ({ backendRequestTimeoutMs }: Timeout, attempt: Operator): Operator =>
  backendRequestTimeoutMs === undefined ? attempt : backendRequestTimeout(backendRequestTimeoutMs, attempt)
