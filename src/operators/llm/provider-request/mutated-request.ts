import type { Exchange } from '../../../model/exchange.ts'
import type { MemberText } from '../../../protocols/json/member-text.ts'
import { type Format, isChatFormat } from '../../../protocols/llm/format.ts'
import { addPrompts } from '../../../protocols/llm/prompts.ts'
import type { Option } from './candidate.ts'
import { draftOf } from './draft.ts'
import type { HeardBody } from './hear-body.ts'
import type { Heard } from './heard.ts'

/** What a client asks, with what the configuration changed about it, still in the client's format. */
export interface ClientDraft {
  readonly text: MemberText
  /** To ask the provider for. */
  readonly model: string
}

/** A request whose body is there. */
export type HeardJson = Heard & { readonly body: HeardBody }

/** Whether the body was read. */
export const isHeardJson = (heard: Heard): heard is HeardJson => heard.body !== undefined

/** Pins the model, mutates fields, adds prompts; in that order. */
export const draftForProvider = (
  x: Exchange,
  heard: HeardJson,
  format: Format,
  { candidate, model: pinned }: Option,
): ClientDraft => {
  const { mutate, provider } = candidate
  const { prompts } = provider.mutation
  const text = draftOf(heard.body)
  const first = pinned ?? provider.model ?? heard.facts.model ?? ''
  const model = mutate ? mutated(x, text, first, mutate) : first
  // Some formats have the model in the path only.
  const isInBody = heard.body.json.model !== undefined
  if (isInBody) {
    const written = text.changed ? text.get('model') : heard.body.json.model
    if (written !== model) text.set('model', model)
  } else if (mutate) text.delete('model')
  if (prompts && isChatFormat(format)) addPrompts(format, text, prompts)
  return { text, model }
}

const mutated = (
  x: Exchange,
  text: MemberText,
  model: string,
  mutate: NonNullable<Option['candidate']['mutate']>,
): string => {
  text.set('model', model)
  mutate(text, x)
  const named = text.get('model')
  return typeof named === 'string' ? named : model
}
