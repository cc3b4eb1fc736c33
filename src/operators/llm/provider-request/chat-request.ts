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

/** How the answer to a conversation is to be read, and written for the client. */
export interface Prepared {
  readonly client: ChatFormat
  readonly upstream: ChatFormat
  readonly asked: ReplyOptions
  readonly streaming: boolean
  /** The gateway asked for figures that the client did not ask for. */
  readonly hidesUsage: boolean
  /** What the request lost in translation. */
  readonly dropped: readonly string[]
}

/** A conversation on its way to a provider: what the client asks, with what the configuration changed about it. */
export interface ChatPlan {
  readonly draft: ClientDraft
  readonly upstream: ChatFormat
}

/** Decides in which format a provider is asked, or refuses what it has no way to serve. */
export const planChat = (
  x: Exchange,
  heard: ParsedJsonRequest,
  client: ChatFormat,
  option: Option,
): ChatPlan | Reply => {
  const { provider, service } = option.candidate
  const draft = draftForProvider(x, heard, client, option)
  const refusal = refuseUnpriced(x, provider, heard, draft.model)
  if (refusal) return refusal
  const formats = service.formats(draft.model, provider.settings)
  const upstream = upstreamFormat(client, formats)
  return isChatFormat(upstream) ? { draft, upstream } : unsupportedConversion(client, provider, formats)
}

/**
 * Makes the exchange's request the one that its provider gets: the client's draft, translated where the provider does not
 * understand its format, then what is peculiar to the provider, then the last changes; and the path that goes with it.
 *
 * @returns How to read the answer, or the refusal of what cannot be said in the provider's format.
 */
export const prepareChat = (
  x: Exchange,
  heard: ParsedJsonRequest,
  client: ChatFormat,
  { candidate }: Option,
  { draft, upstream }: ChatPlan,
): Prepared | Reply => {
  const { provider, service, finalTransformation, passesCredentials } = candidate
  const { settings, mutation } = provider
  const { model } = draft
  const { streaming } = heard.facts
  let body: ProviderBody
  try {
    body =
      upstream === client
        ? keptBody(draft)
        : translatedBody(draft, heard, client, upstream, provider.telemetryName)
  } catch (problem) {
    if (problem instanceof BadRequest) return requestFailed('invalid_request', problem.message)
    throw problem
  }
  const call = { format: upstream, model, streaming }
  const { path, query } = resolvedPathOf({
    provider,
    service,
    call,
    clientPath: heard.path,
    clientQuery: heard.query,
  })
  const asksMore = upstream === 'completions' && streaming && includeUsage(body.members)
  if (mutation.promptCaching) markForCache(upstream, body.members, mutation.promptCaching)
  if (client === 'messages' && upstream === client && heard.place.model !== undefined && !modelInPath(path))
    nameInBody(body.members, call)
  const isAllThere = client !== 'messages' || upstream !== 'converse' || movesBetas(x, body.members, model)
  service.finishBody(body.members, call, settings)
  if (finalTransformation.length) {
    transformFields(body.members, finalTransformation, x)
    const refusal = refuseRenamed(x, provider, heard, body.members)
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
    asked: body.asked,
    streaming,
    hidesUsage: asksMore && upstream === client,
    dropped: isAllThere ? body.dropped : [...body.dropped, BETAS],
  }
}

/** Betas are asked for in a header, of which Converse knows nothing; false if not all of them can be. */
const movesBetas = ({ request: { headers }, snapshot }: Exchange, body: Members, model: string): boolean => {
  const asked = headers.get(BETAS)
  if (asked === undefined) return true
  headers.delete(BETAS)
  return sendBetas(body, model, asked, snapshot.resources.bedrockBetas ?? knownBetas)
}

const BETAS = 'anthropic-beta'

/** Puts a JSON request for a provider in place of the client's. */
export const sendJson = (x: Exchange, path: string, query: string, bytes: Buffer): void => {
  const { request } = x
  request.method = 'POST'
  request.path = path
  request.query = query
  request.body = new BufferBody(bytes)
  const { headers } = request
  headers.set('content-type', 'application/json')
  headers.set('content-length', String(bytes.length))
  // What comes back is looked at.
  headers.delete('accept-encoding')
}
