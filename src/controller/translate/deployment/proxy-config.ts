import { stringify } from 'yaml'
import { isJsonObject } from '../../../protocols/json/json-object.ts'
import type { MergedParameters } from '../parameters/merge-parameters.ts'
import type { JsonMap } from '../strategic-merge/directives.ts'
import { modelCatalogs } from './model-catalogs.ts'
import { spiffeSocket } from './spiffe-socket.ts'

/** The configuration file of proxies: what parameters have fields for, over `rawConfig`. */
export const proxyConfig = (parameters: MergedParameters): string =>
  stringify(merged(parameters.rawConfig ?? {}, { config: generated(parameters) }), {
    lineWidth: 0,
    aliasDuplicateObjects: false,
  })

const generated = (parameters: MergedParameters): JsonMap => {
  const { level, format } = parameters.logging ?? {}
  const files = modelCatalogs(parameters).flatMap(({ mountPath, items }) =>
    items.map(({ path }) => ({ file: `${mountPath}/${path}` })),
  )
  const socket = spiffeSocket(parameters)
  return {
    ...((level !== undefined || format !== undefined) && {
      logging: { ...(level !== undefined && { level }), ...(format !== undefined && { format }) },
    }),
    ...(files.length > 0 && { modelCatalog: files }),
    ...(socket && { spiffe: { endpoint: socket.endpoint } }),
  }
}

/** Objects are merged, everything else is replaced. */
const merged = (base: JsonMap, more: JsonMap): JsonMap =>
  Object.fromEntries([
    ...Object.entries(base),
    ...Object.entries(more).map(([name, value]): readonly [string, unknown] => {
      const below = Object.hasOwn(base, name) ? base[name] : undefined
      return [name, isJsonObject(below) && isJsonObject(value) ? merged(below, value) : value]
    }),
  ])
