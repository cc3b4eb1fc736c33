import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { JsonBody } from '../request/parse-body.ts'
import type { ClientRequest } from '../request/client-request.ts'
import type { Option } from '../routing/provider-target.ts'
import { EditableObject } from '../../../protocols/json/editable-object.ts'
import { type Format, isChatFormat } from '../../../protocols/llm/format.ts'
import { addPrompts } from '../../../protocols/llm/inject-prompts.ts'

/** The client's body for one attempt: changed field by field, the rest unchanged. */
export const draftOf = (body: JsonBody): EditableObject => {
  if (!body.text.changed) return body.text
  const text = EditableObject.of(body.bytes)
  if ('problem' in text) throw new TypeError('a body that was read once can be read again')
  return text
}

/** A client's request with the changes of the configuration, still in the client's format. */
export interface ClientDraft {
  readonly text: EditableObject
  /** The model for the provider. */
  readonly model: string
}

/** A request whose body is parsed. */
export type ParsedJsonRequest = ClientRequest & { readonly body: JsonBody }

/** Whether the body is parsed. */
export const isParsedJsonRequest = (clientRequest: ClientRequest): clientRequest is ParsedJsonRequest =>
  clientRequest.body !== undefined

/** Sets the model, mutates fields, adds prompts; in that order. */
export const draftForProvider = (
  x: Exchange,
  clientRequest: ParsedJsonRequest,
  format: Format,
  { candidate, model: pinned }: Option,
): ClientDraft => {
  const { mutate, provider } = candidate
  const { prompts } = provider.mutation
  const text = draftOf(clientRequest.body)
  const first = pinned ?? provider.model ?? clientRequest.attributes.model ?? ''
  const model = mutate ? mutated(x, text, first, mutate) : first
  // Some formats have the model in the path only.
  const isInBody = clientRequest.body.json.model !== undefined
  if (isInBody) {
    const written = text.changed ? text.get('model') : clientRequest.body.json.model
    if (written !== model) text.set('model', model)
  } else if (mutate) text.delete('model')
  if (prompts && isChatFormat(format)) addPrompts(format, text, prompts)
  return { text, model }
}

const mutated = (
  x: Exchange,
  text: EditableObject,
  model: string,
  mutate: NonNullable<Option['candidate']['mutate']>,
): string => {
  text.set('model', model)
  mutate(text, x)
  const named = text.get('model')
  return typeof named === 'string' ? named : model
}
