import type { ChatFormat } from '../format.ts'

/** The formats that have their own form of model lists. */
export type ModelListFormat = Extract<ChatFormat, 'completions' | 'messages' | 'generateContent'>

/**
 * A list of models in a client's format.
 *
 * @param createdS The time of creation to report for each, in seconds since 1970.
 * @see https://platform.openai.com/docs/api-reference/models/list
 * @see https://docs.anthropic.com/en/api/models-list
 * @see https://ai.google.dev/api/models#method:-models.list
 */
export const modelList = (format: ModelListFormat, names: readonly string[], createdS: number): object =>
  lists[format](names, createdS)

const openAiModel = (id: string, createdS: number) => ({
  id,
  object: 'model',
  created: createdS,
  owned_by: 'openai',
})

const anthropicModel = (id: string, createdS: number) => ({
  ...openAiModel(id, createdS),
  type: 'model',
  display_name: id,
  created_at: new Date(createdS * 1000).toISOString(),
})

const openAiList = (names: readonly string[], createdS: number) => ({
  data: names.map((name) => openAiModel(name, createdS)),
  object: 'list',
})

/** One model in a client's format. */
export const modelItem = (format: ModelListFormat, name: string, createdS: number): object =>
  items[format](name, createdS)

/** Includes the fields of OpenAI: many programs request one form and read the other. */
const anthropicList = (names: readonly string[], createdS: number) => ({
  ...openAiList(names, createdS),
  data: names.map((name) => anthropicModel(name, createdS)),
  has_more: false,
  first_id: names[0] ?? null,
  last_id: names.at(-1) ?? null,
})

const geminiModel = (id: string) => ({
  name: `models/${id}`,
  displayName: id,
  supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
})

const geminiList = (names: readonly string[]) => ({ models: names.map(geminiModel) })

const lists: Readonly<Record<ModelListFormat, (names: readonly string[], createdS: number) => object>> = {
  completions: openAiList,
  messages: anthropicList,
  generateContent: geminiList,
}

const items: Readonly<Record<ModelListFormat, (name: string, createdS: number) => object>> = {
  completions: openAiModel,
  messages: anthropicModel,
  generateContent: geminiModel,
}
