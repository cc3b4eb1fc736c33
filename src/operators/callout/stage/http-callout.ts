import { BufferBody } from '../../model/body.ts'
import type { Exchange } from '../../model/exchange.ts'
import type { PolicyBackend } from '../../model/policy-backend.ts'
import type { PoolSettings } from '../../model/process-settings.ts'
import { Fault } from '../../model/fault.ts'
import { Reply } from '../../model/reply.ts'
import { saysInvalidToken } from '../../operators/auth/renew-credentials.ts'
import { editHeaders } from '../../operators/edit-headers.ts'
import { prepareQuestion } from '../../operators/service/prepare-question.ts'
import { questionExchange } from '../../operators/service/question-exchange.ts'
import { Unaskable } from '../../operators/service/unaskable.ts'
import { transformReply } from '../../operators/transform/reply.ts'
import type { Answer, Ask, Question } from '../../upstream/ask.ts'
import { questionStages, servicePolicies } from './question-stages.ts'
import { transformationSteps } from './transform-stages.ts'
import type { PolicyCallKind, Workshop } from './workshop.ts'

/**
 * Makes the way to ask the service of a policy over HTTP, with the policies that hold for it. Those that need an exchange
 * act on questions about one only.
 *
 * @param pool Connections of its own, which it shares with nobody who has others.
 */
export const askService = (
  service: PolicyBackend,
  kind: PolicyCallKind,
  workshop: Workshop,
  pool?: PoolSettings,
): Ask => {
  const policies = servicePolicies(service, workshop)
  const plain = workshop.session.ask(service.backend, { ...policies, pool })
  if (!plain) return () => Promise.reject(missing())
  const ask = timed(plain, kind, workshop)
  const { requestHeaderModifier } = policies
  const edit = requestHeaderModifier && editHeaders(requestHeaderModifier)
  const edited: Ask = edit
    ? (question) => {
        const headers = question.headers.clone()
        edit(headers)
        return ask({ ...question, headers })
      }
    : ask
  const prepared = withStages(service, ask, workshop)
  return prepared
    ? (question) => (question.about ? prepared(question, question.about) : edited(question))
    : edited
}

type AskAbout = (question: Question, x: Exchange) => Promise<Answer>

const withStages = (service: PolicyBackend, ask: Ask, workshop: Workshop): AskAbout | undefined => {
  const policies = servicePolicies(service, workshop)
  const stages = questionStages(service, policies, workshop)
  if (!stages) return undefined
  const upstream = workshop.session.upstream(service.backend, policies)
  const response = policies.transformations?.response
  const change = response && transformReply(transformationSteps(response, workshop.expression))

  const once = async (question: Question, x: Exchange): Promise<Answer> => {
    const startedAt = performance.now()
    const { method, target, headers, body } = question
    // Without a name of its own it is behind a unix socket.
    const authority = question.authority ?? upstream?.authority?.(x) ?? 'localhost'
    const asked = questionExchange(x, { method, target, authority, headers: headers.clone(), body })
    await prepareQuestion(x, asked, stages)
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
    if (answer.status !== 401 || !saysInvalidToken(answer.headers)) return answer
    // All of them are told, whether or not it helps this question.
    const renewed = stages.credentials.filter((credential) => credential.refused?.(x))
    return renewed.length ? once(question, x) : answer
  }
}

/** Expressions about the answer see it as `response`, beside the question as it was sent. */
const changed = async (
  asked: Exchange,
  { status, headers, body }: Answer,
  change: ReturnType<typeof transformReply>,
): Promise<Answer> => {
  const reply = new Reply(status, headers, new BufferBody(body), 'Upstream')
  asked.reply = reply
  const refusal = change(asked, reply)
  if (refusal) throw new Unaskable('the answer could not be transformed', refusal.error)
  return { status: reply.status, headers: reply.headers, body: await reply.body.read(Infinity) }
}

const timed =
  (ask: Ask, kind: PolicyCallKind, { called }: Workshop): Ask =>
  async (question) => {
    const startedAt = performance.now()
    try {
      return await ask(question)
    } finally {
      called(kind, (performance.now() - startedAt) / 1000)
    }
  }

const missing = (): Fault => new Fault('backend_missing', 'backend does not exist', { status: 500 })
