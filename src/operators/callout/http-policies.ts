import type { Exchange } from '../../model/exchange/exchange.ts'
import { Fault } from '../../model/exchange/fault.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import type { Verdict } from '../../pipeline/stage.ts'
import { TokenRefused } from '../../upstream/credentials/credential-fault.ts'
import { putCredentials, type UpstreamCredential } from '../backend-auth/backend-auth.ts'
import { Uncallable } from './uncallable.ts'

/** Policies for callout requests. */
export interface CalloutStages {
  readonly credentials: readonly UpstreamCredential[]
  /** Transformations by expressions. */
  readonly transform: ((outgoing: Exchange) => void) | undefined
  readonly editHeaders: ((headers: Headers) => void) | undefined
  readonly sign: ((outgoing: Exchange) => Promise<Verdict>) | undefined
}

/**
 * Applies the policies to a callout request, in the order of a backend's stages. Synchronous if everything is at
 * hand.
 *
 * Throws, or rejects with, `Uncallable` if the client caused the failure, and other faults otherwise.
 *
 * @param x The original exchange, which has the credentials of the client.
 * @param outgoing The callout request, made by `calloutExchange`.
 */
export const prepareCallout = (
  x: Exchange,
  outgoing: Exchange,
  stages: CalloutStages,
): void | Promise<void> => {
  try {
    const pending = putCredentials(x, stages.credentials, outgoing)
    if (pending instanceof Promise || stages.sign) return finish(pending, outgoing, stages)
    refuse(pending)
    edit(outgoing, stages)
  } catch (fault) {
    throw blamed(fault)
  }
}

const finish = async (
  pending: Verdict | Promise<Verdict>,
  outgoing: Exchange,
  stages: CalloutStages,
): Promise<void> => {
  try {
    refuse(await pending)
    edit(outgoing, stages)
    refuse(await stages.sign?.(outgoing))
  } catch (fault) {
    throw blamed(fault)
  }
}

const edit = (outgoing: Exchange, { transform, editHeaders }: CalloutStages): void => {
  transform?.(outgoing)
  editHeaders?.(outgoing.request.headers)
}

const refuse = (verdict: Verdict): void => {
  if (verdict) throw new Uncallable('the credentials for the question could not be had', undefined)
}

/** Tokens of clients, and expressions over their requests, are under the control of the client. */
const blamed = (fault: unknown): unknown =>
  fault instanceof TokenRefused || (fault instanceof Fault && fault.code === 'filter_failed')
    ? new Uncallable('the question could not be made ready', fault)
    : fault
