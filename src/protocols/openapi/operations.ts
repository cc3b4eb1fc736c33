import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'
import { Inconvertible } from './inconvertible.ts'
import { own } from './plain-value.ts'
import type { References } from './references.ts'

/** An operation where it stands in its document. */
export interface Operation {
  /** In capitals. */
  readonly method: string
  readonly path: string
  readonly source: JsonObject
  /** What it shares with other operations of its path. */
  readonly pathItem: JsonObject
}

/** TRACE is missing: it shows what policies have put into a request. */
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'query']

/** Walks through the operations of a document in its order. `trouble` hears of paths that cannot be read. */
export function* operationsOf(
  document: JsonObject,
  references: References,
  trouble: (place: string, reason: string) => void,
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
      if (!(error instanceof Inconvertible)) throw error
      trouble(path, error.message)
    }
  }
}

/** Fields beside the reference of a path item go before what it refers to. */
const itemOf = (entry: unknown, references: References): JsonObject => {
  const target = references.follow(entry)
  if (!isJsonObject(target)) throw new Inconvertible('has no operations')
  return target === entry || !isJsonObject(entry) ? target : { ...target, ...entry }
}
