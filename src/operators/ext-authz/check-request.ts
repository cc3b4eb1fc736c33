import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { isPlainObject, toPlain } from '../../cel/values/values.ts'
import type { ClientCertificate } from '../../model/exchange/connection.ts'
import type { Evaluate } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { CheckRequestSchema } from '../../protocols/grpc/ext-authz.gen.ts'
import { fieldText } from '../headers/header-value.ts'
import { PARTIAL_BODY, type RequestBodyPart } from './check-result.ts'

/** What a check request contains. */
export interface CheckRequestOptions {
  /** Names of the fields to send, lower-case; empty sends all. */
  readonly includeRequestHeaders: readonly string[]
  readonly context: readonly (readonly [key: string, value: string])[]
  /** Undefined sends the claims of a verified token. */
  readonly metadata: readonly (readonly [namespace: string, value: Evaluate])[] | undefined
  /** Sends bodies as bytes, not as text. */
  readonly packAsBytes: boolean
}

/** Builds the check request for Envoy's `Authorization` service. */
export const checkRequest = (
  x: Exchange,
  body: RequestBodyPart | undefined,
  options: CheckRequestOptions,
): MessageInitShape<typeof CheckRequestSchema> => {
  const { request } = x
  const { connection } = request
  const { sourceAddress, sourcePort, destinationAddress, destinationPort, tls } = connection
  return {
    attributes: {
      source: { address: addressOf(sourceAddress, sourcePort), ...identityOf(tls?.client) },
      destination: { address: addressOf(destinationAddress, destinationPort) },
      request: {
        time: timestampFromMs(Math.trunc(request.startTimeMs)),
        http: {
          id: request.headers.get('x-request-id') ?? String(request.id),
          method: request.method,
          headers: fieldsOf(x, body, options.includeRequestHeaders),
          path: request.target,
          host: request.authority,
          scheme: request.scheme,
          size: BigInt(request.body.lengthBytes ?? -1),
          protocol: `HTTP/${request.httpVersion}`,
          ...(body && (options.packAsBytes ? { rawBody: body.bytes } : { body: body.bytes.toString() })),
        },
      },
      contextExtensions: Object.fromEntries(options.context),
      metadataContext: { filterMetadata: metadataOf(x, options.metadata) },
      ...(tls?.serverName === undefined ? {} : { tlsSession: { sni: tls.serverName } }),
    },
  }
}

const addressOf = (address: string, portValue: number) => ({
  address: {
    case: 'socketAddress' as const,
    value: { address, portSpecifier: { case: 'portValue' as const, value: portValue } },
  },
})

const identityOf = (client: ClientCertificate | undefined) =>
  client && {
    principal: client.spiffeId ?? client.subjectAltNames[0] ?? client.subject,
    certificate: encodeURIComponent(client.pem),
  }

/** Repeated fields are joined. Framing fields are included only if all fields are sent. */
const fieldsOf = (
  { request }: Exchange,
  body: RequestBodyPart | undefined,
  included: readonly string[],
): Record<string, string> => {
  const { headers, method, target, authority, scheme } = request
  const names = included.length ? included : headers.raw.filter((_, i) => i % 2 === 0)
  const pseudo = new Map([
    [':method', method],
    [':path', target],
    [':authority', authority],
    [':scheme', scheme],
  ])
  const fields = included.length ? new Map<string, string>() : pseudo
  for (const name of names) {
    const value = pseudo.get(name) ?? headers.get(name)
    if (value !== undefined) fields.set(name, fieldText(value))
  }
  fields.delete(PARTIAL_BODY)
  if (body) fields.set(PARTIAL_BODY, String(body.isPartial))
  return Object.fromEntries(fields)
}

const metadataOf = (x: Exchange, metadata: CheckRequestOptions['metadata']): Record<string, JsonObject> => {
  if (!metadata) {
    const { jwt } = x.identity
    return jwt ? { 'envoy.filters.http.jwt_authn': { jwt_payload: toPlain(jwt) as JsonObject } } : {}
  }
  return Object.fromEntries(
    metadata.flatMap(([namespace, expression]) => {
      const result = expression(x)
      const plain = 'value' in result ? toPlain(result.value) : undefined
      return typeof plain === 'object' && plain !== null && isPlainObject(plain)
        ? [[namespace, plain as JsonObject]]
        : []
    }),
  )
}
