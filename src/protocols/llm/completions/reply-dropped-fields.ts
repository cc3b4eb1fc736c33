import type { JsonObject } from '../../json/json-object.ts'
import type { Losses } from '../dropped-fields.ts'

/** Reports what the common form cannot express: all choices but one, and log probabilities. */
export const dropOfChoices = (
  choices: readonly unknown[],
  choice: JsonObject | undefined,
  losses: Losses,
): void => {
  if (choices.length > (choice ? 1 : 0)) losses.drop('choices')
  if (choice?.logprobs !== undefined && choice.logprobs !== null) losses.drop('choices.logprobs')
}

/** Reports members of a message or a delta that the common form cannot express. */
export const dropOfMessage = (message: JsonObject, losses: Losses): void => {
  for (const name of ['annotations', 'audio', 'images'])
    if (!isNothing(message[name])) losses.drop(`choices.message.${name}`)
}

/** Whether a value is equivalent to an absent field. */
export const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)
