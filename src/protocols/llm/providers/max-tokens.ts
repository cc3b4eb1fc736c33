import type { Members } from '../members/members.ts'
import type { ProviderCall } from './provider.ts'

/**
 * Renames the token limit for OpenAI's models, of which reasoning models refuse `max_tokens`. Other models behind this
 * format only support the old name, so the model decides.
 */
export const renameMaxTokens = (body: Members, { format, model }: ProviderCall): void => {
  if (format !== 'completions' || !isOfOpenAi.test(model)) return
  if (body.has('max_completion_tokens')) body.delete('max_tokens')
  else body.rename('max_tokens', 'max_completion_tokens')
}

const isOfOpenAi = /^(?:openai\/)?(?:gpt-|o\d)/
