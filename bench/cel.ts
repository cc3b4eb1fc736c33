/** The cost of expressions alone: compiled once, evaluated on an exchange as policies do it. */
import { compile } from '../src/cel/compile.ts'
import { ExchangeContext } from '../src/cel/context/exchange-context.ts'
import type { Exchange } from '../src/model/exchange/exchange.ts'
import { exchange } from '../src/testing/exchange.ts'
import { type Figure, median } from './support/report.ts'

const RUNS = 100_000

/** Figure → the expression. All of them are true for the exchange. */
const expressions: Readonly<Record<string, string>> = {
  method: 'request.method == "GET"',
  header: 'request.headers["x-team"] == "blue"',
  absentHeader: '!has(request.headers["x-none"])',
  path: 'request.path.startsWith("/v1/")',
  claim: 'jwt.sub == "alice"',
  permission: '"read" in jwt.permissions',
  twoClaims: 'jwt.sub == "alice" && "read" in jwt.permissions',
  absentClaim: 'default(jwt.none, "x") == "x"',
  failure: 'has(jwt.sub) || jwt.none == "x"',
  regex: 'request.path.matches("^/v[0-9]+/users/[a-z]+$")',
  address: 'cidr("10.0.0.0/8").containsIP(source.address)',
  loop: '["admin", "write", "read"].exists(one, one in jwt.permissions)',
}

/** Compiles, then measures each expression on its own, and 1,000 different ones in turn. */
export const celFigures = (): Figure[] => {
  const x = sample()
  const figures = Object.entries(expressions).map(([name, text]) => {
    const expression = compile(text)
    if (!expression.test(new ExchangeContext(x))) throw new Error(`not true: ${text}`)
    const value = median(repeat(() => costNs(RUNS, () => expression.test(new ExchangeContext(x)))))
    return { name: `cel.${name}.ns`, value, unit: 'ns', note: text }
  })
  const texts = Array.from({ length: 1_000 }, (_, i) => `jwt.sub == "user-${i}" && request.path == "/${i}"`)
  const compileUs = median(repeat(() => costNs(1, () => texts.map((text) => compile(text))))) / 1_000 / 1_000
  const thousand = texts.map((text) => compile(text))
  const evaluateAll = () => thousand.every((one) => !one.test(new ExchangeContext(x)))
  return [
    ...figures,
    {
      name: 'cel.thousand.ns',
      value: median(repeat(() => costNs(200, evaluateAll))) / 1_000,
      unit: 'ns',
      note: 'each of 1,000 different ones',
    },
    { name: 'cel.compile.us', value: compileUs, unit: 'µs', note: 'parsing and checking one' },
  ]
}

const sample = (): Exchange => {
  const x = exchange({
    path: '/v1/users/alice?full=1',
    headers: { host: 'api.test', accept: '*/*', 'user-agent': 'bench', 'x-team': 'blue' },
    connection: { sourceAddress: '10.1.2.3', sourcePort: 40_000 },
  })
  x.identity = { jwt: { sub: 'alice', iss: 'https://issuer.test', permissions: ['list', 'read'] } }
  return x
}

const repeat = (measure: () => number): number[] => Array.from({ length: 7 }, measure)

/** CPU time, which does not include other load of the machine. */
const costNs = (runs: number, run: () => unknown): number => {
  const began = process.cpuUsage()
  for (let i = 0; i < runs; i++) run()
  return (process.cpuUsage(began).user * 1_000) / runs
}
