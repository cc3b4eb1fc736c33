import type { HostileChoices } from './hostile-choices.ts'
import { duration, headerName, headerValue, hostname, path, regex } from './hostile-values.ts'
import { objectMeta, optional, type PlainObject, spec } from './plain-object.ts'

const matchOf = (choices: HostileChoices): object => {
  const { pick, some, maybe } = choices
  const values = () =>
    some(3, () => {
      const type = pick('Exact', 'RegularExpression', undefined, 'Other')
      const value = type === 'RegularExpression' ? regex(choices) : headerValue(choices)
      return { ...(type ? { type } : {}), name: headerName(choices), value }
    })
  const type = pick('Exact', 'PathPrefix', 'RegularExpression', 'Other')
  const value = type === 'RegularExpression' ? regex(choices) : path(choices)
  return {
    ...optional('path', maybe(() => ({ type, value })) ?? pick({ value: '/x' }, undefined)),
    ...optional('headers', maybe(values)),
    ...optional('queryParams', maybe(values)),
    ...optional(
      'method',
      maybe(() => pick('GET', 'get', 'CONNECT', 'TRACE', 'M_X', '')),
    ),
  }
}

const pathModifier = (choices: HostileChoices): object =>
  choices.pick<object>(
    { type: 'ReplaceFullPath', replaceFullPath: path(choices) },
    { type: 'ReplacePrefixMatch', replacePrefixMatch: path(choices) },
    { type: 'Other' },
    { type: 'ReplaceFullPath' },
  )

const headerFilter = (choices: HostileChoices): object => {
  const list = () => choices.some(3, () => ({ name: headerName(choices), value: headerValue(choices) }))
  return { set: list(), add: list(), remove: choices.some(2, () => headerName(choices)) }
}

const filter = (choices: HostileChoices): object => {
  const { pick, maybe, some } = choices
  return pick<() => object>(
    () => ({ type: 'RequestHeaderModifier', requestHeaderModifier: headerFilter(choices) }),
    () => ({ type: 'ResponseHeaderModifier', responseHeaderModifier: headerFilter(choices) }),
    () => ({
      type: 'RequestMirror',
      requestMirror: {
        backendRef: reference(choices),
        ...optional(
          'percent',
          maybe(() => pick(0, 50, 100, 101, -1)),
        ),
        ...optional(
          'fraction',
          maybe(() =>
            pick<object>(
              { numerator: 1, denominator: 3 },
              { numerator: 5, denominator: 1 },
              { numerator: 0, denominator: 0 },
            ),
          ),
        ),
      },
    }),
    () => ({
      type: 'RequestRedirect',
      requestRedirect: {
        ...optional(
          'scheme',
          maybe(() => pick('http', 'https', 'HTTP', 'ftp', '')),
        ),
        ...optional(
          'hostname',
          maybe(() => hostname(choices)),
        ),
        ...optional(
          'port',
          maybe(() => pick(1, 80, 443, 65_535, 0, 65_536)),
        ),
        ...optional(
          'statusCode',
          maybe(() => pick(301, 302, 303, 307, 308, 300, 200)),
        ),
        ...optional(
          'path',
          maybe(() => pathModifier(choices)),
        ),
      },
    }),
    () => ({
      type: 'URLRewrite',
      urlRewrite: {
        ...optional(
          'hostname',
          maybe(() => hostname(choices)),
        ),
        ...optional(
          'path',
          maybe(() => pathModifier(choices)),
        ),
      },
    }),
    () => ({
      type: 'CORS',
      cors: {
        allowOrigins: some(3, () =>
          pick(
            '*',
            'https://a.example.com',
            'https://*.example.com',
            'http://*',
            'https://a:99999',
            'null',
            'HTTPS://A',
            'https://a/b',
            '',
          ),
        ),
        allowCredentials: pick(true, false),
        allowMethods: some(3, () => pick('*', 'GET', 'get', '', 'A B')),
        allowHeaders: some(3, () => pick('*', headerName(choices))),
        exposeHeaders: some(3, () => pick('*', headerName(choices))),
        ...optional(
          'maxAge',
          maybe(() => pick(1, 0, -1, 2_147_483_647)),
        ),
      },
    }),
    () => ({ type: 'ExtensionRef', extensionRef: { group: 'x', kind: 'Y', name: 'z' } }),
    () => ({ type: 'ExternalAuth', externalAuth: {} }),
  )()
}

