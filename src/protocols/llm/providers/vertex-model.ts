/** The name of an Anthropic model in Vertex's paths; undefined for other models. */
export const vertexClaude = (model: string): string | undefined => {
  const name = withoutPublisher(model, 'anthropic')
  if (name === undefined && !model.startsWith('claude-')) return undefined
  return withDate(name ?? model)
}

/** The name of a Google model in Vertex's paths. */
export const vertexGoogleModel = (model: string): string =>
  withoutPublisher(model, 'google') ?? (model.startsWith('models/') ? model.slice('models/'.length) : model)

/** Whether a model has Gemini's own format: embedding models have similar names, but another format. */
export const isVertexGemini = (model: string): boolean => {
  const name = vertexGoogleModel(model)
  return (name.startsWith('gemini-') || name.startsWith('gemini@')) && !name.startsWith('gemini-embedding')
}

/** The name after `publishers/P/models/` or `P/`. */
const withoutPublisher = (model: string, publisher: string): string | undefined => {
  const long = `publishers/${publisher}/models/`
  const at = model.indexOf(long)
  if (at >= 0) return model.slice(at + long.length)
  return model.startsWith(`${publisher}/`) ? model.slice(publisher.length + 1) : undefined
}

/** Anthropic writes versions as `-20241022`, Vertex as `@20241022`. */
const withDate = (name: string): string => name.replace(/-(\d{8})$/, '@$1')
