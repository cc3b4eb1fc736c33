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
import { cipherSuite } from './format/cipher-suite.ts'
import type { Check } from './format/complaint.ts'
import { duration } from './format/duration.ts'
import { celCheck, durationOrCelCheck, regex } from './format/expression.ts'
import type { CheckCel } from './format/expression.ts'
import {
  absolutePath,
  headerName,
  headerOrPseudo,
  headerValue,
  hex32,
  method,
  metricLabel,
  replacementPath,
  upgradeToken,
} from './format/http-text.ts'

export type Formats = Readonly<Record<string, Check>>

/** The formats that the schema names, each with its check. */
export function formatsWith(checkCel: CheckCel): Formats {
  return {
    absolutePath,
    authority,
    cel: celCheck(checkCel),
    cidr,
    cipherSuite,
    duration,
    durationOrCel: durationOrCelCheck(checkCel),
    headerName,
    headerOrPseudo,
    headerValue,
    hex32,
    host,
    hostPort,
    hostnamePattern,
    ip,
    listenAddress,
    method,
    metricLabel,
    originPattern,
    regex,
    replacementPath,
    serverAddress,
    serviceName,
    staticTarget,
    upgradeToken,
  }
}
