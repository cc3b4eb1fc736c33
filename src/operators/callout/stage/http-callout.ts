import { BufferBody } from '../../../model/exchange/body.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { PolicyBackend } from '../../../model/policies/policy-backend.ts'
import type { PoolSettings } from '../../../model/resources/process-settings.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import { Reply } from '../../../model/exchange/reply.ts'
import { isInvalidTokenResponse } from '../../backend-auth/refresh-on-401.ts'
import { editHeaders } from '../../headers/header-modifier.ts'
import { prepareCallout } from '../http-policies.ts'
import { calloutExchange } from '../callout-exchange.ts'
import { Uncallable } from '../uncallable.ts'
import { transformReply } from '../../transformations/reply.ts'
import type { CalloutResponse, HttpCallout, CalloutRequest } from '../../../upstream/http-callout.ts'
import { calloutStages } from './callout-policies.ts'
import { servicePolicies } from './service-policies.ts'
import { transformationSteps } from '../../transformations/stage.ts'
import type { PolicyCallKind, CompileContext } from '../../../config/compile/compile-context.ts'

/**
 * Makes the way to ask the service of a policy over HTTP, with the policies that hold for it. Those that need an exchange
 * act on questions about one only.
 *
 * @param pool Connections of its own, which it shares with nobody who has others.
 */
export const compileHttpCallout = (
  service: PolicyBackend,
  kind: PolicyCallKind,
  context: CompileContext,
  pool?: PoolSettings,
): HttpCallout => {
  const policies = servicePolicies(service, context)
  const plain = context.session.ask(service.backend, { ...policies, pool })
  if (!plain) return () => Promise.reject(missing())
  const ask = timed(plain, kind, context)
  const { requestHeaderModifier } = policies
  const edit = requestHeaderModifier && editHeaders(requestHeaderModifier)
  const edited: HttpCallout = edit
    ? (question) => {
        const headers = question.headers.clone()
        edit(headers)
        return ask({ ...question, headers })
      }
    : ask
  const prepared = withStages(service, ask, context)
  return prepared
    ? (question) => (question.about ? prepared(question, question.about) : edited(question))
    : edited
}

type AskAbout = (question: CalloutRequest, x: Exchange) => Promise<CalloutResponse>

const withStages = (
  service: PolicyBackend,
  ask: HttpCallout,
  context: CompileContext,
): AskAbout | undefined => {
  const policies = servicePolicies(service, context)
  const stages = calloutStages(service, policies, context)
  if (!stages) return undefined
  const upstream = context.session.upstream(service.backend, policies)
  const response = policies.transformations?.response
  const change = response && transformReply(transformationSteps(response, context.expression))

  const once = async (question: CalloutRequest, x: Exchange): Promise<CalloutResponse> => {
    const startedAt = performance.now()
    const { method, target, headers, body } = question
    // Without a name of its own it is behind a unix socket.
    const authority = question.authority ?? upstream?.authority?.(x) ?? 'localhost'
    const asked = calloutExchange(x, { method, target, authority, headers: headers.clone(), body })
    await prepareCallout(x, asked, stages)
    const { request } = asked
    // Whoever asks says how long the body is.
    request.headers.delete('content-length')
    const answer = await ask({
      ...question,
      method: request.method,
      target: request.target,
      authority: request.authority,
      headers: request.headers,
      body: request.body instanceof BufferBody ? request.body.bytes : undefined,
      // What it took to make the question ready is a part of what asking takes.
      timeoutMs: Math.max(1, question.timeoutMs - (performance.now() - startedAt)),
    })
    return change ? changed(asked, answer, change) : answer
  }

  return async (question, x) => {
    const answer = await once(question, x)
    if (answer.status !== 401 || !isInvalidTokenResponse(answer.headers)) return answer
    // All of them are told, whether or not it helps this question.
    const renewed = stages.credentials.filter((credential) => credential.refused?.(x))
    return renewed.length ? once(question, x) : answer
  }
}

/** Expressions about the answer see it as `response`, beside the question as it was sent. */
const changed = async (
  asked: Exchange,
  { status, headers, body }: CalloutResponse,
  change: ReturnType<typeof transformReply>,
): Promise<CalloutResponse> => {
  const reply = new Reply(status, headers, new BufferBody(body), 'Upstream')
  asked.reply = reply
  const refusal = change(asked, reply)
  if (refusal) throw new Uncallable('the answer could not be transformed', refusal.error)
  return { status: reply.status, headers: reply.headers, body: await reply.body.read(Infinity) }
}

const timed =
  (ask: HttpCallout, kind: PolicyCallKind, { called }: CompileContext): HttpCallout =>
  async (question) => {
    const startedAt = performance.now()
    try {
      return await ask(question)
    } finally {
      called(kind, (performance.now() - startedAt) / 1000)
    }
  }

const missing = (): Fault => new Fault('backend_missing', 'backend does not exist', { status: 500 })
