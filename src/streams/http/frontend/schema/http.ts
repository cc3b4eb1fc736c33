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
  'What happens to X-Forwarded-For, -Proto, -Host and Forwarded. Without it they pass as the client sent them, and nothing relies on them.',
  {
    mode: words(
      'Whether own values are added to what came, or put in its place.',
      ['append', 'overwrite'],
      defaults.forwarded.mode,
    ),
    trustedHops: whole(
      'How many proxies in front of this one are yours: their entries are believed.',
      0,
      64,
      defaults.forwarded.trustedHops,
    ),
  },
)

const path = record('How paths are read before they are matched. What is matched is what is forwarded.', {
  mergeSlashes: flag('Whether repeated slashes become one.', defaults.http.mergeSlashes),
  encodedSlashes: words(
    'Whether `%2F`, `%5C` and `\\` in a path are refused with 400 (`reject` means the same), or kept as escapes that separate nothing. Routes may say otherwise.',
    ['refuse', 'keep', 'reject'],
    defaults.http.encodedSlashes,
  ),
})

const { http: httpDefaults } = defaults
const http = record('How HTTP is spoken with clients.', {
  maxBufferSize: whole(
    'Longest body, in bytes, that is held in memory where a policy needs it whole.',
    0,
    1 << 30,
    httpDefaults.maxBufferSize,
  ),
  http1MaxHeaders: whole('Most headers of a request.', 1, 10_000, httpDefaults.maxHeaders),
  http1MaxHeaderSize: ours(
    whole('Largest head of an HTTP/1 request, in bytes.', 1024, 1 << 24, httpDefaults.maxHeaderSize),
  ),
  http1IdleTimeout: duration(
    'How long a connection may wait for its next request.',
    httpDefaults.idleTimeout,
  ),
  http1HeaderCase: words('How header names are written.', ['lowercase', 'preserve'], httpDefaults.headerCase),
  http2WindowSize: whole('Flow control window of a stream, in bytes.', 1, 2 ** 31 - 1),
  http2ConnectionWindowSize: whole('Flow control window of a connection, in bytes.', 65_535, 2 ** 31 - 1),
  http2FrameSize: whole('Largest frame, in bytes.', 16_384, 16_777_215),
  http2MaxHeaderSize: whole('Largest head of a request, in bytes.', 1024, 1 << 24),
  http2KeepaliveInterval: duration('Time between pings.'),
  http2KeepaliveTimeout: duration('How long a ping may stay unanswered.'),
  maxConnectionDuration: duration(
    'How old a connection may become. It ends after the request it is busy with; a raw one, or one that has become a tunnel, is cut.',
  ),
  headersTimeout: ours(
    duration('How long the head of a request may take. `0` is no limit.', httpDefaults.headersTimeout),
  ),
  requestBodyTimeout: ours(
    duration('How long the body of a request may take. `0` is no limit.', httpDefaults.requestBodyTimeout),
  ),
  halfCloseGrace: ours(
    duration(
      'How long an HTTP/1.1 client that closed its sending side is served without a byte written. On HTTP/2 such a client has left.',
      httpDefaults.halfCloseGrace,
    ),
  ),
  upgrades: ours(
    listOf(formatted('upgradeToken', 'A protocol.'), 'Protocols that `Upgrade` may ask for.', {
      default: httpDefaults.upgrades,
    }),
  ),
  path: ours(ref('PathReading')),
  forwarded: ours(ref('Forwarded')),
  serverTiming: ours(
    flag(
      'Whether answers say in `server-timing` how long they took: `gateway` is the time of the gateway itself, `upstream` that of the upstream.',
      httpDefaults.serverTiming,
    ),
  ),
})

/** Schema definitions of HTTP towards clients. */
export const frontendHttpDefinitions: Properties = {
  Forwarded: forwarded,
  PathReading: path,
  FrontendHttp: http,
}
