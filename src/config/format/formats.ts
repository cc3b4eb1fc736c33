import {
  authority,
  cidr,
  host,
  hostPort,
  hostnamePattern,
  ip,
  listenAddress,
  originPattern,
  serverAddress,
  serviceName,
  staticTarget,
} from './format/address.ts'
import { baseUrl } from './format/base-url.ts'
import { cipherSuite } from './format/cipher-suite.ts'
import {
  cloudName,
  cloudRegion,
  guardrailId,
  guardrailVersion,
  serviceEndpoint,
} from './format/cloud-names.ts'
import type { Check } from './format/complaint.ts'
import { celFunctions } from './format/custom-functions.ts'
import { duration } from './format/duration.ts'
import {
  cel,
  celBool,
  celConnectionRule,
  celRule,
  celText,
  durationOrCel,
  regex,
} from './format/expression.ts'
import {
  absolutePath,
  headerName,
  headerOrPseudo,
  headerValue,
  matchPath,
  method,
  metricLabel,
  replacementPath,
  settableHeader,
  settableOrPseudo,
  upgradeToken,
} from './format/http-text.ts'
import { httpOrigin } from './format/http-origin.ts'
import { logLevel } from './format/log-level.ts'
import { mcpMethodPattern } from './format/mcp-method-pattern.ts'
import { mcpTargetName } from './format/mcp-target-name.ts'
import { modelPattern } from './format/model-pattern.ts'
import { absoluteUri, requestTarget } from './format/oauth.ts'
import { httpUrl } from './format/url.ts'

/** Checks of texts, by the names that the schema uses. */
export type Formats = Readonly<Record<string, Check>>

/** The formats that the schema names, each with its check. */
export const formats: Formats = {
  absolutePath,
  absoluteUri,
  authority,
  baseUrl,
  cel,
  celBool,
  celConnectionRule,
  celFunctions,
  celRule,
  celText,
  cidr,
  cipherSuite,
  cloudName,
  cloudRegion,
  duration,
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
  ip,
  listenAddress,
  logLevel,
  matchPath,
  mcpMethodPattern,
  mcpTargetName,
  method,
  metricLabel,
  modelPattern,
  originPattern,
  regex,
  replacementPath,
  requestTarget,
  serverAddress,
  serviceEndpoint,
  serviceName,
  settableHeader,
  settableOrPseudo,
  staticTarget,
  upgradeToken,
}
