import type { Request } from '../../model/exchange/request.ts'
import type { UpstreamRequest } from '../call.ts'

/**
 * A request as it goes upstream: with the authority of a backend that has a name of its own, with a Content-Length that
 * fits the body, and with this gateway in CDN-Loop, whatever policies have changed. Headers are copied only if something
 * about them changes.
 *
 * @param authority Of the backend; undefined leaves the client's, as does a policy that has set it.
 */
export const outgoing = (request: Request, authority: string | undefined): UpstreamRequest => {
  const host = request.authorityFixed || authority === undefined ? request.authority : authority
  const { raw, spelling } = request.headers
  const { lengthBytes } = request.body
  const { cdnLoop } = request
  let fits = !spelling
  let named = false
  let isLoopFree = true
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]
    if (name === 'host') {
      named = true
      if (raw[i + 1] !== host) fits = false
    } else if (name === 'content-length' && raw[i + 1] !== String(lengthBytes)) fits = false
    else if (name === 'cdn-loop') isLoopFree = false
  }
  const kept = fits && named && (isLoopFree || cdnLoop === undefined) ? raw : rewritten(request, host, named)
  const headers = cdnLoop === undefined ? kept : [...kept, 'cdn-loop', cdnLoop]
  return { method: request.method, target: request.target, headers, body: request.body }
}

const rewritten = ({ headers, body, cdnLoop }: Request, host: string, named: boolean): string[] => {
  const { raw } = headers
  const spelled = headers.spelled()
  const fields = named ? [] : ['host', host]
  for (let i = 0; i < raw.length; i += 2) {
    const name = spelled[i] as string
    if (raw[i] === 'host') fields.push(name, host)
    else if (raw[i] === 'content-length') {
      if (body.lengthBytes !== undefined) fields.push(name, String(body.lengthBytes))
    } else if (raw[i] !== 'cdn-loop' || cdnLoop === undefined) fields.push(name, raw[i + 1] as string)
  }
  return fields
}
