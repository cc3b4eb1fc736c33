import type { JsonObject } from '../json-rpc/message.ts'
import { normalizeTarget } from '../http/path.ts'
import { isJsonObject } from '../json/json-object.ts'
import { ConversionError, quoted } from './conversion-error.ts'
import { own } from './own-property.ts'

/**
 * The path of the only server of a document, without a trailing slash. The address of the server is part of
 * the configuration: a document must not set it.
 */
export const serverPrefix = (document: JsonObject): string => {
  const servers = own(document, 'servers')
  if (!Array.isArray(servers) || servers.length === 0) return ''
  if (servers.length > 1)
    throw new ConversionError(
      `names ${servers.length} servers in \`servers\`; leave the one whose path is meant`,
    )
  const server: unknown = servers[0]
  if (!isJsonObject(server) || typeof server.url !== 'string')
    throw new ConversionError('has a server without `url`')
  const url = withVariables(server.url, own(server, 'variables'))
  const path = pathOf(url)
  const normal = path === '' ? { path, query: '' } : normalizeTarget(path)
  if (typeof normal === 'string' || normal.query !== '' || /[{}]/.test(path))
    throw new ConversionError(`has a server whose URL cannot be used: ${quoted(url)}`)
  return normal.path
}

const withVariables = (url: string, variables: unknown): string =>
  url.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const variable = isJsonObject(variables) ? own(variables, name) : undefined
    return isJsonObject(variable) && typeof variable.default === 'string' ? variable.default : whole
  })

const pathOf = (url: string): string => {
  const path = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*|^\/\/[^/?#]*/i, '').replace(/\/+$/, '')
  return path === '' || path.startsWith('/') ? path : `/${path.replace(/^\.\//, '')}`
}
