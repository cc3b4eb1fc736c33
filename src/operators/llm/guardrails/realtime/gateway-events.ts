/** The realtime event that a client gets in place of blocked content. */
export const blockedEvent = (message: string): string =>
  JSON.stringify({
    type: 'error',
    error: { type: 'guardrail_blocked', code: 'guardrail_intervention', message },
  })

/** The message if guards have no verdict. */
export const UNDECIDED = 'Content blocked by guardrail policy'

/** The message for events that are not JSON objects, or are ambiguous. */
export const UNREADABLE = 'Content blocked by guardrail policy: guards cannot read the event'

/** Sent to the client once, in place of the first audio that is dropped. */
export const audioOmittedEvent: string = JSON.stringify({
  type: 'error',
  error: {
    type: 'guardrail_blocked',
    code: 'guardrail_audio',
    message: 'sound is left out, since guards read answers and cannot hear them: ask for text',
  },
})

/**
 * Cancels a response of the provider.
 *
 * @param responseId The id of the response, if several are active.
 */
export const cancelEvent = (responseId?: string): string =>
  JSON.stringify({ type: 'response.cancel', response_id: responseId })