/** A reference to a backend. */
export const reference = ({ pick }: HostileChoices): object => ({
  name: pick('a', 'b', 'c', 'none', 'a.b', 'A', '__proto__', ''),
  ...optional('port', pick(80, 8080, 0, 65_536, undefined)),
})

/** An HTTPRoute. */
export const httpRoute = (name: string, choices: HostileChoices): PlainObject => {
  const { pick, some, maybe } = choices
  const rule = (): object => ({
    ...optional(
      'name',
      maybe(() => pick('rule', 'a.b', 'A', '', 'x'.repeat(254))),
    ),
    ...optional(
      'matches',
      maybe(() => some(4, () => matchOf(choices))),
    ),
    ...optional(
      'filters',
      maybe(() => some(3, () => filter(choices))),
    ),
    backendRefs: some(3, () => ({
      ...reference(choices),
      ...optional('weight', pick(undefined, 0, 1, 1_000_000, 1_000_001, -1)),
      ...optional(
        'filters',
        maybe(() => some(2, () => filter(choices))),
      ),
    })),
    ...optional(
      'timeouts',
      maybe(() => ({ request: duration(choices), backendRequest: duration(choices) })),
    ),
    ...optional(
      'retry',
      maybe(() => ({
        codes: some(3, () => pick(400, 500, 503, 599, 600, 200, 0)),
        attempts: pick(-1, 0, 1, 1_000_000, 1.5),
        backoff: duration(choices),
      })),
    ),
    ...optional(
      'sessionPersistence',
      maybe(() => ({
        sessionName: pick('s', 'a b', '"', '', 'é', 'a'.repeat(128), 'set-cookie', 'a=b'),
        type: pick('Cookie', 'Header'),
        ...optional(
          'absoluteTimeout',
          maybe(() => duration(choices)),
        ),
        ...optional(
          'idleTimeout',
          maybe(() => duration(choices)),
        ),
        ...optional(
          'cookieConfig',
          maybe(() => ({ lifetimeType: pick('Permanent', 'Session') })),
        ),
      })),
    ),
  })
  return {
    kind: 'HTTPRoute',
    metadata: objectMeta(name),
    ...spec({
      parentRefs: [{ name: 'gateway' }],
      ...optional(
        'hostnames',
        maybe(() => some(3, () => hostname(choices))),
      ),
      rules: [rule(), rule(), rule()],
    }),
  }
}

/** A GRPCRoute. */
export const grpcRoute = (name: string, choices: HostileChoices): PlainObject => {
  const { pick, some, maybe } = choices
  const part = () =>
    pick('p.S', 'Get', 'a)|(b', '^x$', '\\Q', '/', '', 'é', 'a'.repeat(1024), '__proto__', '\\')
  const match = (): object => ({
    ...optional(
      'method',
      maybe(() => ({
        ...optional('type', pick('Exact', 'RegularExpression', undefined, 'Other')),
        ...optional('service', maybe(part)),
        ...optional('method', maybe(part)),
      })),
    ),
    ...optional(
      'headers',
      maybe(() => some(3, () => ({ name: headerName(choices), value: headerValue(choices) }))),
    ),
  })
  const rule = (): object => ({
    ...optional(
      'matches',
      maybe(() => some(4, match)),
    ),
    ...optional(
      'filters',
      maybe(() => some(3, () => filter(choices))),
    ),
    backendRefs: some(3, () => ({
      ...reference(choices),
      ...optional('weight', pick(undefined, 0, 1, 1_000_000, 1_000_001, -1)),
      ...optional(
        'filters',
        maybe(() => some(2, () => filter(choices))),
      ),
    })),
  })
  return {
    kind: 'GRPCRoute',
    metadata: objectMeta(name),
    ...spec({
      parentRefs: [{ name: 'gateway' }],
      ...optional(
        'hostnames',
        maybe(() => some(3, () => hostname(choices))),
      ),
      rules: [rule(), rule(), rule()],
    }),
  }
}
