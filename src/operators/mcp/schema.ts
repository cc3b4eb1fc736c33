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

/** The address of a server. Validation checks the combinations. */
const addressFields = (path: string): Properties => ({
  host: text(
    'URL of the server, such as `https://mcp.example.com/mcp`; or a host name, with `port` and `path`.',
    { minLength: 1 },
  ),
  port: whole('Port, for `host` without a URL.', 1, 65535),
  path: formatted('requestTarget', path),
  backend: text('Backend of the section `backends`; `path` may be set in addition.', { minLength: 1 }),
  service: ours(ref('ServiceReference', 'Service of the section `services`; `path` may be set in addition.')),
})

const oneAddress: SchemaNode = exactlyOne('host', 'backend', 'service')

const stdio = record(
  'An MCP server that runs as a child process.',
  {
    cmd: text('Command.', { minLength: 1 }),
    args: listOf(text('Argument.'), 'Arguments.'),
    env: mapOf(text('Value.'), 'Environment variables to set.'),
    clear_env: flag('Whether the process starts without the environment of the gateway.', false),
  },
  { required: ['cmd'] },
)

const openapi = record(
  'An HTTP API described by an OpenAPI document. Each operation becomes a tool.',
  {
    ...addressFields('Path prefix for the paths of the document. Default: the path of its server URL.'),
    schema: either(
      'OpenAPI document, JSON or YAML.',
      text('Document as a string.', { minLength: 1 }),
      record(
        'Source of the document; set exactly one field.',
        {
          file: text('File with the document. Reloaded when it changes.', { minLength: 1 }),
          url: formatted('httpUrl', 'URL of the document. Fetched at first use.'),
          inline: ours({
            type: ['string', 'object'],
            description: 'Document as a string or an object.',
          }),
        },
        exactlyOne('file', 'url', 'inline'),
      ),
    ),
  },
  { required: ['schema'], ...oneAddress },
)

const target = record(
  'An MCP server; set exactly one kind.',
  {
    name: formatted(
      'mcpTargetName',
      'Name, used as prefix of its tools: lower-case letters, digits, `-` and `.`.',
    ),
    policies: ref('McpTargetPolicies'),
    legacy: ours(
      words(
        'How clients of revision 2026-07-28, which has no sessions, use a server that requires sessions. `sessionPerCaller`: one session per caller. `shared`: unauthenticated callers share one session. `off`: not at all, so that clients that support both begin a session.',
        ['sessionPerCaller', 'shared', 'off'],
        defaults.mcp.legacy,
      ),
    ),
    minIdle: ours(
      whole(
        'Number of idle processes kept ready for unauthenticated clients of revision 2026-07-28, once the first such client has connected. For `stdio`.',
        0,
        16,
        defaults.mcp.minIdle,
      ),
    ),
    mcp: record(
      'An MCP server with the Streamable HTTP transport.',
      addressFields(`Path. Default: the path of \`host\`, else \`${defaults.mcp.path}\`.`),
      oneAddress,
    ),
    sse: record(
      'An MCP server with the deprecated HTTP+SSE transport.',
      addressFields(`Path. Default: the path of \`host\`, else \`${defaults.mcp.ssePath}\`.`),
      oneAddress,
    ),
    stdio,
    openapi,
  },
  { required: ['name'], ...exactlyOne('mcp', 'sse', 'stdio', 'openapi') },
)

const targetPolicies = record('Policies for requests to a server.', policyFields('target'))

const backend: Properties = {
  targets: listOf(ref('McpTarget'), 'MCP servers.'),
  statefulMode: words(
    '`stateful`: each client session has its own sessions with the servers. `stateless`: every request is independent.',
    ['stateful', 'stateless'],
    defaults.mcp.statefulMode,
  ),
  protocolVersions: ours(
    listOf(
      words('Protocol revision.', [...revisions]),
      'Protocol revisions offered to clients, by date. Default: all. Does not limit the revisions used with servers.',
      { minItems: 1 },
    ),
  ),
  prefixMode: words(
    'When names of tools and prompts are prefixed with the name of their server: with several servers (`conditional`), always, or never.',
    ['conditional', 'always', 'never'],
    defaults.mcp.prefixMode,
  ),
  maxNameLength: ours(
    whole(
      'Maximum length of prefixed tool and prompt names; longer names are shortened. Set it below 64 for clients that add a prefix of their own.',
      24,
      128,
      defaults.mcp.maxNameLength,
    ),
  ),
  failureMode: words(
    'What happens if a server fails. `failClosed`: the request fails. `failOpen`: the server is skipped.',
    ['failClosed', 'failOpen'],
    defaults.mcp.failureMode,
  ),
  partialAfter: ours(
    duration(
      'Timeout per server for lists and initialization; slower servers are omitted. Default: no limit besides that of the client.',
    ),
  ),
  hangUpAfter: ours(
    duration(
      'How long a connection stays open while its response is pending, for clients that can resume (sessions of revision 2025-11-25). Set it below the timeouts of intermediaries. Default: no limit.',
    ),
  ),
  dnsRebindingProtection: flag(
    'Whether `Host` and `Origin` must be `localhost`, `127.0.0.1` or `[::1]`. Default: true if the gateway listens on a loopback address.',
  ),
}

/** Definitions of MCP. */
export const mcpDefinitions: Properties = {
  McpTarget: target,
  McpTargetPolicies: targetPolicies,
  McpBackend: record('MCP servers at one endpoint.', backend, { required: ['targets'] }),
  McpSection: record(
    'MCP servers, served by a route `mcp` in the namespace `internal`. On gateways it serves `/mcp`, `/sse` and `/.well-known`, on a dedicated port every path.',
    {
      ...backend,
      gateways: oneOrMany(
        text('Gateway name.', { minLength: 1 }),
        `Gateways, as \`gateway\` or \`gateway/listener\`, that serve MCP. Default: the gateway named \`default\`, else port ${String(defaults.mcp.port)}.`,
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
