/** Whether a model supports `prompt_cache_breakpoint`; others reply 400 to it. */
export const supportsCacheBreakpoints = (model: string): boolean => isAtLeast(model, 5, 6)

/**
 * Whether a model is GPT-5.4 or later, which accepts tools in Chat Completions only with a `reasoning_effort` of
 * `none`; reasoning with tools requires Responses.
 */
export const refusesEffortWithTools = (model: string): boolean => isAtLeast(model, 5, 4)

const isAtLeast = (model: string, major: number, minor: number): boolean => {
  const version = /^(?:openai\/)?gpt-(\d{1,3})(?:\.(\d{1,3}))?(?![\w.])/.exec(model.toLowerCase())
  if (!version) return false
  const [own, ownMinor] = [Number(version[1]), Number(version[2] ?? 0)]
  return own > major || (own === major && ownMinor >= minor)
}
