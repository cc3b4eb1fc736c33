import type { Members } from '../members/members.ts'
import type { ProviderCall } from './provider.ts'

/**
 * Calls the limit of tokens what OpenAI's models want it to be called: those that reason refuse `max_tokens`. Other
 * models behind the same format know the old name only, so it depends on the model's.
 */
export const renameMaxTokens = (body: Members, { format, model }: ProviderCall): void => {
  if (format !== 'completions' || !isOfOpenAi.test(model)) return
  if (body.has('max_completion_tokens')) body.delete('max_tokens')
  else body.rename('max_tokens', 'max_completion_tokens')
}

const isOfOpenAi = /^(?:openai\/)?(?:gpt-|o\d)/
