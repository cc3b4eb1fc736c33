import { BufferBody } from '../../model/exchange/body.ts'
import { Headers } from '../../model/exchange/headers.ts'
import { Reply } from '../../model/exchange/reply.ts'

/** A JSON reply that scripts of every origin may read. */
export const openJson = (status: number, value: unknown): Reply =>
  new Reply(status, openHeaders('application/json'), new BufferBody(JSON.stringify(value)), 'DirectResponse')

/** An OAuth error (RFC 6749 §5.2) that scripts of every origin may read. */
export const openError = (status: number, code: string, error: string, description: string): Reply => {
  const body = new BufferBody(JSON.stringify({ error, error_description: description }))
  return new Reply(status, openHeaders('application/json'), body, reasonOf(status), code, description)
}

/** CORS headers for scripts of every origin. The replies depend on no cookies and contain no secrets. */
export const openHeaders = (contentType?: string): Headers =>
  new Headers([
    ...(contentType === undefined ? [] : ['content-type', contentType]),
    'access-control-allow-origin',
    '*',
    'access-control-allow-methods',
    'GET, POST, OPTIONS',
    'access-control-allow-headers',
    '*',
  ])

const reasonOf = (status: number) => (status >= 500 ? 'UpstreamFailure' : 'InvalidRequest')
