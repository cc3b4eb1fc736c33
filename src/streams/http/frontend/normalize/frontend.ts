import type {
  AccessLog,
  AttachedFrontend,
  FrontendHttp,
  FrontendPolicies,
  FrontendTls,
  FrontendUdp,
  PayloadLog,
} from '../../../../model/resources/frontend-policies.ts'
import { defaults } from '../../../../config/defaults.ts'
import type * as File from '../../../../config/schema/file-types.gen.ts'
import { normalizeAuthorization } from '../../../../operators/authorization/normalize.ts'
import { regexRule } from '../../../../operators/llm/guardrails/normalize/guardrails.ts'
import { encodedSlashes } from './path-normalization.ts'
import { keepalives } from '../../../../config/../upstream/connect/normalize.ts'
import type { OtelVariables } from '../../../../config/otel-variables.ts'
import { type Context, milliseconds, timerMilliseconds } from '../../../../config/normalize/context.ts'
import { definedFields, given } from '../../../../config/normalize/optional-fields.ts'
import { pairs } from '../../../../operators/headers/normalize.ts'
import {
  normalizeOtlpAccessLog,
  normalizeTracing,
  processTracing,
} from '../../../../operators/otlp/normalize.ts'
import { cipherSuites, keyExchangeGroups, tlsVersion } from '../../tls/normalize.ts'

/** The section `frontendPolicies`, with the settings of logs and traces that older files have in `config`. */
export function frontend(file: File.ConfigFile, context: Context): FrontendPolicies {
  const source = file.frontendPolicies ?? {}
  const { otel } = context
  const { maxExchanges, lag, lagFor } = source.admission ?? {}
  return definedFields<FrontendPolicies>({
    http: http(source.http ?? {}),
    tls: tls(source.tls ?? {}),
    tcp: given(source.tcp, (tcp) => ({ keepalives: keepalives(tcp.keepalives) })),
    udp: given(source.udp, udp),
    proxyProtocol: given(source.proxyProtocol ?? source.proxy, proxyProtocol),
    networkAuthorization: given(source.networkAuthorization, normalizeAuthorization),
    connect: { mode: source.connect?.mode ?? 'deny' },
    accessLog: given(source.accessLog ?? source.logging ?? olderAccessLog(file.config?.logging), (log) =>
      accessLog(log, otel, context),
    ),
    tracing: otel.isDisabled
      ? undefined
      : source.tracing
        ? normalizeTracing(source.tracing, otel, context)
        : processTracing(file.config?.tracing, otel, context),
    metrics: given(source.metrics, ({ add }) => ({ add: pairs(add) })),
    admission: {
      maxExchanges: maxExchanges ?? defaults.admission.maxExchanges,
      lagMs: milliseconds(lag ?? defaults.admission.lag),
      lagForMs: milliseconds(lagFor ?? defaults.admission.lagFor),
    },
  })
}

/** Policies that are attached to a gateway. Telemetry that variables disable stays disabled. */
export function attachedFrontend(source: File.AttachedFrontend, context: Context): AttachedFrontend {
  const { otel } = context
  return definedFields<AttachedFrontend>({
    http: given(source.http, (own) => {
      const { path: _, ...attached } = http(own)
      return attached
    }),
    tls: given(source.tls, tls),
    tcp: given(source.tcp, ({ keepalives: own }) => ({ keepalives: keepalives(own) })),
    udp: given(source.udp, udp),
    proxyProtocol: given(source.proxyProtocol, proxyProtocol),
    networkAuthorization: given(source.networkAuthorization, normalizeAuthorization),
    connect: given(source.connect, ({ mode }) => ({ mode })),
    accessLog: given(source.accessLog, (log) => accessLog(log, otel, context)),
    tracing: given(otel.isDisabled ? undefined : source.tracing, (tracing) =>
      normalizeTracing(tracing, otel, context),
    ),
    metrics: given(source.metrics, ({ add }) => ({ add: pairs(add) })),
  })
}

