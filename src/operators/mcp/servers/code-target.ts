import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { SpanScope } from '../../../model/tracing/span-scope.ts'
import type { McpStdio } from '../../../model/mcp/mcp-backend.ts'
import { sequence } from '../../../pipeline/sequence.ts'
import type { Operator } from '../../../pipeline/stage.ts'
import type { Closable } from '../../../upstream/draining.ts'
import { HttpSseTransport } from '../../../upstream/mcp/http-sse/transport.ts'
import { OpenApiTools } from '../../../upstream/mcp/openapi/tools.ts'
import { OpenApiTransport } from '../../../upstream/mcp/openapi/transport.ts'
import { StdioTransport } from '../../../upstream/mcp/stdio/transport.ts'
import { StreamableHttpTransport } from '../../../upstream/mcp/streamable-http/transport.ts'
import type { McpRuntime } from '../../../upstream/mcp/mcp-runtime.ts'
import type { HttpUpstream } from '../../../upstream/upstream.ts'
import { backend } from '../../backend/http.ts'
import { contextThrough, noHttpContextFor } from './inner-exchange.ts'
import { TargetState } from './target-state.ts'
import type { Target } from './target.ts'

/** An MCP server, for pipelines made in code: a program, one over HTTP, or an HTTP interface described by OpenAPI. */
export type McpServer = McpServerProgram | McpServerOverHttp | McpServerOfOpenApi

interface McpServerNamed {
  /** Lower-case letters, digits, `-` and `.`: the prefix of its tools where there are several servers. */
  readonly name: string
}

/** A child process that speaks MCP on its standard input and output. */
export interface McpServerProgram extends McpServerNamed {
  readonly command: string
  readonly args?: readonly string[]
  /** Added to the environment of this process. */
  readonly env?: McpStdio['env']
  /** The program starts with `env` alone. */
  readonly clearEnv?: boolean
}

/** A server over HTTP. */
export interface McpServerOverHttp extends McpServerNamed {
  /** Such as `https://mcp.example.com/mcp`: its host is the `Host` of requests, its path and query their target. */
  readonly url: string
  /** The upstream that connects to it, such as `upstreamOf('https://mcp.example.com')`. */
  readonly upstream: HttpUpstream
  /** The transport of 2024-11-05 with a separate event stream, in place of streamable HTTP. */
  readonly sse?: boolean
  /** Stages for requests to it, such as one that sets credentials. */
  readonly before?: Operator
}

/** An HTTP interface, each of whose operations becomes a tool. */
export interface McpServerOfOpenApi extends Omit<McpServerOverHttp, 'sse'> {
  /** The OpenAPI document, parsed. The path of `url` is put before its paths; where that is `/`, its `servers` count. */
  readonly openapi: object
}

type Keep = <T extends Closable>(name: string, make: () => T) => T

/** The target of a server given in code. */
export const codeTarget = (server: McpServer, runtime: McpRuntime, keep: Keep): Target => {
  const { name } = server
  const state = keep(name, () => new TargetState(() => undefined))
  if ('command' in server) {
    const { command, args = [], env = {}, clearEnv = false } = server
    const { children, backoff, log, onMessageDropped } = runtime
    const program = { kind: 'stdio', command, args, env, clearEnv } as const
    return {
      ...{ name, state, isBound: true, requestContext: noHttpContextFor },
      createTransport: (era) =>
        new StdioTransport(name, program, {
          ...{ children, backoff, log, onMessageDropped },
          isShared: era === 'modern',
        }),
    }
  }
  const { upstream, before } = server
  if (!URL.canParse(server.url)) throw new TypeError(`"${server.url}" is no URL of an MCP server`)
  const url = new URL(server.url)
  const path = url.pathname + url.search
  const pipeline = sequence([before, backend(upstream)])
  const common = {
    name,
    state,
    requestContext: (x: Exchange, scope?: SpanScope) => contextThrough(pipeline, url.host, x, scope),
  }
  if ('openapi' in server) {
    const tools = new OpenApiTools(server.openapi)
    const prefix = url.pathname.replace(/\/$/, '')
    return { ...common, isBound: false, createTransport: () => new OpenApiTransport(name, { prefix, tools }) }
  }
  if (server.sse === true)
    return {
      ...common,
      pipeline,
      isBound: true,
      createTransport: () => new HttpSseTransport(name, path, runtime),
    }
  return {
    ...{ ...common, pipeline, isBound: false },
    createTransport: (era, resumed) =>
      new StreamableHttpTransport(name, path, {
        era,
        ...resumed,
        ...(era === 'modern' && { revision: '2026-07-28' }),
      }),
  }
}
