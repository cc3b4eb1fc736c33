import {
  atMostOneOf,
  either,
  exactlyOne,
  flag,
  listOf,
  mapOf,
  notYet,
  oneOrMany,
  record,
  ref,
  text,
  whole,
  words,
} from './kinds.ts'
import type { Properties } from './kinds.ts'

const remote: Properties = {
  host: text('Its host, or its whole address.'),
  port: whole('Its port.', 1, 65535),
  path: text('Its path.'),
  backend: text('A backend in the section `backends`, by name.'),
}

const target = record(
  'An MCP server.',
  {
    name: text('Its name.', { minLength: 1, maxLength: 253 }),
    policies: ref('BackendPolicies'),
    mcp: record('A server that speaks streamable HTTP.', remote),
    sse: record('A server that speaks the older transport with server-sent events.', remote),
    stdio: record(
      'A server that runs as a child process.',
      {
        cmd: text('The command.', { minLength: 1 }),
        args: listOf(text('An argument.'), 'Its arguments.'),
        env: mapOf(text('The value.'), 'Environment variables to set.'),
        clear_env: flag('Whether it starts without the environment of the gateway.', false),
      },
      { required: ['cmd'] },
    ),
    openapi: record('An HTTP interface, described by an OpenAPI document.', {
      ...remote,
      schema: either(
        'The document.',
        text('The document itself.'),
        record(
          'Where it is.',
          { file: text('In a file.'), url: text('At an address.') },
          exactlyOne('file', 'url'),
        ),
      ),
    }),
  },
  { required: ['name'], ...exactlyOne('mcp', 'sse', 'stdio', 'openapi') },
)

const backend: Properties = {
  targets: listOf(ref('McpTarget'), 'The servers behind it.'),
  statefulMode: words('Whether sessions are kept.', ['stateful', 'stateless'], 'stateful'),
  prefixMode: words(
    'When names get the name of their server as prefix.',
    ['conditional', 'always', 'never'],
    'conditional',
  ),
  failureMode: words('Whether one failing server fails all.', ['failClosed', 'failOpen'], 'failClosed'),
  dnsRebindingProtection: flag('Whether `Host` and `Origin` must be loopback names.'),
}

/** Definitions about MCP. */
export const mcpDefinitions: Properties = {
  McpTarget: target,
  McpBackend: notYet(record('MCP servers behind one address.', backend, { required: ['targets'] })),
  McpSection: notYet(
    record(
      'MCP servers on a gateway or on a port of their own.',
      {
        ...backend,
        gateways: oneOrMany(text('A gateway.'), 'The gateways it belongs to.'),
        port: { ...whole('A port of its own.', 1, 65535), deprecated: true },
        policies: ref('RoutePolicies'),
      },
      { required: ['targets'], ...atMostOneOf(['gateways', 'port']) },
    ),
  ),
}
