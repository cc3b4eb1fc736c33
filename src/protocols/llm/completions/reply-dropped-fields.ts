import type { JsonObject } from '../../json/json-object.ts'
import type { Losses } from '../dropped-fields.ts'

/** Names what of an answer's choices has no place in the common form: all but one of them, and how likely each word was. */
export const dropOfChoices = (
  choices: readonly unknown[],
  choice: JsonObject | undefined,
  losses: Losses,
): void => {
  if (choices.length > (choice ? 1 : 0)) losses.drop('choices')
  if (choice?.logprobs !== undefined && choice.logprobs !== null) losses.drop('choices.logprobs')
}

/** Names what of a message, or of a piece of one, has no place there. */
export const dropOfMessage = (message: JsonObject, losses: Losses): void => {
  for (const name of ['annotations', 'audio', 'images'])
    if (!isNothing(message[name])) losses.drop(`choices.message.${name}`)
}

/** Whether a field might as well not be there. */
export const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)
