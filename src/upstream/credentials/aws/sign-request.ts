import { createHash } from 'node:crypto'
import type { Request } from '../../../model/exchange/request.ts'
import type { AwsCredentials } from './aws-credentials.ts'

/** The scope of a signature. */
export interface SigningScope {
  readonly region: string
  readonly service: string
}

/** Stands for the hash of a streamed body; only S3 accepts it. */
const UNSIGNED = 'UNSIGNED-PAYLOAD'

/**
 * Signs a request by AWS Signature Version 4, as it will be sent.
 *
 * Covers the host, the content type and every `x-amz-` field; proxies may change other fields on the way. Signature
 * fields of the client are removed. Plus signs in the query, which servers decode differently, are sent as the blanks
 * they mean in forms.
 *
 * @param authority Value of the request's Host field.
 * @param body The whole body, or undefined if it is sent unsigned.
 */
export const signRequest = async (
  request: Request,
  authority: string,
  body: Uint8Array | undefined,
  credentials: AwsCredentials,
  { region, service }: SigningScope,
): Promise<void> => {
  const { SignatureV4, Sha256 } = await import('./signature-library.ts')
  const { headers } = request
  for (const name of STALE) headers.delete(name)
  headers.set('x-amz-content-sha256', body ? createHash('sha256').update(body).digest('hex') : UNSIGNED)
  request.query = request.query.replaceAll('+', '%20')
  const signer = new SignatureV4({
    credentials,
    region,
    service,
    sha256: Sha256,
    // S3 expects the path as it is, the others with one more encoding.
    uriEscapePath: service !== 's3',
  })
  const signed = await signer.sign({
    method: request.method,
    protocol: 'https:',
    hostname: authority,
    path: request.path,
    query: parametersOf(request.query),
    headers: { host: authority, ...covered(request) },
  })
  for (const name of ['x-amz-date', 'x-amz-security-token', 'authorization']) {
    const value = signed.headers[name]
    if (value !== undefined) headers.set(name, value)
  }
}

/** Fields that belong to a signature. */
const STALE = ['authorization', 'x-amz-date', 'x-amz-security-token', 'x-amz-content-sha256']

const covered = ({ headers }: Request): Record<string, string> => {
  const fields: Record<string, string> = {}
  for (const [name] of headers.entries())
    if (name === 'content-type' || name.startsWith('x-amz-')) fields[name] = headers.all(name).join(',')
  return fields
}

const parametersOf = (query: string): Record<string, string[]> => {
  const parameters: Record<string, string[]> = {}
  for (const part of query.slice(1).split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decoded(equals < 0 ? part : part.slice(0, equals))
    const values = (parameters[name] ??= [])
    values.push(equals < 0 ? '' : decoded(part.slice(equals + 1)))
  }
  return parameters
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
