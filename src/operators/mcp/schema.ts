import { policyFields } from '../../config/schema/policies.ts'
import { revisions } from '../../protocols/mcp/revisions.ts'
import { defaults } from '../../config/defaults.ts'
import {
  duration,
  either,
  exactlyOne,
  flag,
  formatted,
  listOf,
  mapOf,
  oneOrMany,
  ours,
  type Properties,
  record,
  ref,
  type SchemaNode,
  text,
  whole,
  words,
} from '../../config/schema/builders.ts'

/** Where a server is. The checks know which of these go together. */
const place = (path: string): Properties => ({
  host: text(
    'Its address, such as `https://mcp.example.com/mcp`; or its host name, together with `port` and `path`.',
    { minLength: 1 },
  ),
  port: whole('Its port, together with `host` and `path`.', 1, 65535),
  path: formatted('requestTarget', path),
  backend: text('A backend in the section `backends`, by name, together with `path`.', { minLength: 1 }),
})

const onePlace: SchemaNode = exactlyOne('host', 'backend')

const stdio = record(
  'A server that runs as a child process.',
  {
    cmd: text('The command.', { minLength: 1 }),
    args: listOf(text('An argument.'), 'Its arguments.'),
    env: mapOf(text('The value.'), 'Environment variables to set.'),
    clear_env: flag('Whether it starts without the environment of the gateway.', false),
  },
  { required: ['cmd'] },
)

const openapi = record(
  'An HTTP interface, described by an OpenAPI document: each operation is a tool.',
  {
    ...place('What stands before the paths of the document. Default: the path of its server.'),
    schema: either(
      'The document, as JSON or YAML.',
      text('The document itself.', { minLength: 1 }),
      record(
        'Where it is.',
        {
          file: text('In a file. It is read again when it changes.', { minLength: 1 }),
          url: formatted('httpUrl', 'At an address. It is fetched when it is first needed.'),
          inline: ours({
            type: ['string', 'object'],
            description: 'The document itself, as text or as it is.',
          }),
        },
        exactlyOne('file', 'url', 'inline'),
      ),
    ),
  },
  { required: ['schema'], ...onePlace },
)

const target = record(
  'An MCP server.',
  {
    name: formatted(
      'mcpTargetName',
      'Its name, which stands before the names of its tools: lower-case letters, digits, `-` and `.`.',
    ),
    policies: ref('McpTargetPolicies'),
    legacy: ours(
      words(
        'What clients of 2026-07-28 get if the server needs sessions, which they do not have: each caller sessions of its own (`sessionPerCaller`); those that no policy identified one session together (`shared`); or nothing, so that clients that know both ways begin a session (`off`).',
        ['sessionPerCaller', 'shared', 'off'],
        defaults.mcp.legacy,
      ),
    ),
    minIdle: ours(
      whole(
        'With `stdio`, how many unused processes are kept ready for clients of 2026-07-28 that no policy identified, after the first of them came.',
        0,
        16,
        defaults.mcp.minIdle,
      ),
    ),
    mcp: record(
      'A server that speaks streamable HTTP.',
      place(`Its path. Default: that of \`host\`, or \`${defaults.mcp.path}\`.`),
      onePlace,
    ),
    sse: record(
      'A server that speaks the older transport with server-sent events.',
      place(`Its path. Default: that of \`host\`, or \`${defaults.mcp.ssePath}\`.`),
      onePlace,
    ),
    stdio,
    openapi,
  },
  { required: ['name'], ...exactlyOne('mcp', 'sse', 'stdio', 'openapi') },
)

const targetPolicies = record('How a server is called.', policyFields('target'))

const backend: Properties = {
  targets: listOf(ref('McpTarget'), 'The servers behind it.'),
  statefulMode: words(
    'Whether clients have sessions, each with sessions of its own at the servers; or every request stands alone.',
    ['stateful', 'stateless'],
    defaults.mcp.statefulMode,
  ),
  protocolVersions: ours(
    listOf(
      words('A revision of the protocol.', [...revisions]),
      'The revisions that clients may have, each by its date. Default: all. Servers are spoken to in whatever they know.',
      { minItems: 1 },
    ),
  ),
  prefixMode: words(
    'When names of tools and prompts get the name of their server as prefix: if there are several servers, always, or never.',
    ['conditional', 'always', 'never'],
    defaults.mcp.prefixMode,
  ),
  maxNameLength: ours(
    whole(
      'How long names of tools and prompts may be with their prefix; longer ones are shortened. Clients that put something of their own in front need them shorter than 64.',
      24,
      128,
      defaults.mcp.maxNameLength,
    ),
  ),
  failureMode: words(
    'What one failing server does: fail the request (`failClosed`), or be left out (`failOpen`).',
    ['failClosed', 'failOpen'],
    defaults.mcp.failureMode,
  ),
  partialAfter: ours(
    duration(
      'How long lists and handshakes wait for each server before they do without it. Without it they wait as long as the client does.',
    ),
  ),
  hangUpAfter: ours(
    duration(
      'How long a connection is held for an answer, where the client can come back for the rest: in sessions of 2025-11-25. Choose less than what is in between allows. Without it a connection is held as long as the answer takes.',
    ),
  ),
  dnsRebindingProtection: flag(
    'Whether `Host` and `Origin` must be `localhost`, `127.0.0.1` or `[::1]`. Default: if the gateway listens on a loopback address.',
  ),
}

/** Definitions about MCP. */
export const mcpDefinitions: Properties = {
  McpTarget: target,
  McpTargetPolicies: targetPolicies,
  McpBackend: record('MCP servers behind one address.', backend, { required: ['targets'] }),
  McpSection: record(
    'MCP servers as a section of their own: a route named `mcp` in the namespace `internal`. On gateways it answers under `/mcp`, `/sse` and `/.well-known`, on a port of its own under every path.',
    {
      ...backend,
      gateways: oneOrMany(
        text('A gateway.', { minLength: 1 }),
        `The gateways, or \`gateway/listener\`, it belongs to. Default: the gateway named \`default\`; if there is none, port ${String(defaults.mcp.port)}.`,
      ),
      port: {
        ...whole('A port of its own. Give it a gateway, and name that in `gateways`.', 0, 65535),
        deprecated: true,
      },
      policies: ref('RoutePolicies'),
    },
    { required: ['targets'] },
  ),
}
