import type { Exchange } from '../../model/exchange/exchange.ts'
import { Fault } from '../../model/exchange/fault.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import type { Verdict } from '../../pipeline/stage.ts'
import { TokenRefused } from '../../upstream/credentials/credential-fault.ts'
import { putCredentials, type UpstreamCredential } from '../backend-auth/backend-auth.ts'
import { Uncallable } from './uncallable.ts'

/** What is done to questions before a service gets them. */
export interface CalloutStages {
  readonly credentials: readonly UpstreamCredential[]
  /** Changes by expressions. */
  readonly transform: ((outgoing: Exchange) => void) | undefined
  readonly editHeaders: ((headers: Headers) => void) | undefined
  readonly sign: ((outgoing: Exchange) => Promise<Verdict>) | undefined
}

/**
 * Makes a question ready to be sent, in the order of a backend's stages. It is ready when this returns, if everything is
 * at hand.
 *
 * Throws, or rejects with, `Unaskable` where it is for the client to change that, and other faults where it is not.
 *
 * @param x The exchange that it is about: credentials of the client are looked for there.
 * @param outgoing What `questionExchange` made of the question.
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

/** Tokens of clients, and what expressions make of their requests, are the clients' to choose. */
const blamed = (fault: unknown): unknown =>
  fault instanceof TokenRefused || (fault instanceof Fault && fault.code === 'filter_failed')
    ? new Uncallable('the question could not be made ready', fault)
    : fault
