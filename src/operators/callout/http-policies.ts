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
  readonly transform: ((asked: Exchange) => void) | undefined
  readonly editHeaders: ((headers: Headers) => void) | undefined
  readonly sign: ((asked: Exchange) => Promise<Verdict>) | undefined
}

/**
 * Makes a question ready to be sent, in the order of a backend's stages. It is ready when this returns, if everything is
 * at hand.
 *
 * Throws, or rejects with, `Unaskable` where it is for the client to change that, and other faults where it is not.
 *
 * @param x The exchange that it is about: credentials of the client are looked for there.
 * @param asked What `questionExchange` made of the question.
 */
export const prepareCallout = (x: Exchange, asked: Exchange, stages: CalloutStages): void | Promise<void> => {
  try {
    const pending = putCredentials(x, stages.credentials, asked)
    if (pending instanceof Promise || stages.sign) return finish(pending, asked, stages)
    refuse(pending)
    edit(asked, stages)
  } catch (fault) {
    throw blamed(fault)
  }
}

const finish = async (
  pending: Verdict | Promise<Verdict>,
  asked: Exchange,
  stages: CalloutStages,
): Promise<void> => {
  try {
    refuse(await pending)
    edit(asked, stages)
    refuse(await stages.sign?.(asked))
  } catch (fault) {
    throw blamed(fault)
  }
}

const edit = (asked: Exchange, { transform, editHeaders }: CalloutStages): void => {
  transform?.(asked)
  editHeaders?.(asked.request.headers)
}

const refuse = (verdict: Verdict): void => {
  if (verdict) throw new Uncallable('the credentials for the question could not be had', undefined)
}

/** Tokens of clients, and what expressions make of their requests, are the clients' to choose. */
const blamed = (fault: unknown): unknown =>
  fault instanceof TokenRefused || (fault instanceof Fault && fault.code === 'filter_failed')
    ? new Uncallable('the question could not be made ready', fault)
    : fault
