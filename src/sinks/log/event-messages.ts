import type { LogModule } from '../../model/log/log-modules.ts'
import type { TraceEvent, TraceMessage } from '../../model/trace/trace-event.ts'
import { isJsonObject } from '../../protocols/json/json-object.ts'

/** A trace event as a message of the log. */
export interface EventMessage {
  readonly module: LogModule
  readonly level: 'debug' | 'trace'
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** The message of a trace event; undefined for events that a log would only repeat. */
export const messageOfEvent = ({ message }: TraceEvent): EventMessage | undefined => {
  switch (message.type) {
    case 'requestSnapshot':
      return message.stage === 'initial request' ? received(message.requestState) : undefined
    case 'policySelection':
      return at('http', 'trace', 'policies in force', {
        phase: message.phase,
        policies: namesOf(message.effectivePolicy),
      })
    case 'routeSelection':
      return message.selectedRoute === null
        ? at('http', 'debug', 'no route matches', { routes: message.evaluatedRoutes.length })
        : at('http', 'debug', 'a route is chosen', { route: message.selectedRoute })
    case 'policy':
      return ofPolicy(message)
    case 'policyEvent':
      return ofPolicyEvent(message)
    case 'authorizationResult': {
      const rules = message.rules.filter(({ matched, error }) => matched || error !== undefined)
      return at('auth', 'debug', 'authorization rules were evaluated', { result: message.result, rules })
    }
    case 'cel':
      return ofExpression(message)
    case 'backendCallStart':
      return at('upstream', 'debug', 'a call begins', { target: message.target })
    case 'backendCallResult':
      return at('upstream', 'debug', 'a call has a result', given(message.status, message.error))
    case 'llmRouteResolved':
    case 'llmRequestDetected':
    case 'llmStreamingTranslation':
      return ofModelCall(message)
    case 'requestFinished':
      return at('http', 'debug', 'a request ends', {
        ...given(message.status, message.error),
        code: message.code ?? undefined,
      })
    default:
      return undefined
  }
}

const at = (
  module: LogModule,
  level: EventMessage['level'],
  message: string,
  fields: EventMessage['fields'],
): EventMessage => ({ module, level, message, fields })

type Of<Type extends TraceMessage['type']> = Extract<TraceMessage, { type: Type }>

const received = ({ request }: Of<'requestSnapshot'>['requestState']): EventMessage =>
  at('http', 'debug', 'a request begins', {
    method: request?.method,
    host: request?.host,
    path: request?.path,
  })

/** Policies that decide about callers are of interest also when they let a request pass. */
const ofPolicy = ({ kind, result, status, code }: Of<'policy'>): EventMessage => {
  const module = moduleOf(kind)
  const refuses = typeof status === 'number'
  return at(module, refuses || module !== 'http' ? 'debug' : 'trace', 'a policy ran', {
    policy: kind,
    result: result.type === 'apply' ? result.details : `skipped: ${result.reason}`,
    ...(refuses && { status, code: code ?? undefined }),
  })
}

const ofPolicyEvent = ({ kind, details }: Of<'policyEvent'>): EventMessage => {
  const fields = isJsonObject(details) ? details : { details }
  if (kind === 'guardrail') return at('guard', 'debug', 'a guard has a verdict', fields)
  if (kind === 'mcp') return at('mcp', 'debug', 'a step of a request', fields)
  if (kind === 'retry') return at('upstream', 'debug', 'a call is repeated', fields)
  if (kind === 'llm_failover') return at('llm', 'debug', 'another provider is tried', fields)
  if (kind === 'llm_cost') return at('llm', 'debug', 'an attempt has a cost', fields)
  if (kind === 'llm_unknown_price') return at('llm', 'debug', 'the price of a model is not known', fields)
  if (kind === 'cel') return at('cel', 'debug', 'expressions are left out', fields)
  return at(moduleOf(kind), 'debug', 'an event of a policy', { policy: kind, ...fields })
}

const ofExpression = ({ expr, result }: Of<'cel'>): EventMessage => {
  return isJsonObject(result) && Object.keys(result).join() === 'error'
    ? at('cel', 'debug', 'an expression cannot be evaluated', { expression: expr, error: result.error })
    : at('cel', 'trace', 'an expression was evaluated', { expression: expr, result })
}

const ofModelCall = ({
  type,
  ...fields
}: Of<'llmRouteResolved' | 'llmRequestDetected' | 'llmStreamingTranslation'>): EventMessage =>
  at('llm', 'debug', modelCalls[type], fields)

const modelCalls = {
  llmRouteResolved: 'a provider is chosen',
  llmRequestDetected: 'a request for a model was parsed',
  llmStreamingTranslation: 'the response is a stream',
} as const

const given = (status: number | null, error: string | null) => ({
  status: status ?? undefined,
  error: error ?? undefined,
})

const namesOf = (policies: object): readonly string[] =>
  Object.entries(policies).flatMap(([name, value]) => (value === null ? [] : [name]))

const moduleOf = (kind: string): LogModule => {
  if (authentication.has(kind)) return 'auth'
  if (kind.startsWith('guard')) return 'guard'
  if (kind.startsWith('llm')) return 'llm'
  return kind.startsWith('mcp') ? 'mcp' : 'http'
}

/** Policies and stages about identities and permissions. */
const authentication: ReadonlySet<string> = new Set([
  'api_key',
  'authorization',
  'backend_auth',
  'basic_auth',
  'csrf',
  'ext_authz',
  'ext_authz_reply',
  'jwt',
  'mcp_authentication',
  'model_key',
  'oidc',
  'oidc_cookies',
])
