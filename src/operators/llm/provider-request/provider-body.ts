import { type JsonObject } from '../../../protocols/json/json-object.ts'
import type { EditableObject } from '../../../protocols/json/editable-object.ts'
import type { ReplyOptions } from '../../../protocols/llm/chat/codec.ts'
import { clientName } from '../../../protocols/llm/members/client-field-names.ts'
import { codecs } from '../../../protocols/llm/codecs.ts'
import type { ChatFormat } from '../../../protocols/llm/format.ts'
import { Losses } from '../../../protocols/llm/dropped-fields.ts'
import type { Members } from '../../../protocols/llm/members/members.ts'
import { fitCompletions, pathForCompletions } from '../../../protocols/llm/providers/completions-quirks.ts'
import { ObjectMembers } from '../../../protocols/llm/members/object-members.ts'
import type { ClientDraft, ParsedJsonRequest } from './mutated-request.ts'

/** A request in its provider's format, and what is to be known when the answer is written. */
export interface ProviderBody {
  readonly members: Members
  /** To be called once nothing is to be changed any more. */
  readonly bytes: () => Buffer
  readonly replyOptions: ReplyOptions
  /** What was lost in translation. */
  readonly dropped: readonly string[]
}

/** Leaves a request as it is, but for what was changed about it. */
export const keptBody = ({ text, model }: ClientDraft): ProviderBody => ({
  members: text,
  bytes: () => text.toBuffer(),
  replyOptions: { model, includeUsage: true },
  dropped: none,
})

/**
 * Says a request in another format.
 *
 * @param provider As telemetry calls it.
 * @throws BadRequest
 */
export const translatedBody = (
  draft: ClientDraft,
  { body, attributes }: ParsedJsonRequest,
  from: ChatFormat,
  to: ChatFormat,
  provider: string,
): ProviderBody => {
  const losses = new Losses()
  const { model } = draft
  const read = codecs[from].decodeRequest(
    draftedJson(draft.text, body.json),
    { model, streaming: attributes.streaming },
    losses,
  )
  const request = read.model === model ? read : { ...read, model }
  const unplaced = new Losses()
  const placed = to === 'completions' ? pathForCompletions(request, provider, unplaced) : request
  const encoded = codecs[to].encodeRequest(placed, unplaced)
  const members = new ObjectMembers(
    to === 'completions' ? fitCompletions(encoded, provider, unplaced) : encoded,
  )
  for (const field of unplaced.fields) losses.drop(clientName(from, field))
  return {
    members,
    bytes: () => Buffer.from(JSON.stringify(members.object)),
    replyOptions: { model, includeUsage: request.includeUsage },
    dropped: losses.any ? losses.fields : none,
  }
}

const none: readonly string[] = []

/** What a draft says now, parsed. */
export const draftedJson = (text: EditableObject, json: JsonObject): JsonObject =>
  text.changed ? (JSON.parse(text.toBuffer().toString('utf8')) as JsonObject) : json
