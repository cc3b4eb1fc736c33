import { defaults } from '../../../../config/defaults.ts'
import {
  duration,
  flag,
  formatted,
  listOf,
  ours,
  type Properties,
  record,
  ref,
  whole,
  words,
} from '../../../../config/schema/builders.ts'

const forwarded = record(
  'Handling of `X-Forwarded-For`, `X-Forwarded-Proto`, `X-Forwarded-Host` and `Forwarded`. By default they are forwarded as received and not trusted.',
  {
    mode: words(
      'Whether the gateway appends its values to received ones or replaces them.',
      ['append', 'overwrite'],
      defaults.forwarded.mode,
    ),
    trustedHops: whole(
      'Number of trusted proxies in front of the gateway. Their entries are used.',
      0,
      64,
      defaults.forwarded.trustedHops,
    ),
  },
)

const path = record('Path normalization before routing. The normalized path is also forwarded.', {
  mergeSlashes: flag('Whether repeated slashes are merged.', defaults.http.mergeSlashes),
  encodedSlashes: words(
    'Handling of `%2F`, `%5C` and `\\` in paths: `refuse` replies 400 (`reject` is an alias), `keep` forwards them escaped, without the meaning of a separator. Routes may override it.',
    ['refuse', 'keep', 'reject'],
    defaults.http.encodedSlashes,
  ),
})

const { http: httpDefaults } = defaults
const http = record('HTTP settings of client connections.', {
  maxBufferSize: whole(
    'Maximum body size, in bytes, that is buffered for policies that need the whole body.',
    0,
    1 << 30,
    httpDefaults.maxBufferSize,
  ),
  http1MaxHeaders: whole('Maximum number of request headers.', 1, 10_000, httpDefaults.maxHeaders),
  http1MaxHeaderSize: ours(
    whole('Maximum size of an HTTP/1 request head, in bytes.', 1024, 1 << 24, httpDefaults.maxHeaderSize),
  ),
  http1IdleTimeout: duration('Idle timeout of a connection between requests.', httpDefaults.idleTimeout),
  http1HeaderCase: words(
    'Spelling of header names: in lower case, or as received.',
    ['lowercase', 'preserve'],
    httpDefaults.headerCase,
  ),
  http2WindowSize: whole('Flow control window of a stream, in bytes.', 1, 2 ** 31 - 1),
  http2ConnectionWindowSize: whole('Flow control window of a connection, in bytes.', 65_535, 2 ** 31 - 1),
  http2FrameSize: whole('Maximum frame size, in bytes.', 16_384, 16_777_215),
  http2MaxHeaderSize: whole('Maximum size of a request head, in bytes.', 1024, 1 << 24),
  http2KeepaliveInterval: duration('Interval of HTTP/2 keepalive pings. Default: no pings.'),
  http2KeepaliveTimeout: duration(
    'Timeout for the response to a ping. After it, the connection is closed. Default: the interval.',
  ),
  maxConnectionDuration: duration(
    'Maximum age of a connection. It is closed after the current request; raw TCP connections and tunnels are closed at once. Default: no limit.',
  ),
  headersTimeout: ours(
    duration('Timeout for receiving a request head. `0` disables it.', httpDefaults.headersTimeout),
  ),
  requestBodyTimeout: ours(
    duration('Timeout for receiving a request body. `0` disables it.', httpDefaults.requestBodyTimeout),
  ),
  halfCloseGrace: ours(
    duration(
      'How long a response without progress continues after an HTTP/1.1 client closed its sending side. HTTP/2 clients that do so count as disconnected.',
      httpDefaults.halfCloseGrace,
    ),
  ),
  upgrades: ours(
    listOf(formatted('upgradeToken', 'Protocol.'), 'Protocols accepted in `Upgrade`.', {
      default: httpDefaults.upgrades,
    }),
  ),
  path: ours(ref('PathReading')),
  forwarded: ours(ref('Forwarded')),
  maxHops: ours(
    whole(
      'Number of agentgateways that a request may pass, this one included; more is a loop, and gets 508. They are counted in the request header `cdn-loop` (RFC 8586), which policies cannot change. Raw connections and datagrams are counted by their addresses. `0` neither counts nor adds the header.',
      0,
      100,
      httpDefaults.maxHops,
    ),
  ),
  serverTiming: ours(
    flag(
      'Whether replies carry a `server-timing` header: `gateway` is the time spent in the gateway, `upstream` that of the upstream.',
      httpDefaults.serverTiming,
    ),
  ),
})

/** Definitions of HTTP towards clients. */
export const frontendHttpDefinitions: Properties = {
  Forwarded: forwarded,
  PathReading: path,
  FrontendHttp: http,
}
