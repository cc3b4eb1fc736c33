/** A model of Anthropic as Vertex calls it in paths; undefined for models of others. */
export const vertexClaude = (model: string): string | undefined => {
  const name = withoutPublisher(model, 'anthropic')
  if (name === undefined && !model.startsWith('claude-')) return undefined
  return withDate(name ?? model)
}

/** A model of Google's as Vertex calls it in paths. */
export const vertexGoogleModel = (model: string): string =>
  withoutPublisher(model, 'google') ?? (model.startsWith('models/') ? model.slice('models/'.length) : model)

/** Whether it speaks Gemini's own format: embedding models are called alike, and do not. */
export const isVertexGemini = (model: string): boolean => {
  const name = vertexGoogleModel(model)
  return (name.startsWith('gemini-') || name.startsWith('gemini@')) && !name.startsWith('gemini-embedding')
}

/** The name behind `publishers/P/models/` or `P/`. */
const withoutPublisher = (model: string, publisher: string): string | undefined => {
  const long = `publishers/${publisher}/models/`
  const at = model.indexOf(long)
  if (at >= 0) return model.slice(at + long.length)
  return model.startsWith(`${publisher}/`) ? model.slice(publisher.length + 1) : undefined
}

/** Anthropic writes versions as `-20241022`, Vertex as `@20241022`. */
const withDate = (name: string): string => name.replace(/-(\d{8})$/, '@$1')
