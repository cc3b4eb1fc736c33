import fc from 'fast-check'
import type { CelContext } from '../../src/cel/context/context.ts'
import { Headers } from '../../src/model/exchange/headers.ts'
import { sampleRequest } from './sample-context.ts'

/** Expressions by grammar, most of which type-check. */
export const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const e = tie('expression')
  const leaf = fc.constantFrom(
    ...['1', '-1', '2.5', '0u', '""', '"a"', '"(a+)+$"', '"["', 'b"x"', 'true', 'null', '[]', '{}', 'x'],
    ...['request', 'request.headers', 'request.path', 'request.body', 'request.startTime', 'response.code'],
    ...[
      'jwt',
      'jwt.sub',
      'jwt.groups',
      'jwt.deep',
      'jwt.num',
      'llm.provider',
      'json(request.body)',
      'variables()',
    ],
    ...['proxy.upstreamDuration', 'cidr("10.0.0.0/8")', 'ip("::1")', 'duration("1s")', 'math', 'string'],
  )
  const unary = (...names: string[]) =>
    fc.tuple(fc.constantFrom(...names), e).map(([name, a]) => `${name}(${a})`)
  const method0 = fc
    .tuple(
      e,
      fc.constantFrom(
        ...[
          'size',
          'trim',
          'lowerAscii',
          'raw',
          'split',
          'join',
          'redacted',
          'unredacted',
          'getHours',
          'json',
        ],
        ...['family', 'masked', 'hex', 'base64', 'string'],
      ),
    )
    .map(([a, name]) => `(${a}).${name}()`)
  const method1 = fc
    .tuple(
      e,
      fc.constantFrom(
        ...['contains', 'matches', 'startsWith', 'split', 'join', 'indexOf', 'substring', 'charAt', 'merge'],
        ...['cookie', 'query', 'containsIP', 'stripPrefix', 'getHours', 'at'],
      ),
      e,
    )
    .map(([a, name, b]) => `(${a}).${name}(${b})`)
  const method2 = fc
    .tuple(e, fc.constantFrom('replace', 'regexReplace', 'addQuery', 'setQuery', 'substring', 'split'), e, e)
    .map(([a, name, b, c]) => `(${a}).${name}(${b}, ${c})`)
  const loop = fc
    .tuple(
      e,
      fc.constantFrom('all', 'exists', 'exists_one', 'map', 'filter', 'mapValues', 'filterKeys', 'with'),
      e,
    )
    .map(([a, name, b]) => `(${a}).${name}(x, ${b})`)
  const binary = fc
    .tuple(e, fc.constantFrom('+', '-', '*', '/', '%', '==', '!=', '<', '>=', '&&', '||', 'in'), e)
    .map(([a, op, b]) => `(${a} ${op} ${b})`)
  return {
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      binary,
      loop,
      method0,
      method1,
      method2,
      unary(
        'string',
        'int',
        'double',
        'bytes',
        'size',
        'type',
        'json',
        'toJson',
        'duration',
        'timestamp',
        'dyn',
      ),
      unary(
        'has',
        'base64.encode',
        'url.decode',
        'form.encode',
        'form.decode',
        'sha256.encode',
        'math.abs',
        'fail',
      ),
      fc.tuple(e, e).map(([a, b]) => `default(${a}, ${b})`),
      fc.tuple(e, e).map(([a, b]) => `coalesce(${a}, ${b})`),
      fc.tuple(e, e, e).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      fc.tuple(e, e).map(([a, b]) => `(${a})[${b}]`),
      fc
        .tuple(e, fc.constantFrom('a', 'constructor', '__proto__', 'size', 'path'))
        .map(([a, k]) => `(${a}).${k}`),
      fc.tuple(e, e).map(([a, b]) => `[${a}, ${b}]`),
      fc.tuple(e, e).map(([a, b]) => `{"k": ${a}, "constructor": ${b}}`),
    ),
  }
})

/** Contexts with bodies, headers and claims of any kind. */
export const contexts: fc.Arbitrary<CelContext> = fc
  .record({
    body: fc.option(
      fc.oneof(
        fc.json().map((text) => Buffer.from(text)),
        fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      ),
      { nil: undefined },
    ),
    values: fc.array(fc.string(), { maxLength: 3 }),
    path: fc.string(),
    claims: fc.option(
      fc.dictionary(fc.constantFrom('sub', 'groups', 'deep', 'num', 'constructor'), fc.jsonValue()),
      {
        nil: undefined,
      },
    ),
  })
  .map(({ body, values, path, claims }) => ({
    request: sampleRequest({ body, path, headers: Headers.of({ a: values, cookie: values }) }),
    jwt: claims,
  }))
