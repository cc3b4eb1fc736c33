import type { GuardRejection, TextScope } from '../../model/llm-guards.ts'

/**
 * What a client gets when a guard rejects, for guards made in code.
 *
 * @example
 * rejectWith('{"error":"not here"}', 400)
 */
export const rejectWith = (
  body = 'The request was rejected due to inappropriate content',
  status = 403,
): GuardRejection => ({ status, body, headers: { add: [], set: [], remove: [] } })

/** All texts of a conversation, for guards that look at everything. */
export const everyScope: ReadonlySet<TextScope> = new Set([
  'systemPrompt',
  'messages',
  'toolOutput',
  'toolInput',
])
