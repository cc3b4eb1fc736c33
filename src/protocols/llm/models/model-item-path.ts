import { modelInPath } from './model-in-path.ts'
import { decodedPart } from '../path-segment.ts'

/**
 * The model in a path of the list of models: `/v1/models/NAME`, `/v1beta/models/NAME`. Names may contain slashes and
 * escapes. Undefined for other paths, such as those of calls and of operations; empty if the escapes are not UTF-8,
 * which matches no model.
 */
export const modelItemPath = (path: string): string | undefined => {
  const name = itemPath.exec(path)?.[1]
  if (name === undefined || name.includes('/operations/') || modelInPath(path)) return undefined
  return decodedPart(name) ?? ''
}

const itemPath = /^(?:\/v1(?:(?:alpha|beta)\d*)?)?\/models\/(.+)$/
