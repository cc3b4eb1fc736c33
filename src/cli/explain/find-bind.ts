import type { Bind } from '../../model/resources/resources.ts'
import { CommandFailure } from '../command-failure.ts'
import { exitCode } from '../exit-code.ts'

/**
 * The listening socket that a URL leads to: by its port, or by the name of a gateway for clients that come through a
 * balancer. A port of the system's choice (0) is found by its gateway only, unless there is one socket.
 *
 * @throws CommandFailure that lists the ports, if none fits.
 */
export const findBind = (
  binds: readonly Bind[],
  { host, port }: { readonly host: string; readonly port: number },
  gateway: string | undefined,
): Bind => {
  if (gateway !== undefined) {
    const named = binds.find(({ listeners }) => listeners.some(({ gatewayName }) => gatewayName === gateway))
    if (named) return named
    throw notFound(`there is no gateway ${gateway}`, binds)
  }
  const onPort = binds.filter((bind) => bind.port === port)
  const exact = onPort.find(({ address }) => address === host)
  const [first] = onPort
  if (exact ?? first) return exact ?? (first as Bind)
  const [only] = binds
  if (only && binds.length === 1 && (only.port === undefined || only.port === 0)) return only
  throw notFound(`nothing listens on port ${String(port)}`, binds)
}

const notFound = (message: string, binds: readonly Bind[]): CommandFailure => {
  const names = binds.flatMap(({ listeners, key }) =>
    [...new Set(listeners.map(({ gatewayName }) => gatewayName))].map((name) => `${name} (${key})`),
  )
  return new CommandFailure(message, {
    hint: `--gateway NAME chooses one; there are ${names.join(', ') || 'none'}`,
    exitCode: exitCode.usage,
  })
}
