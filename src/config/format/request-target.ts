import type { Check } from './complaint.ts'

/** A URI that names something by itself, as the kinds of tokens have it. */
export const absoluteUri: Check = (text) =>
  URL.canParse(text) && !text.includes('#')
    ? undefined
    : { expectation: 'must be a URI without "#", such as urn:ietf:params:oauth:token-type:access_token' }

/** A path with a query or without, as it is sent. */
export const requestTarget: Check = (text) => {
  if (!text.startsWith('/')) return { expectation: 'must start with "/"', hint: `did you mean "/${text}"?` }
  return /^[!-~]+$/.test(text) && !text.includes('#')
    ? undefined
    : { expectation: 'must be a path of visible ASCII characters without "#"' }
}