function proxyProtocol({
  version,
  mode,
}: File.ProxyProtocol): NonNullable<FrontendPolicies['proxyProtocol']> {
  return { version: version ?? 'v2', mode: mode ?? 'strict' }
}

function udp({ idleTimeout, maxSessions }: NonNullable<File.FrontendPolicies['udp']>): FrontendUdp {
  return {
    idleTimeoutMs: milliseconds(idleTimeout ?? defaults.udp.idleTimeout),
    maxSessions: maxSessions ?? defaults.udp.maxSessions,
  }
}

function http(source: File.FrontendHttp): FrontendHttp {
  const { forwarded } = source
  return definedFields<FrontendHttp>({
    maxBufferBytes: source.maxBufferSize ?? defaults.http.maxBufferSize,
    maxHeaders: source.http1MaxHeaders ?? defaults.http.maxHeaders,
    maxHeaderBytes: source.http1MaxHeaderSize ?? defaults.http.maxHeaderSize,
    idleTimeoutMs: timerMilliseconds(source.http1IdleTimeout ?? defaults.http.idleTimeout),
    headersTimeoutMs: timerMilliseconds(source.headersTimeout ?? defaults.http.headersTimeout),
    requestBodyTimeoutMs: timerMilliseconds(source.requestBodyTimeout ?? defaults.http.requestBodyTimeout),
    headerCase: source.http1HeaderCase ?? defaults.http.headerCase,
    http2WindowBytes: source.http2WindowSize,
    http2ConnectionWindowBytes: source.http2ConnectionWindowSize,
    http2FrameBytes: source.http2FrameSize,
    http2MaxHeaderBytes: source.http2MaxHeaderSize,
    http2KeepaliveIntervalMs: given(source.http2KeepaliveInterval, timerMilliseconds),
    http2KeepaliveTimeoutMs: given(source.http2KeepaliveTimeout, timerMilliseconds),
    maxConnectionDurationMs: given(source.maxConnectionDuration, timerMilliseconds),
    halfCloseGraceMs: timerMilliseconds(source.halfCloseGrace ?? defaults.http.halfCloseGrace),
    upgrades: (source.upgrades ?? defaults.http.upgrades).map((name) => name.toLowerCase()),
    path: {
      mergeSlashes: source.path?.mergeSlashes ?? defaults.http.mergeSlashes,
      encodedSlashes: encodedSlashes(source.path?.encodedSlashes ?? defaults.http.encodedSlashes),
    },
    forwarded: given(forwarded, ({ mode, trustedHops }) => ({
      mode: mode ?? defaults.forwarded.mode,
      trustedHops: trustedHops ?? defaults.forwarded.trustedHops,
    })),
    maxHops: source.maxHops ?? defaults.http.maxHops,
    serverTiming: source.serverTiming ?? defaults.http.serverTiming,
  })
}

function tls(source: File.FrontendTls): FrontendTls {
  return definedFields<FrontendTls>({
    handshakeTimeoutMs: timerMilliseconds(source.handshakeTimeout ?? defaults.tls.handshakeTimeout),
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

function accessLog(
  { file, filter, add, remove, sampling, keepErrors, payloads, otlp }: File.AccessLog,
  otel: OtelVariables,
  context: Context,
): AccessLog {
  return definedFields<AccessLog>({
    file,
    filter,
    add: pairs(add),
    remove: remove ?? [],
    sampling: given(sampling, (share) => ({
      share: typeof share === 'boolean' ? Number(share) : share,
      keepErrors: keepErrors ?? true,
    })),
    payloads: given(payloads, payloadLog),
    otlp: otlp && otel.isDisabled !== true ? normalizeOtlpAccessLog(otlp, otel, context) : undefined,
  })
}

function payloadLog({ file, filter, mask, ...source }: File.PayloadLog): PayloadLog {
  return definedFields<PayloadLog>({
    ...defaults.payloads,
    ...source,
    file,
    filter,
    mask: (mask ?? []).map(regexRule),
  })
}
