import { BufferBody } from '../../../model/exchange/body.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import { type ReplyOptions, BadRequest } from '../../../protocols/llm/chat/codec.ts'
import { type ChatFormat, isChatFormat } from '../../../protocols/llm/format.ts'
import { includeUsage } from '../../../protocols/llm/completions/hide-usage.ts'
import { nameInBody } from '../../../protocols/llm/messages/model-in-body.ts'
import { modelInPath } from '../../../protocols/llm/models/model-in-path.ts'
import type { Members } from '../../../protocols/llm/members/members.ts'
import { markForCache } from '../../../protocols/llm/prompt-caching.ts'
import { knownBetas, sendBetas } from '../../../protocols/llm/providers/bedrock-betas.ts'
import { resolvedPathOf } from '../../../protocols/llm/providers/target-path.ts'
import { upstreamFormat } from '../../../protocols/llm/translations.ts'
import type { Option } from '../routing/provider-target.ts'
import { dropClientCredentials } from '../request/client-credentials.ts'
import { type ClientDraft, draftForProvider, type ParsedJsonRequest } from './mutated-request.ts'
import { requestFailed, unsupportedConversion } from '../refusals.ts'
import { transformFields } from './mutate-body.ts'
import { refuseRenamed, refuseUnpriced } from '../routing/require-price.ts'
import { keptBody, type ProviderBody, translatedBody } from './provider-body.ts'

/** How the response to a conversation is decoded, and encoded for the client. */
export interface Prepared {
  readonly client: ChatFormat
  readonly upstream: ChatFormat
  readonly replyOptions: ReplyOptions
  readonly streaming: boolean
  /** The gateway requested usage that the client did not. */
  readonly hidesUsage: boolean
  /** What was lost in translation. */
  readonly dropped: readonly string[]
}

/** A conversation for a provider: the client's request with the changes of the configuration. */
export interface ChatPlan {
  readonly draft: ClientDraft
  readonly upstream: ChatFormat
}

/** Decides the format of the provider's request; a refusal if the provider cannot serve it. */
export const planChat = (
  x: Exchange,
  clientRequest: ParsedJsonRequest,
  client: ChatFormat,
  option: Option,
): ChatPlan | Reply => {
  const { provider, service } = option.candidate
  const draft = draftForProvider(x, clientRequest, client, option)
  const refusal = refuseUnpriced(x, provider, clientRequest, draft.model)
  if (refusal) return refusal
  const formats = service.formats(draft.model, provider.settings)
  const upstream = upstreamFormat(client, formats)
  return isChatFormat(upstream) ? { draft, upstream } : unsupportedConversion(client, provider, formats)
}

/**
 * Replaces the request with the one for the provider: the client's draft, translated if the provider does not support
 * its format, then the provider's peculiarities, then the final transformation; and the path for it.
 *
 * @returns How to decode the response; a refusal if the request cannot be expressed in the provider's format.
 */
export const prepareChat = (
  x: Exchange,
  clientRequest: ParsedJsonRequest,
  client: ChatFormat,
  { candidate }: Option,
  { draft, upstream }: ChatPlan,
): Prepared | Reply => {
  const { provider, service, finalTransformation, passesCredentials } = candidate
  const { settings, mutation } = provider
  const { model } = draft
  const { streaming } = clientRequest.attributes
  let body: ProviderBody
  try {
    body =
      upstream === client
        ? keptBody(draft)
        : translatedBody(draft, clientRequest, client, upstream, provider.telemetryName)
  } catch (problem) {
    if (problem instanceof BadRequest) return requestFailed('invalid_request', problem.message)
    throw problem
  }
  const call = { format: upstream, model, streaming }
  const { path, query } = resolvedPathOf({
    provider,
    service,
    call,
    clientPath: clientRequest.path,
    clientQuery: clientRequest.query,
  })
  const addsUsage = upstream === 'completions' && streaming && includeUsage(body.members)
  if (mutation.promptCaching) markForCache(upstream, body.members, mutation.promptCaching)
  if (
    client === 'messages' &&
    upstream === client &&
    clientRequest.requestLine.model !== undefined &&
    !modelInPath(path)
  )
    nameInBody(body.members, call)
  const isAllThere = client !== 'messages' || upstream !== 'converse' || movesBetas(x, body.members, model)
  service.finishBody(body.members, call, settings)
  if (finalTransformation.length) {
    transformFields(body.members, finalTransformation, x)
    const refusal = refuseRenamed(x, provider, clientRequest, body.members)
    if (refusal) return refusal
  }
  sendJson(x, path, query, body.bytes())
  if (!passesCredentials) dropClientCredentials(x.request)
  const { llm } = x.protocol
  if (llm) {
    llm.requestModel = model
    llm.upstreamFormat = upstream
  }
  return {
    client,
    upstream,
    replyOptions: body.replyOptions,
    streaming,
    hidesUsage: addsUsage && upstream === client,
    dropped: isAllThere ? body.dropped : [...body.dropped, BETAS],
  }
}

/** Betas are in a header, which Converse does not have; false if not all of them can be requested. */
const movesBetas = ({ request: { headers }, snapshot }: Exchange, body: Members, model: string): boolean => {
  const betas = headers.get(BETAS)
  if (betas === undefined) return true
  headers.delete(BETAS)
  return sendBetas(body, model, betas, snapshot.resources.bedrockBetas ?? knownBetas)
}

const BETAS = 'anthropic-beta'

/** Replaces the client's request with a JSON request for a provider. */
export const sendJson = (x: Exchange, path: string, query: string, bytes: Buffer): void => {
  const { request } = x
  request.method = 'POST'
  request.path = path
  request.query = query
  request.body = new BufferBody(bytes)
  const { headers } = request
  headers.set('content-type', 'application/json')
  headers.set('content-length', String(bytes.length))
  // The response is parsed.
  headers.delete('accept-encoding')
}
