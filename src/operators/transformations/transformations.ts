import { DEFAULT_BUFFER_BYTES } from '../../model/exchange/buffer-limit.ts'
import { onReply, onRequest } from '../../pipeline/stage.ts'
import { bodiesReadBy, combinedBufferNeed, withBufferedBodies } from '../body/buffer-body.ts'
import type { Phases } from '../phases.ts'
import { applied } from '../trace-policy.ts'
import type { CompiledTransformation } from './header-steps.ts'
import { transformReply } from './reply.ts'
import { transformRequest } from './request.ts'

/** A transformation for each direction. */
export interface TransformOptions {
  readonly request?: CompiledTransformation | undefined
  readonly response?: CompiledTransformation | undefined
  /** How much of a body expressions may read; a longer one is refused: 413 for a request, 502 for a reply. 2 MiB by default. */
  readonly bufferLimitBytes?: number | undefined
}

/**
 * Changes requests and replies by expressions.
 *
 * Names may be `:method`, `:path`, `:authority` and `:scheme` in requests, `:status` in replies; an invalid value
 * leaves them unchanged. A header whose expression fails, or returns neither text nor bytes, is removed; text that no
 * header can contain, such as a claim with a line break, is a refusal in requests. A body, or a replacement of all
 * headers, that cannot be evaluated is an error to the client, so that no partial change is sent; only local replies
 * are sent unchanged then. Framing and connection fields are protected.
 *
 * @throws Fault `filter_failed`, through the error channel: 400 if the expression reads the request body, else 500;
 *   `unwritable_header` (400).
 */
export const transform = ({
  request,
  response,
  bufferLimitBytes = DEFAULT_BUFFER_BYTES,
}: TransformOptions): Phases => {
  const onWayIn = request && transformRequest(request)
  const onWayOut = response && transformReply(response)
  const [before, after] = [heldFor(request), heldFor(response)]
  return {
    request: onRequest(
      'transform-request',
      // Parts of the request that the response's expressions read have to be kept before it is sent.
      withBufferedBodies(
        { request: combinedBufferNeed(before.request, after.request), reply: false },
        bufferLimitBytes,
        (x) => {
          if (!onWayIn) return
          onWayIn(x)
          if (!x.probe) return
          x.probe.record(applied('transformation', 'transformed the request'))
          x.probe.snapshot('transformation')
        },
      ),
    ),
    reply: onReply(
      'transform-reply',
      withBufferedBodies({ request: false, reply: after.reply }, bufferLimitBytes, (x) => {
        if (!onWayOut || !x.reply) return undefined
        const refusal = onWayOut(x, x.reply)
        if (refusal || !x.probe) return refusal
        x.probe.record(applied('transformation', 'transformed the response'))
        x.probe.snapshot('transformation')
        return undefined
      }),
    ),
  }
}

const heldFor = (one: CompiledTransformation | undefined) =>
  bodiesReadBy([
    ...[...(one?.metadata ?? []), ...(one?.add ?? []), ...(one?.set ?? [])].map(([, value]) => value),
    one?.replace,
    one?.body,
  ])
