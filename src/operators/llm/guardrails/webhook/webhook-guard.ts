import type { Exchange } from '../../../model/exchange.ts'
import { Fault } from '../../../model/fault.ts'
import { Headers } from '../../../model/headers.ts'
import type { GuardRejection, TextScope } from '../../../model/llm-guards.ts'
import type { Answer, Ask, Question } from '../../../upstream/ask.ts'
import { Turnstile } from '../../turnstile.ts'
import { type Checking, type Guard, type GuardedText, GuardFailure, type GuardVerdict } from '../guard.ts'
import { askedWords } from './asked-words.ts'
import { addForwarded, type ShownHeader, traceParents } from './forwarded-fields.ts'
import {
  type FieldExpressions,
  type QuestionHead,
  saidFields,
  type SaidFields,
  saidFieldsOfReply,
  withSaid,
} from './said-fields.ts'
import { verdictOf } from './verdict.ts'

/** How a webhook is asked. */
export interface WebhookGuardOptions {
  readonly ask: Ask
  /** From the call, waiting for a connection included, to the last byte of the answer. */
  readonly timeoutMs: number
  /** So many are asked at once; undefined is unlimited. */
  readonly maxConnections: number | undefined
  readonly headers: FieldExpressions
  /** Of the client's request, or of the provider's answer. */
  readonly forwardHeaders: readonly ShownHeader[]
  readonly opensOnFailure: boolean
  readonly rejectionHeaders: GuardRejection['headers']
  readonly scopes: ReadonlySet<TextScope>
}

/** So many more may wait until somebody has been answered. */
const WAITING_LIMIT = 1_024

/**
 * Asks a service of the user's own: POST `/request` about what a client asks, POST `/response` about what a model answers.
 *
 * Redirects are not followed. Whatever is no clear answer is a `GuardFailure`; a client that has left is the fault
 * `abandoned`.
 */
export const webhookGuard = (options: WebhookGuardOptions): Guard => {
  const { ask, timeoutMs, maxConnections, headers, forwardHeaders, rejectionHeaders } = options
  const turnstile = new Turnstile(maxConnections === undefined ? Infinity : maxConnections + WAITING_LIMIT)

  const check = async (
    x: Exchange,
    texts: readonly GuardedText[],
    { phase, kept, reply, signal }: Checking,
  ): Promise<GuardVerdict> => {
    const fields = new Headers(['content-type', 'application/json'])
    const head: QuestionHead = { method: 'POST', target: `/${phase}`, headers: fields, authority: undefined }
    const body = askedWords(phase, texts)
    const asked = { body, timeoutMs, limitBytes: limitFor(body), about: x, signal }
    if (phase === 'request') {
      addForwarded(fields, x.request.headers, forwardHeaders)
      return judged({ ...withSaid(head, saidFields(headers, x)), ...asked })
    }
    const { said, traces } = (kept as Kept | undefined) ?? keep(x)
    if (reply) addForwarded(fields, reply.headers, forwardHeaders)
    if (traces.length) fields.delete('traceparent')
    for (const trace of traces) fields.append('traceparent', trace)
    return judged({ ...withSaid(head, said), ...asked })

    async function judged(question: Question): Promise<GuardVerdict> {
      return verdictOf(await answerTo(question), { phase, texts, rejectionHeaders })
    }
  }

  const keep = (x: Exchange): Kept => ({ said: saidFieldsOfReply(headers, x), traces: traceParents(x) })

  const answerTo = async (question: Question): Promise<Answer> => {
    try {
      const answer = turnstile.pass(() => ask(question))
      if (answer) return await answer
    } catch (error) {
      throw unanswered(error, question)
    }
    throw new GuardFailure(
      `${String(maxConnections)} calls are under way and ${WAITING_LIMIT} wait: GUARDRAIL_WEBHOOK_MAX_CONNECTIONS is the limit`,
    )
  }

  return { name: 'webhook', scopes: options.scopes, opensOnFailure: options.opensOnFailure, keep, check }
}

/** What is known of the client's request when the answer is there. */
interface Kept {
  readonly said: SaidFields
  readonly traces: readonly string[]
}

const LEAST_LIMIT_BYTES = 1_048_576
/** A byte of text may be written as three: that is how é becomes \u00e9. */
const LIMIT_FACTOR = 3

/** Longest answer to a question: it may say all of the texts again. */
const limitFor = ({ length }: Buffer): number => LEAST_LIMIT_BYTES + LIMIT_FACTOR * length

const unanswered = (error: unknown, { timeoutMs, limitBytes }: Question): unknown => {
  // Nobody waits for a verdict any more: there is nothing to be decided.
  if (!(error instanceof Fault) || error.code === 'abandoned') return error
  if (error.code === 'upstream_timeout') return new GuardFailure(`gave no answer within ${timeoutMs} ms`)
  if (error.code === 'body_too_large')
    return new GuardFailure(`gave an answer of more than ${limitBytes} bytes`)
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return new GuardFailure(`could not be asked: ${error.message}${cause}`)
}
