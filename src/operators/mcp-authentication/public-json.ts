import { BufferBody } from '../../../model/body.ts'
import { Headers } from '../../../model/headers.ts'
import { Reply } from '../../../model/reply.ts'

/** A JSON answer that scripts of every site may read. */
export const openJson = (status: number, value: unknown): Reply =>
  new Reply(status, openHeaders('application/json'), new BufferBody(JSON.stringify(value)), 'DirectResponse')

/** An error of OAuth (RFC 6749 §5.2), which they may read too. */
export const openError = (status: number, code: string, error: string, description: string): Reply => {
  const body = new BufferBody(JSON.stringify({ error, error_description: description }))
  return new Reply(status, openHeaders('application/json'), body, reasonOf(status), code, description)
}

/** Fields that let scripts of every site read an answer. Nothing here depends on cookies, and nothing is a secret. */
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
