import { modelInPath } from './model-in-path.ts'
import { decodedPart } from '../path-segment.ts'

/**
 * The model that a path asks about, as an entry of the list of models: `/v1/models/NAME`, `/v1beta/models/NAME`. Names may
 * have slashes and escapes in them. Undefined if the path is another one, such as that of a call or of something under way;
 * empty where the escapes are none of UTF-8, which no model is called.
 */
export const modelItemPath = (path: string): string | undefined => {
  const name = itemPath.exec(path)?.[1]
  if (name === undefined || name.includes('/operations/') || modelInPath(path)) return undefined
  return decodedPart(name) ?? ''
}

const itemPath = /^(?:\/v1(?:(?:alpha|beta)\d*)?)?\/models\/(.+)$/
