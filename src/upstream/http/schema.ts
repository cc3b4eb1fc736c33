import { duration, type Properties, record } from '../../config/schema/builders.ts'
import { httpVersionNames } from '../../config/format/http-version.ts'

const http = record('HTTP settings of requests to the backend.', {
  version: {
    description: 'HTTP version. Default: negotiated with TLS, HTTP/2 for gRPC, otherwise HTTP/1.1.',
    enum: httpVersionNames,
  },
  requestTimeout: duration('Timeout of one call. After it: 504 `upstream call timeout`. Default: none.'),
})

/** Definitions of `http`. */
export const upstreamHttpDefinitions: Properties = { UpstreamHttp: http }
