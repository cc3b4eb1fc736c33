/** Whether a model keeps the prompt in its cache up to `prompt_cache_breakpoint`; others answer 400 to it. */
export const supportsCacheBreakpoints = (model: string): boolean => isAtLeast(model, 5, 6)

/**
 * Whether a model has the rule of GPT-5.4 and later that Chat Completions takes tools only with a `reasoning_effort` of
 * `none`: those think beside tools in Responses alone.
 */
export const refusesEffortWithTools = (model: string): boolean => isAtLeast(model, 5, 4)

const isAtLeast = (model: string, major: number, minor: number): boolean => {
  const version = /^(?:openai\/)?gpt-(\d{1,3})(?:\.(\d{1,3}))?(?![\w.])/.exec(model.toLowerCase())
  if (!version) return false
  const [own, ownMinor] = [Number(version[1]), Number(version[2] ?? 0)]
  return own > major || (own === major && ownMinor >= minor)
}
