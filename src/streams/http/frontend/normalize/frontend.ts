import type {
  AccessLog,
  FrontendHttp,
  FrontendPolicies,
  FrontendTls,
} from '../../../../model/resources/frontend-policies.ts'
import { defaults } from '../../../../config/defaults.ts'
import type * as File from '../../../../config/schema/file-types.gen.ts'
import { normalizeAuthorization } from '../../../../operators/authorization/normalize.ts'
import { encodedSlashes } from './path-normalization.ts'
import { keepalives } from '../../../../config/../upstream/connect/normalize.ts'
import { milliseconds } from '../../../../config/normalize/context.ts'
import { definedFields, given } from '../../../../config/normalize/optional-fields.ts'
import { pairs } from '../../../../operators/headers/normalize.ts'
import { cipherSuites, keyExchangeGroups, tlsVersion } from '../../tls/normalize.ts'

/** The section `frontendPolicies`, with the access log settings that older files have in `config.logging`. */
export function frontend(file: File.ConfigFile): FrontendPolicies {
  const source = file.frontendPolicies ?? {}
  const { maxExchanges, lag, lagFor } = source.admission ?? {}
  return definedFields<FrontendPolicies>({
    http: http(source.http ?? {}),
    tls: tls(source.tls ?? {}),
    tcp: given(source.tcp, (tcp) => ({ keepalives: keepalives(tcp.keepalives) })),
    proxyProtocol: given(source.proxyProtocol ?? source.proxy, ({ version, mode }) => ({
      version: version ?? 'v2',
      mode: mode ?? 'strict',
    })),
    networkAuthorization: given(source.networkAuthorization, normalizeAuthorization),
    connect: { mode: source.connect?.mode ?? 'deny' },
    accessLog: given(source.accessLog ?? source.logging ?? olderAccessLog(file.config?.logging), accessLog),
    admission: {
      maxExchanges: maxExchanges ?? defaults.admission.maxExchanges,
      lagMs: milliseconds(lag ?? defaults.admission.lag),
      lagForMs: milliseconds(lagFor ?? defaults.admission.lagFor),
    },
  })
}

/** The default limit of buffered bodies. */
export function maxBufferBytes(file: File.ConfigFile): number {
  return file.frontendPolicies?.http?.maxBufferSize ?? defaults.http.maxBufferSize
}

function http(source: File.FrontendHttp): FrontendHttp {
  const { forwarded } = source
  return definedFields<FrontendHttp>({
    maxBufferBytes: source.maxBufferSize ?? defaults.http.maxBufferSize,
    maxHeaders: source.http1MaxHeaders ?? defaults.http.maxHeaders,
    maxHeaderBytes: source.http1MaxHeaderSize ?? defaults.http.maxHeaderSize,
    idleTimeoutMs: milliseconds(source.http1IdleTimeout ?? defaults.http.idleTimeout),
    headersTimeoutMs: milliseconds(source.headersTimeout ?? defaults.http.headersTimeout),
    requestBodyTimeoutMs: milliseconds(source.requestBodyTimeout ?? defaults.http.requestBodyTimeout),
    headerCase: source.http1HeaderCase ?? defaults.http.headerCase,
    http2WindowBytes: source.http2WindowSize,
    http2ConnectionWindowBytes: source.http2ConnectionWindowSize,
    http2FrameBytes: source.http2FrameSize,
    http2MaxHeaderBytes: source.http2MaxHeaderSize,
    http2KeepaliveIntervalMs: given(source.http2KeepaliveInterval, milliseconds),
    http2KeepaliveTimeoutMs: given(source.http2KeepaliveTimeout, milliseconds),
    maxConnectionDurationMs: given(source.maxConnectionDuration, milliseconds),
    halfCloseGraceMs: milliseconds(source.halfCloseGrace ?? defaults.http.halfCloseGrace),
    upgrades: (source.upgrades ?? defaults.http.upgrades).map((name) => name.toLowerCase()),
    path: {
      mergeSlashes: source.path?.mergeSlashes ?? defaults.http.mergeSlashes,
      encodedSlashes: encodedSlashes(source.path?.encodedSlashes ?? defaults.http.encodedSlashes),
    },
    forwarded: given(forwarded, ({ mode, trustedHops }) => ({
      mode: mode ?? defaults.forwarded.mode,
      trustedHops: trustedHops ?? defaults.forwarded.trustedHops,
    })),
    serverTiming: source.serverTiming ?? defaults.http.serverTiming,
  })
}

function tls(source: File.FrontendTls): FrontendTls {
  return definedFields<FrontendTls>({
    handshakeTimeoutMs: milliseconds(source.handshakeTimeout ?? defaults.tls.handshakeTimeout),
    alpn: source.alpn,
    minVersion: given(source.minVersion, tlsVersion),
    maxVersion: given(source.maxVersion, tlsVersion),
    cipherSuites: given(source.cipherSuites, cipherSuites),
    keyExchangeGroups: given(source.keyExchangeGroups, keyExchangeGroups),
  })
}

function olderAccessLog(logging: File.ProcessLogging | undefined): File.AccessLog | undefined {
  if (logging?.filter === undefined && logging?.fields === undefined) return undefined
  return { ...(logging.filter === undefined ? {} : { filter: logging.filter }), ...logging.fields }
}

function accessLog({ filter, add, remove }: File.AccessLog): AccessLog {
  return definedFields<AccessLog>({ filter, add: pairs(add), remove: remove ?? [] })
}
