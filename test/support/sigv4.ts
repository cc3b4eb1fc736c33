import { createHash, createHmac } from 'node:crypto'

/** A request as received, with its signature among the headers. */
export interface SignedRequest {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string | Buffer
}

/** The parts of a signature, and whether it is valid. */
export interface CheckedSignature {
  readonly isRight: boolean
  readonly isOfBody: boolean
  readonly accessKeyId: string
  readonly scope: string
  readonly signedHeaders: readonly string[]
}

/** Verifies a signature as AWS does, by the published description of Signature Version 4 and without our code. */
export const checkSignature = (request: SignedRequest, secretAccessKey: string): CheckedSignature => {
  const { method, target, headers, body } = request
  const authorization = String(headers.authorization)
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/[^/]+\/[^/]+\/aws4_request), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      authorization,
    )
  if (!found) throw new Error(`no signature: ${authorization}`)
  const [, accessKeyId = '', scope = '', list = '', signature = ''] = found
  const [day = '', region = '', service = ''] = scope.split('/')
  const signedHeaders = list.split(';')
  const [path = '', query = ''] = target.split(/\?(.*)/s)
  const bodyHash = sha256(body)
  const stated = headers['x-amz-content-sha256']
  const canonical = [
    method,
    service === 's3' ? path : path.split('/').map(encode).join('/'),
    canonicalQuery(query),
    ...signedHeaders.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    list,
    typeof stated === 'string' ? stated : bodyHash,
  ].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', String(headers['x-amz-date']), scope, sha256(canonical)].join('\n')
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`)
  return {
    isRight: hmac(key, toSign).toString('hex') === signature,
    isOfBody: stated === undefined || stated === bodyHash,
    accessKeyId,
    scope: scope.slice(scope.indexOf('/') + 1),
    signedHeaders,
  }
}

const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

const canonicalQuery = (query: string): string =>
  query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', value = ''] = part.split(/=(.*)/s)
      return [encode(decodeURIComponent(name)), encode(decodeURIComponent(value))] as const
    })
    .sort(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
