import {
  authority,
  cidrFormat,
  host,
  hostnamePattern,
  hostPort,
  ipFormat,
  listenAddress,
  originPatternFormat,
  serverAddressFormat,
  serviceNameFormat,
  staticTargetFormat,
} from './address.ts'
import { baseUrl } from './base-url.ts'
import { celFunctions } from './cel-functions.ts'
import { cipherSuite } from './cipher-suite.ts'
import {
  agentRuntimeArn,
  cloudName,
  cloudRegion,
  guardrailId,
  guardrailVersion,
  serviceEndpoint,
} from './cloud-names.ts'
import { durationFormat } from './duration.ts'
import {
  celFormat,
  celBool,
  celConnectionRule,
  celConnectionText,
  celRule,
  celSampling,
  celText,
  durationOrCel,
  matchRegex,
  regex,
} from './expression.ts'
import type { FormatCheck } from './format-check.ts'
import {
  absolutePath,
  headerName,
  headerOrPseudo,
  headerValue,
  matchPath,
  method,
  metricLabel,
  replacementPath,
  requestField,
  settableHeader,
  settableOrPseudo,
  settableRequestField,
  upgradeToken,
} from './http-fields.ts'
import { logLevel } from './log-level.ts'
import { mcpMethodPattern, mcpTargetName } from './mcp-names.ts'
import { modelPatternFormat } from './model-pattern.ts'
import { internalTarget, requestTarget } from './request-target.ts'
import { serviceHost } from './service-host.ts'
import { otlpEndpointFormat } from './otlp-endpoint.ts'
import { samplingFormat } from './sampling.ts'
import { statusRange } from './status-range.ts'
import { timestampFormat } from './timestamp.ts'
import { absoluteUri, httpOrigin, httpUrl } from './url.ts'

/** Checks by the format names of the schema. */
export type Formats = Readonly<Record<string, FormatCheck>>

/** The formats that the schema names, each with its check. */
export const formats: Formats = {
  absolutePath,
  absoluteUri,
  agentRuntimeArn,
  authority,
  baseUrl,
  cel: celFormat,
  celBool,
  celConnectionRule,
  celConnectionText,
  celFunctions,
  celRule,
  celSampling,
  celText,
  cidr: cidrFormat,
  cipherSuite,
  cloudName,
  cloudRegion,
  duration: durationFormat,
  durationOrCel,
  guardrailId,
  guardrailVersion,
  headerName,
  headerOrPseudo,
  headerValue,
  host,
  hostPort,
  hostnamePattern,
  httpOrigin,
  httpUrl,
  internalTarget,
  ip: ipFormat,
  listenAddress,
  logLevel,
  matchPath,
  matchRegex,
  mcpMethodPattern,
  mcpTargetName,
  method,
  metricLabel,
  modelPattern: modelPatternFormat,
  originPattern: originPatternFormat,
  otlpEndpoint: otlpEndpointFormat,
  regex,
  replacementPath,
  requestField,
  requestTarget,
  sampling: samplingFormat,
  serverAddress: serverAddressFormat,
  serviceEndpoint,
  serviceHost,
  serviceName: serviceNameFormat,
  settableHeader,
  settableOrPseudo,
  settableRequestField,
  staticTarget: staticTargetFormat,
  statusRange,
  timestamp: timestampFormat,
  upgradeToken,
}
