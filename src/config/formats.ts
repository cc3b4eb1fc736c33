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
import { cel, celBool, celText, durationOrCel, regex } from './format/expression.ts'
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
export const formats: Formats = {
  absolutePath,
  authority,
  cel,
  celBool,
  celText,
  cidr,
  cipherSuite,
  duration,
  durationOrCel,
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
