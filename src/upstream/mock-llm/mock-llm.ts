import { BufferBody } from '../../model/body.ts'
import type { Exchange } from '../../model/exchange.ts'
import type { BackendLabels } from '../../model/snapshot.ts'
import type { UpstreamCall, UpstreamEvents } from '../call.ts'
import { requestBodyBroken } from '../fault.ts'
import type { HttpUpstream } from '../upstream.ts'
import { answerRequest } from './answer-request.ts'
import { MockCall } from './mock-call.ts'

/**
 * A language model that needs no network: it answers each format in kind, the same to the same request, and does what
 * the message tells it to do: errors, delays, tools, broken connections. See `docs/reference/llm-mock.md`.
 */
export class MockLlm implements HttpUpstream {
  readonly labels: BackendLabels

  constructor(labels: BackendLabels) {
    this.labels = labels
  }

  call(x: Exchange, events: UpstreamEvents): UpstreamCall {
    const { body, path } = x.request
    const call = new MockCall(events)
    x.endpoint = 'mock'
    x.probe?.snapshot('final request')
    x.probe?.note({ type: 'backendCallStart', target: 'mock' })
    if (body instanceof BufferBody) call.play(answerRequest(path, body.bytes))
    else
      body
        .read(LIMIT_BYTES)
        .then(
          (bytes) => call.play(answerRequest(path, bytes)),
          (fault: unknown) => call.fail(requestBodyBroken(fault)),
        )
        .catch((bug: unknown) => call.fail(bug))
    return call
  }
}

/** The mock parses what it gets; whoever sends more has had it refused before. */
const LIMIT_BYTES = 128 * 1024 * 1024
