import type { Evaluate } from '../model/evaluate.ts'
import { onReply, onRequest } from '../pipeline/stage.ts'
import { bodiesReadBy, eitherHold, holding } from './body/hold.ts'
import type { Phases } from './phases.ts'
import { applied } from './policy-note.ts'
import { transformReply } from './transform/reply.ts'
import { transformRequest } from './transform/request.ts'

/** Changes made by expressions, applied in the order metadata, replace, add, set, remove, body. */
export interface Transformation {
  /** Values for later expressions, which read them as `metadata.key`. */
  readonly metadata: readonly (readonly [key: string, value: Evaluate])[]
  /** A map of all headers there are to be. */
  readonly replace?: Evaluate | undefined
  readonly add: readonly (readonly [name: string, value: Evaluate])[]
  readonly set: readonly (readonly [name: string, value: Evaluate])[]
  readonly remove: readonly string[]
  readonly body?: Evaluate | undefined
}

/** A transformation for each direction. */
export interface TransformOptions {
  readonly request?: Transformation | undefined
  readonly response?: Transformation | undefined
  /** How much of a body expressions may read; a longer one is refused: 413 for a request, 502 for a reply. */
  readonly bufferLimitBytes: number
}

/**
 * Changes requests and replies by expressions.
 *
 * Names may be `:method`, `:path`, `:authority` and `:scheme` in requests, `:status` in replies; a value that does not
 * fit leaves them as they are. A header whose expression fails, or gives neither text nor bytes, is removed. A body, or a
 * replacement of all headers, that cannot be evaluated is an error to the client: nobody should receive half of what was
 * meant; only a refusal of the gateway's own stays as it is then. Fields that frame the body or speak of the connection stay as they are.
 *
 * @throws Fault `filter_failed`, through the error channel: 400 if the expression reads the request body, else 500.
 */
export const transform = ({ request, response, bufferLimitBytes }: TransformOptions): Phases => {
  const onWayIn = request && transformRequest(request)
  const onWayOut = response && transformReply(response)
  const [before, after] = [heldFor(request), heldFor(response)]
  return {
    request: onRequest(
      'transform-request',
      // What the response's expressions read of the request has to be kept before it is sent.
      holding({ request: eitherHold(before.request, after.request), reply: false }, bufferLimitBytes, (x) => {
        if (!onWayIn) return
        onWayIn(x)
        if (!x.probe) return
        x.probe.note(applied('transformation', 'transformed the request'))
        x.probe.snapshot('transformation')
      }),
    ),
    reply: onReply(
      'transform-reply',
      holding({ request: false, reply: after.reply }, bufferLimitBytes, (x) => {
        if (!onWayOut || !x.reply) return undefined
        const refusal = onWayOut(x, x.reply)
        if (refusal || !x.probe) return refusal
        x.probe.note(applied('transformation', 'transformed the response'))
        x.probe.snapshot('transformation')
        return undefined
      }),
    ),
  }
}

const heldFor = (one: Transformation | undefined) =>
  bodiesReadBy([
    ...[...(one?.metadata ?? []), ...(one?.add ?? []), ...(one?.set ?? [])].map(([, value]) => value),
    one?.replace,
    one?.body,
  ])
