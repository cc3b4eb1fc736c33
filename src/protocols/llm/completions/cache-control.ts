import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import type { CacheMark } from '../chat/cache-mark.ts'
import type { Losses } from '../dropped-fields.ts'

/**
 * The cache breakpoint of a message, a part of one, or a tool: `cache_control`, which many providers of this format
 * have adopted from Anthropic, or OpenAI's own `prompt_cache_breakpoint`. Their TTLs differ, so that of the latter is
 * dropped.
 */
export const cacheMarkIn = (marked: JsonObject, losses: Losses): CacheMark | undefined => {
  const control = jsonObjectIn(marked.cache_control)
  if (control) return typeof control.ttl === 'string' ? { ttl: control.ttl } : {}
  const breakpoint = jsonObjectIn(marked.prompt_cache_breakpoint)
  if (!breakpoint) return undefined
  if (breakpoint.ttl !== undefined) losses.drop('messages.content.prompt_cache_breakpoint.ttl')
  return {}
}

/** The member that sets the breakpoint; empty without one. */
export const cacheControl = (mark: CacheMark | undefined): JsonObject =>
  mark
    ? { cache_control: mark.ttl === undefined ? { type: 'ephemeral' } : { type: 'ephemeral', ttl: mark.ttl } }
    : {}
