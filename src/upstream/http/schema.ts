import { duration, type Properties, record } from '../../config/schema/builders.ts'
import { httpVersionNames } from '../../config/format/http-version.ts'

const http = record('How HTTP is spoken with the backend.', {
  version: {
    description: 'The HTTP version. Default: what TLS negotiates, HTTP/2 for gRPC, otherwise HTTP/1.1.',
    enum: httpVersionNames,
  },
  requestTimeout: duration('For one call: 504 `upstream call timeout` after it.'),
})

/** Definitions about `http`. */
export const upstreamHttpDefinitions: Properties = { UpstreamHttp: http }
