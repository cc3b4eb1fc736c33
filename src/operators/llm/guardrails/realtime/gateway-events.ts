/** What a client is told in place of what guards do not let pass, as an event of a realtime conversation. */
export const blockedEvent = (message: string): string =>
  JSON.stringify({
    type: 'error',
    error: { type: 'guardrail_blocked', code: 'guardrail_intervention', message },
  })

/** What is said where guards have no verdict. */
export const UNDECIDED = 'Content blocked by guardrail policy'

/** What is said of events that are no JSON objects, or say a thing twice. */
export const UNREADABLE = 'Content blocked by guardrail policy: guards cannot read the event'

/** What a client is told once, in place of what it would have heard. */
export const soundLeftOut: string = JSON.stringify({
  type: 'error',
  error: {
    type: 'guardrail_blocked',
    code: 'guardrail_audio',
    message: 'sound is left out, since guards read answers and cannot hear them: ask for text',
  },
})

/**
 * Has the provider stop answering.
 *
 * @param answer Which answer, if there are several under way.
 */
export const cancelEvent = (answer?: string): string =>
  JSON.stringify({ type: 'response.cancel', response_id: answer })
