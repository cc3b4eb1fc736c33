/** Error types of the other formats by name of `google.rpc.Code`. */
export const googleErrorTypes: ReadonlyMap<string, string> = new Map([
  ['INVALID_ARGUMENT', 'invalid_request_error'],
  ['FAILED_PRECONDITION', 'invalid_request_error'],
  ['NOT_FOUND', 'not_found_error'],
  ['PERMISSION_DENIED', 'authentication_error'],
  ['UNAUTHENTICATED', 'authentication_error'],
  ['RESOURCE_EXHAUSTED', 'rate_limit_error'],
])
