import { BufferBody } from '../../../model/exchange/body.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { PolicyBackend } from '../../../model/policies/policy-backend.ts'
import type { PoolSettings } from '../../../model/resources/process-settings.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import { Reply } from '../../../model/exchange/reply.ts'
import { isInvalidTokenResponse } from '../../backend-auth/refresh-on-401.ts'
import { editHeaders } from '../../headers/header-modifier.ts'
import { prepareCallout } from '../http-policies.ts'
import { tracedCallout } from '../callout-span.ts'
import { calloutExchange } from '../callout-exchange.ts'
import { Uncallable } from '../uncallable.ts'
import { transformReply } from '../../transformations/reply.ts'
import type { CalloutResponse, HttpCallout, CalloutRequest } from '../../../upstream/http-callout.ts'
import { calloutStages } from './callout-policies.ts'
import { servicePolicies } from './service-policies.ts'
import { transformationSteps } from '../../transformations/stage.ts'
import type { PolicyCallKind, CompileContext } from '../../../config/compile/compile-context.ts'
import { listCallouts } from './list-callout.ts'

/**
 * Compiles HTTP callouts to a policy's service, with the service's policies. Those that need an exchange apply only
 * to callouts about one.
 *
 * @param pool Settings of a dedicated pool, which is shared only with equal ones.
 */
export const compileHttpCallout = (
  service: PolicyBackend,
  kind: PolicyCallKind,
  context: CompileContext,
  pool?: PoolSettings,
): HttpCallout => {
  const policies = servicePolicies(service, context)
  const plain = context.session.httpCallout(service.backend, { ...policies, pool })
  if (!plain) return () => Promise.reject(missing())
  const callout = timed(
    context.resources.frontend.tracing ? tracedCallout(plain, kind) : plain,
    kind,
    service,
    context,
  )
  const { requestHeaderModifier } = policies
  const edit = requestHeaderModifier && editHeaders(requestHeaderModifier)
  const edited: HttpCallout = edit
    ? (calloutRequest) => {
        const headers = calloutRequest.headers.clone()
        edit(headers)
        return callout({ ...calloutRequest, headers })
      }
    : callout
  const prepared = withStages(service, callout, context)
  return prepared
    ? (calloutRequest) =>
        calloutRequest.about ? prepared(calloutRequest, calloutRequest.about) : edited(calloutRequest)
    : edited
}

type AskAbout = (calloutRequest: CalloutRequest, x: Exchange) => Promise<CalloutResponse>

const withStages = (
  service: PolicyBackend,
  callout: HttpCallout,
  context: CompileContext,
): AskAbout | undefined => {
  const policies = servicePolicies(service, context)
  const stages = calloutStages(service, policies, context)
  if (!stages) return undefined
  const upstream = context.session.upstream(service.backend, policies)
  const response = policies.transformations?.response
  const change = response && transformReply(transformationSteps(response, context.expression))

  const once = async (calloutRequest: CalloutRequest, x: Exchange): Promise<CalloutResponse> => {
    const startedAt = performance.now()
    const { method, target, headers, body } = calloutRequest
    // An upstream without a host name is a Unix socket.
    const authority = calloutRequest.authority ?? upstream?.authority?.(x) ?? 'localhost'
    const outgoing = calloutExchange(x, { method, target, authority, headers: headers.clone(), body })
    await prepareCallout(x, outgoing, stages)
    const { request } = outgoing
    // The HTTP client sets the length.
    request.headers.delete('content-length')
    const calloutResponse = await callout({
      ...calloutRequest,
      method: request.method,
      target: request.target,
      authority: request.authority,
      headers: request.headers,
      body: request.body instanceof BufferBody ? request.body.bytes : undefined,
      // The preparation counts towards the timeout.
      timeoutMs: Math.max(1, calloutRequest.timeoutMs - (performance.now() - startedAt)),
    })
    return change ? changed(outgoing, calloutResponse, change) : calloutResponse
  }

  return async (calloutRequest, x) => {
    const calloutResponse = await once(calloutRequest, x)
    if (calloutResponse.status !== 401 || !isInvalidTokenResponse(calloutResponse.headers))
      return calloutResponse
    // Every credential is notified, whether or not that helps this callout.
    const renewed = stages.credentials.filter((credential) => credential.refused?.(x))
    return renewed.length ? once(calloutRequest, x) : calloutResponse
  }
}

/** Expressions about the response see it as `response`, beside the callout request as it was sent. */
const changed = async (
  outgoing: Exchange,
  { status, headers, body }: CalloutResponse,
  change: ReturnType<typeof transformReply>,
): Promise<CalloutResponse> => {
  const reply = new Reply(status, headers, new BufferBody(body), 'Upstream')
  outgoing.reply = reply
  const refusal = change(outgoing, reply)
  if (refusal) throw new Uncallable('the answer could not be transformed', refusal.error)
  return { status: reply.status, headers: reply.headers, body: await reply.body.read(Infinity) }
}

const timed = (
  callout: HttpCallout,
  kind: PolicyCallKind,
  { backend }: PolicyBackend,
  { called }: CompileContext,
): HttpCallout => {
  const list = listCallouts(kind, backend)
  return async (calloutRequest) => {
    const startedAt = performance.now()
    const end = list(calloutRequest)
    try {
      return await callout(calloutRequest)
    } finally {
      end()
      called(kind, (performance.now() - startedAt) / 1000)
    }
  }
}

const missing = (): Fault => new Fault('backend_missing', 'backend does not exist', { status: 500 })
