import { jsonObjectIn } from '../../json/json-object.ts'
import { isClaude } from '../converse/reasoning.ts'
import type { Members } from '../members/members.ts'

/**
 * The betas that Claude supports on Bedrock. They differ by model and AWS adds to them: its guide to the Messages API
 * has the current ones. Others can be configured.
 */
export const knownBetas: readonly string[] = [
  'computer-use-2024-10-22',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'dev-full-thinking-2025-05-14',
  'effort-2025-11-24',
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'output-128k-2025-02-19',
  'token-efficient-tools-2025-02-19',
  'tool-examples-2025-10-29',
  'tool-search-tool-2025-10-19',
]

/**
 * Moves the betas of an Anthropic client's header to the model fields of a Converse request. Bedrock refuses requests
 * with unknown betas, so only allowed ones are sent.
 *
 * @param requested The header, with commas between the betas.
 * @returns Whether all of them were sent.
 */
export const sendBetas = (
  body: Members,
  model: string,
  requested: string,
  allowed: readonly string[],
): boolean => {
  const betas = [...new Set(requested.split(',').map((beta) => beta.trim()))].filter((beta) => beta !== '')
  const known = isClaude(model) ? betas.filter((beta) => allowed.includes(beta)) : []
  if (known.length) {
    const fields = jsonObjectIn(body.get(FIELDS))
    body.set(FIELDS, { ...fields, anthropic_beta: known })
  }
  return known.length === betas.length
}

const FIELDS = 'additionalModelRequestFields'
