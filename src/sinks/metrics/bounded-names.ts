/** Caches that report evictions. Their counters start at 0, so that the first event is an increase. */
export const boundedCaches = [
  'tokens',
  'decisions',
  'backend_tokens',
  'passwords',
  'logins',
  'upstreams',
  'series',
]

/** Queues that report messages they have lost. */
export const boundedQueues = ['mcp_messages']

/** Labels with a limited number of values. */
export const boundedLabels = ['gen_ai_request_model', 'gen_ai_response_model', 'resource', 'field']
