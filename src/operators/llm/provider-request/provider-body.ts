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

/** A request in its provider's format, and what encoding the reply needs. */
export interface ProviderBody {
  readonly members: Members
  /** To be called after the last change. */
  readonly bytes: () => Buffer
  readonly replyOptions: ReplyOptions
  /** What was lost in translation. */
  readonly dropped: readonly string[]
}

/** Keeps the client's format and bytes, except for the changes of the draft. */
export const keptBody = ({ text, model }: ClientDraft): ProviderBody => ({
  members: text,
  bytes: () => text.toBuffer(),
  replyOptions: { model, includeUsage: true },
  dropped: none,
})

/**
 * Translates a request into another format.
 *
 * @param provider Its name in telemetry.
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

/** The current JSON of a draft. */
export const draftedJson = (text: EditableObject, json: JsonObject): JsonObject =>
  text.changed ? (JSON.parse(text.toBuffer().toString('utf8')) as JsonObject) : json
