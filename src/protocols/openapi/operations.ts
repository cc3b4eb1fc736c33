import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'
import { ConversionError } from './conversion-error.ts'
import { own } from './own-property.ts'
import type { References } from './references.ts'

/** An operation with its location in the document. */
export interface Operation {
  /** In upper case. */
  readonly method: string
  readonly path: string
  readonly source: JsonObject
  /** Members that all operations of its path share. */
  readonly pathItem: JsonObject
}

/** Without TRACE: it would show headers that policies have added to a request. */
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'query']

/** The operations of a document in order. `trouble` is called for invalid paths. */
export function* operationsOf(
  document: JsonObject,
  references: References,
  trouble: (location: string, reason: string) => void,
): Generator<Operation> {
  const paths = own(document, 'paths')
  if (!isJsonObject(paths)) return
  for (const [path, entry] of Object.entries(paths)) {
    if (path.startsWith('x-')) continue
    try {
      const pathItem = itemOf(entry, references)
      for (const [name, source] of Object.entries(pathItem))
        if (methods.includes(name) && isJsonObject(source))
          yield { method: name.toUpperCase(), path, source, pathItem }
        else if (name === 'trace') trouble(`TRACE ${path}`, 'uses a method that is not offered')
      const additional = own(pathItem, 'additionalOperations')
      for (const name of isJsonObject(additional) ? Object.keys(additional) : [])
        trouble(`${name} ${path}`, 'uses a method that is not offered')
    } catch (error) {
      if (!(error instanceof ConversionError)) throw error
      trouble(path, error.message)
    }
  }
}

/** Members beside the reference of a path item override those of its target. */
const itemOf = (entry: unknown, references: References): JsonObject => {
  const target = references.follow(entry)
  if (!isJsonObject(target)) throw new ConversionError('has no operations')
  return target === entry || !isJsonObject(entry) ? target : { ...target, ...entry }
}
