/** The modules of the log, each with its own level, and what they log at `info`, `debug` and `trace`. */
export const logModules = {
  gateway: 'start, reloads, health of endpoints, shutdown, and all warnings and errors without a request',
  http: 'connections of clients, requests, the chosen route, and policies without a module of their own',
  upstream: 'connections to upstreams, attempts, retries, and the results of calls',
  config: 'the steps of a reload and the time that each takes',
  cel: 'expressions that cannot be evaluated, and at trace the results of the others',
  auth: 'results of authentication and authorization, key sets and other dependencies, credentials for upstreams',
  mcp: 'sessions, steps of requests, programs and what they write to standard error',
  llm: 'the model and the provider of a request, failover, costs',
  guard: 'verdicts of guards',
  trace: 'subscribers of the trace',
  admin: 'requests to the admin, readiness and stats servers',
  request: 'the access log, at info; with ids of connections and requests at debug',
  payload: 'prompts and completions, if `frontendPolicies.accessLog.payloads` is configured, at info',
} as const

/** The name of a module. */
export type LogModule = keyof typeof logModules

/** Whether there is a module of that name. */
export const isLogModule = (name: string): name is LogModule => Object.hasOwn(logModules, name)

/** The names of all modules, in their order. */
export const logModuleNames = Object.keys(logModules) as readonly LogModule[]
