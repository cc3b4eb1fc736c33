import type { Exchange } from '../../model/exchange.ts'
import { Fault } from '../../model/fault.ts'
import type { Headers } from '../../model/headers.ts'
import type { Verdict } from '../../pipeline/stage.ts'
import { TokenRefused } from '../../upstream/credentials/credential-fault.ts'
import { putCredentials, type UpstreamCredential } from '../auth/authenticate-upstream.ts'
import { Unaskable } from './unaskable.ts'

/** What is done to questions before a service gets them. */
export interface QuestionStages {
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
export const prepareQuestion = (
  x: Exchange,
  asked: Exchange,
  stages: QuestionStages,
): void | Promise<void> => {
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
  stages: QuestionStages,
): Promise<void> => {
  try {
    refuse(await pending)
    edit(asked, stages)
    refuse(await stages.sign?.(asked))
  } catch (fault) {
    throw blamed(fault)
  }
}

const edit = (asked: Exchange, { transform, editHeaders }: QuestionStages): void => {
  transform?.(asked)
  editHeaders?.(asked.request.headers)
}

const refuse = (verdict: Verdict): void => {
  if (verdict) throw new Unaskable('the credentials for the question could not be had', undefined)
}

/** Tokens of clients, and what expressions make of their requests, are the clients' to choose. */
const blamed = (fault: unknown): unknown =>
  fault instanceof TokenRefused || (fault instanceof Fault && fault.code === 'filter_failed')
    ? new Unaskable('the question could not be made ready', fault)
    : fault
